import { invalidParameter, invalidRequest } from '../writing/problems.ts'

/** Decodes one form-encoded text: `+` is a space. Undefined when an escape is not valid. */
export function decodeForm(text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return undefined
  }
}

const MOST_PAIRS = 1_000

/** Name and value pairs of a form-encoded text, in order; pairs with invalid escapes are undefined. */
export function formPairs(text: string): ([string, string] | undefined)[] {
  if (text === '') return []
  const pairs = text.split('&', MOST_PAIRS + 1)
  if (pairs.length > MOST_PAIRS)
    throw invalidRequest([{ parameters: {}, message: `The request has more than ${MOST_PAIRS} parameters` }])
  return pairs
    .filter((pair) => pair !== '')
    .map((pair) => {
      const cut = pair.indexOf('=')
      const name = decodeForm(cut < 0 ? pair : pair.slice(0, cut))
      const value = cut < 0 ? '' : decodeForm(pair.slice(cut + 1))
      return name === undefined || value === undefined ? undefined : [name, value]
    })
}

/** Reads a query; refuses texts that no column can store. */
export function readQuery(raw: string): Map<string, string[]> {
  const query = new Map<string, string[]>()
  for (const pair of formPairs(raw)) {
    if (!pair) {
      throw invalidRequest([
        { parameters: {}, message: 'The query has a percent sign that does not start a UTF-8 escape' },
      ])
    }
    const [name, value] = pair
    if (value.includes('\0') || name.includes('\0')) {
      throw invalidRequest([
        {
          parameters: { [name.replaceAll('\0', '')]: [] },
          message: 'A query parameter cannot contain the character U+0000',
        },
      ])
    }
    const known = query.get(name)
    if (known) known.push(value)
    else query.set(name, [value])
  }
  return query
}

/** The parameters of an endpoint that reads its query itself. Unknown and repeated parameters are refused. */
export function readOwnQuery(raw: string, allowed: readonly string[]): Map<string, string> {
  const query = readQuery(raw)
  for (const [name, values] of query) {
    if (!allowed.includes(name))
      throw invalidParameter(name, values[0], `The query parameter [${name}] is not one of [${allowed.join(',')}]`)
    if (values.length > 1) throw invalidParameter(name, values.join(), `${name} is given more than once`)
  }
  return new Map([...query].map(([name, [value]]) => [name, value!]))
}

/** A parameter that is one of some words; undefined when it is not given. */
export function readWord(given: ReadonlyMap<string, string>, name: string, words: readonly string[]) {
  const value = given.get(name)
  if (value === undefined || words.includes(value)) return value
  throw invalidParameter(name, value, `${name} is not one of [${words.join(',')}]`)
}

/** The parameter `limit` of a list. */
export function readLimit(given: ReadonlyMap<string, string>, most: number): number {
  const text = given.get('limit') ?? '100'
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= 1 && limit <= most) return limit
  throw invalidParameter('limit', text, `limit is not between 1 and ${most}`)
}
