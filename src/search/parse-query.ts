/** A query as a tree. Positions count characters of the query from 1. */
export type QueryNode =
  | { kind: 'and'; parts: QueryNode[] }
  | { kind: 'or'; parts: QueryNode[] }
  | { kind: 'not'; part: QueryNode }
  | QueryLeaf

/** The smallest part of a query: words, a tag, a mention, or an operator with its value. */
export type QueryLeaf =
  | { kind: 'words'; text: string; position: number; near?: number }
  | { kind: 'hashtag' | 'cashtag' | 'mention'; text: string; position: number }
  | { kind: 'operator'; name: string; value: string; position: number }

/** A query that cannot be parsed. Each reason names the position. */
export class QueryError extends Error {
  readonly reasons: string[]
  constructor(reasons: string[]) {
    super(reasons.join(', '))
    this.reasons = reasons
  }
}

const fail = (reason: string, position: number): never => {
  throw new QueryError([`${reason} (at position ${position})`])
}

interface Token {
  text: string
  kind: 'open' | 'close' | 'or' | 'not' | 'phrase' | 'operator' | 'word'
  position: number
  /** The operator's name, or the distance of a phrase. */
  extra?: string
}

/**
 * Parses a query. A space is AND and binds tighter than OR, `-` negates what it touches, parentheses group.
 * Phases: tokens, then recursive descent over the grammar.
 */
export function parseQuery(query: string): QueryNode {
  const tokens = readTokens(query)
  if (tokens.length === 0) fail('The query is empty', 1)
  let at = 0
  const peek = () => tokens[at]

  const readOr = (): QueryNode => {
    const parts = [readAnd()]
    while (peek()?.kind === 'or') {
      const { position } = tokens[at]!
      at += 1
      const next = peek()
      if (!next || next.kind === 'close' || next.kind === 'or') fail('OR needs a clause on both sides', position)
      parts.push(readAnd())
    }
    return parts.length === 1 ? parts[0]! : { kind: 'or', parts }
  }
  const readAnd = (): QueryNode => {
    const parts: QueryNode[] = []
    for (let next = peek(); next && next.kind !== 'or' && next.kind !== 'close'; next = peek()) parts.push(readUnit())
    const here = peek() ?? tokens.at(-1)!
    if (parts.length === 0) fail(`Unexpected ${describe(here)}`, here.position)
    return parts.length === 1 ? parts[0]! : { kind: 'and', parts }
  }
  const readUnit = (): QueryNode => {
    const token = tokens[at]!
    at += 1
    if (token.kind === 'not') {
      const next = peek()
      if (!next || next.kind === 'or' || next.kind === 'close' || next.kind === 'not')
        fail('A minus sign needs a clause right after it', token.position)
      return { kind: 'not', part: readUnit() }
    }
    if (token.kind === 'open') {
      const inner = readOr()
      if (peek()?.kind !== 'close') fail('A parenthesis is not closed', token.position)
      at += 1
      return inner
    }
    return leafOf(token)
  }

  const tree = readOr()
  const rest = peek()
  if (rest) fail(`Unexpected ${describe(rest)}`, rest.position)
  return tree
}

const describe = (token: Token): string => (token.kind === 'or' ? 'OR' : token.kind === 'close' ? ')' : token.text)

function leafOf(token: Token): QueryLeaf {
  const { text, position } = token
  if (token.kind === 'operator') return { kind: 'operator', name: token.extra!.toLowerCase(), value: text, position }
  if (token.kind === 'phrase')
    return { kind: 'words', text, position, ...(token.extra ? { near: Number(token.extra) } : {}) }
  const tag = /^([#＃$@＠])(.+)$/u.exec(text)
  if (tag) {
    const kind = tag[1] === '$' ? 'cashtag' : tag[1] === '@' || tag[1] === '＠' ? 'mention' : 'hashtag'
    return { kind, text: tag[2]!, position }
  }
  if (/^(and|or)$/i.test(text)) {
    fail(
      `Ambiguous use of ${text.toLowerCase()} as a keyword. Use a space to logically join two clauses, or "${text.toLowerCase()}" to find occurrences of ${text.toLowerCase()} in text`,
      position,
    )
  }
  return { kind: 'words', text, position }
}

const BLANK = /\s/u

function readTokens(query: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  const push = (kind: Token['kind'], text: string, position: number, extra?: string) =>
    tokens.push({ kind, text, position: position + 1, extra })
  while (at < query.length) {
    const sign = query[at]!
    const start = at
    if (BLANK.test(sign)) {
      at += 1
    } else if (sign === '(' || sign === ')') {
      push(sign === '(' ? 'open' : 'close', sign, start)
      at += 1
    } else if (sign === '-') {
      at += 1
      if (at === query.length || BLANK.test(query[at]!)) fail('A minus sign needs a clause right after it', start + 1)
      push('not', sign, start)
    } else if (sign === '"') {
      const phrase = readQuoted(query, at)
      at = phrase.end
      const near = /^~(\d+)/.exec(query.slice(at))
      if (near) at += near[0].length
      push('phrase', phrase.text, start, near?.[1])
    } else {
      const operator = /^([A-Za-z_]+):/.exec(query.slice(at))
      if (operator && !/^https?$/i.test(operator[1]!)) {
        at += operator[0].length
        const value = readValue(query, at, start)
        at = value.end
        push('operator', value.text, start, operator[1])
      } else {
        while (at < query.length && !BLANK.test(query[at]!) && !'()"'.includes(query[at]!)) at += 1
        const text = query.slice(start, at)
        push(text === 'OR' ? 'or' : 'word', text, start)
      }
    }
  }
  return tokens
}

function readQuoted(query: string, start: number): { text: string; end: number } {
  let text = ''
  for (let at = start + 1; at < query.length; at++) {
    if (query[at] === '\\' && at + 1 < query.length) text += query[++at]
    else if (query[at] === '"') {
      if (text.trim() === '') fail('A phrase is empty', start + 1)
      return { text, end: at + 1 }
    } else text += query[at]
  }
  return fail('A quotation mark is not closed', start + 1)
}

function readValue(query: string, start: number, operatorStart: number): { text: string; end: number } {
  if (query[start] === '"') return readQuoted(query, start)
  let end = start
  if (query[start] === '[') {
    end = query.indexOf(']', start) + 1
    if (end === 0) fail('A bracket is not closed', start + 1)
  } else while (end < query.length && !BLANK.test(query[end]!) && !'()"'.includes(query[end]!)) end += 1
  if (end === start) fail('An operator needs a value right after its colon', operatorStart + 1)
  return { text: query.slice(start, end), end }
}
