import type { Caller } from '../../api-kit/declaring/caller.ts'
import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { hasFullTier } from '../../identity/tier-caps.ts'
import { legacyNaming } from '../../legacy-words.ts'
import { checkQuery } from '../../search/check-query.ts'
import type { Place } from '../../search/operators.ts'
import { parseQuery, QueryError } from '../../search/parse-query.ts'
import { namesIn, placesIn, type QuerySql, querySql } from '../../search/query-sql.ts'
import { placesByName } from '../places/place.object.ts'
import { usernamePart } from '../users/user.parts.ts'

const LONGEST: Record<'recent' | 'all', number> = { recent: 512, all: 1_024 }
const LONGEST_ENTERPRISE = 4_096

/** Reads the query of a search as a condition; `firstValue` is the number of its first SQL value. */
export async function readSearchQuery(
  context: ReadContext,
  caller: Caller,
  query: string,
  place: Extract<Place, 'recent' | 'all'>,
  firstValue: number,
): Promise<QuerySql> {
  const longest = hasFullTier(caller) ? LONGEST_ENTERPRISE : LONGEST[place]
  const length = [...query].length
  if (length > longest) {
    throw invalidParameter(
      'query',
      query,
      `The length of the \`query\` query parameter value [${length}] is not between 1 and ${longest}`,
    )
  }
  try {
    const tree = checkQuery(parseQuery(query), place, legacyNaming)
    const [users, places] = await Promise.all([
      context.parts.many(usernamePart, [...new Set(namesIn(tree))]),
      context.parts.many(placesByName, [...new Set(placesIn(tree))]),
    ])
    return querySql(tree, { users, places }, firstValue)
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    throw invalidParameter('query', query, `There were errors processing your request: ${error.reasons.join(', ')}`)
  }
}
