import type { RequestFacts } from '../declaring/operation.ts'
import type { QueryValues } from '../declaring/parameters.ts'
import { isLegacyName, type Naming, neutral } from './naming.ts'

/** The host that a request names, without its port, in lower case. */
export const requestHost = (headers: RequestFacts['headers']): string => {
  const { host } = headers
  return host === undefined ? '' : (host as string).split(':', 1)[0]!.toLowerCase()
}

/**
 * The naming that a request uses: always the legacy one at the host names of the platform. Elsewhere the words of its query decide
 * first, because some client libraries send neutral parameters to legacy paths; then its path. Undefined when it uses neither
 * spelling.
 */
export function spokenNaming(
  legacy: Naming,
  shown: { path: Naming | undefined; query: QueryValues; isPlatformHost: boolean },
  identifierParameters: ReadonlySet<string>,
): Naming | undefined {
  if (shown.isPlatformHost) return legacy
  return namingOfQuery(shown.query, identifierParameters, legacy) ?? shown.path
}

/** Legacy if an identifier of the query is legacy; else neutral if one differs between the namings; else undefined. */
function namingOfQuery(
  query: QueryValues,
  identifierParameters: ReadonlySet<string>,
  legacy: Naming,
): Naming | undefined {
  let found: Naming | undefined
  const look = (word: string) => {
    if (isLegacyName(legacy, word)) found = legacy
    else if (found !== legacy && legacy.rename(word) !== word) found = neutral
  }
  for (const [name, values] of query) {
    look(name)
    // The same lists come again and again, and the naming caches them.
    if (identifierParameters.has(legacy.restore(name))) for (const value of values) look(value)
  }
  return found
}
