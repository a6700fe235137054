import type { NotFoundPage } from '../api-kit/serving/fallbacks.ts'
import { openPage } from './define-page.ts'
import { writePage } from './layout.ts'
import { problemContent } from './problem-content.ts'

/** The page of an address that has none. */
export const peopleNotFound: NotFoundPage = async (request, runtime) => {
  const page = await openPage(request, runtime, {})
  return writePage(page, problemContent(page, 404, 'This address has no page.'))
}
