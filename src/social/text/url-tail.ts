import { isKind, PATH, PATH_END, QUERY, QUERY_END } from './characters.ts'

/** Where the port, path and query after a domain end, and whether there is a path. */
export function urlTail(text: string, domainEnd: number): { end: number; hasPath: boolean } {
  const portEnd = urlPortEnd(text, domainEnd)
  const pathEnd = urlPathEnd(text, portEnd)
  return { end: urlQueryEnd(text, pathEnd), hasPath: pathEnd > portEnd }
}

/** Where the query that begins at this offset ends, without punctuation that ends a sentence. */
export function urlQueryEnd(text: string, at: number): number {
  if (text[at] !== '?') return at
  let end = at
  for (let next = at + 1; isKind(QUERY, text, next); next++) if (isKind(QUERY_END, text, next)) end = next + 1
  return end
}

function urlPortEnd(text: string, at: number): number {
  if (text[at] !== ':') return at
  let end = at + 1
  while (text.charCodeAt(end) >= 0x30 && text.charCodeAt(end) <= 0x39) end++
  return end > at + 1 ? end : at
}

function urlPathEnd(text: string, at: number): number {
  if (text[at] !== '/') return at
  let end = at + 1
  let next = at + 1
  while (true) {
    if (isKind(PATH, text, next)) {
      next++
      if (isKind(PATH_END, text, next - 1)) end = next
    } else {
      const closed = parenthesesEnd(text, next)
      if (closed === next) return end
      next = closed
      end = closed
    }
  }
}

// Balanced parentheses belong to a path, nested one level deep at most.
function parenthesesEnd(text: string, at: number): number {
  if (text[at] !== '(') return at
  let next = pathRunEnd(text, at + 1)
  if (text[next] === ')') return next > at + 1 ? next + 1 : at
  if (text[next] !== '(') return at
  const innerStart = next + 1
  next = pathRunEnd(text, innerStart)
  if (text[next] !== ')' || next === innerStart) return at
  next = pathRunEnd(text, next + 1)
  return text[next] === ')' ? next + 1 : at
}

function pathRunEnd(text: string, at: number): number {
  let end = at
  while (isKind(PATH, text, end)) end++
  return end
}
