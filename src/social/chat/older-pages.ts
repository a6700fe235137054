import type { PageRequest } from '../../api-kit/reading/paging.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'

/** The key before which a page begins; undefined for the first page. The lists of chat have no tokens to newer pages. */
export function onlyOlder({ start }: PageRequest): string | undefined {
  if (start?.direction === 'newer')
    throw invalidParameter('pagination_token', undefined, 'The `pagination_token` query parameter value is not valid')
  return start?.key
}
