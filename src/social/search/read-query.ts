import type { Caller } from '../../api-kit/declaring/caller.ts'
import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { hasFullTier } from '../../identity/tier-caps.ts'
import { legacyNaming } from '../../legacy-words.ts'
import { checkQuery } from '../../search/check-query.ts'
import { parseQuery, QueryError } from '../../search/parse-query.ts'
import { listsIn, namesIn, placesIn, type QuerySql, querySql } from '../../search/query-sql.ts'
import { usableLists } from '../lists/find-list.ts'
import { placesByName } from '../places/place.object.ts'
import { usernamePart } from '../users/user.parts.ts'
import { searchByTermsOrMembers } from './search-members.ts'
import type { SearchScope } from './search-range.ts'

const MAX_LENGTH: Record<SearchScope, number> = { recent: 512, all: 1_024 }
const MAX_LENGTH_ENTERPRISE = 4_096

/** Turns the query of a search into SQL. */
export async function readSearchQuery(
  runtime: Runtime,
  context: ReadContext,
  caller: Caller,
  query: string,
  scope: SearchScope,
): Promise<QuerySql> {
  const max = hasFullTier(caller) ? MAX_LENGTH_ENTERPRISE : MAX_LENGTH[scope]
  const length = [...query].length
  if (length > max) {
    throw invalidParameter(
      'query',
      query,
      `The length of the \`query\` query parameter value [${length}] is not between 1 and ${max}`,
    )
  }
  try {
    const tree = checkQuery(parseQuery(query), scope, legacyNaming)
    const [users, places, lists] = await Promise.all([
      context.parts.many(usernamePart, [...new Set(namesIn(tree))]),
      context.parts.many(placesByName, [...new Set(placesIn(tree))]),
      usableLists(context, [...new Set(listsIn(tree))]),
    ])
    return searchByTermsOrMembers(runtime.database, querySql(tree, { users, places, lists }))
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    throw invalidParameter('query', query, `There were errors processing your request: ${error.reasons.join(', ')}`)
  }
}
