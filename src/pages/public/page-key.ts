import { isStorableId } from '../../process/ids.ts'
import type { PageRequest } from '../page-request.ts'

/** The id after which the page of a list begins; undefined on the first page. */
export function pageKey({ query }: PageRequest): string | undefined {
  const key = query.get('page')
  return key !== undefined && /^\d{1,19}$/.test(key) && isStorableId(key) ? key : undefined
}
