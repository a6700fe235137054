import { describe, expect, test } from 'vitest'
import { parseQuery, QueryError, type QueryNode } from '../../src/search/parse-query.ts'

const words = (text: string, position: number): QueryNode => ({ kind: 'words', text, position })
const operator = (name: string, value: string, position: number): QueryNode => ({
  kind: 'operator',
  name,
  value,
  position,
})
const not = (part: QueryNode): QueryNode => ({ kind: 'not', part })
const and = (...parts: QueryNode[]): QueryNode => ({ kind: 'and', parts })
const or = (...parts: QueryNode[]): QueryNode => ({ kind: 'or', parts })

describe('a query is read as a tree', () => {
  test.each<[string, QueryNode]>([
    ['cat', words('cat', 1)],
    ['  cat\t', words('cat', 3)],
    ['cat dog', and(words('cat', 1), words('dog', 5))],
    ['cat OR dog', or(words('cat', 1), words('dog', 8))],
    ['a b OR c d', or(and(words('a', 1), words('b', 3)), and(words('c', 8), words('d', 10)))],
    ['a OR b OR c', or(words('a', 1), words('b', 6), words('c', 11))],
    ['a (b OR c)', and(words('a', 1), or(words('b', 4), words('c', 9)))],
    ['(a b) c', and(and(words('a', 2), words('b', 4)), words('c', 7))],
    ['((a))', words('a', 3)],
    ['a -b', and(words('a', 1), not(words('b', 4)))],
    ['-(a OR b)', not(or(words('a', 3), words('b', 8)))],
    ['a-b', words('a-b', 1)],
    ['a(b)c', and(words('a', 1), words('b', 3), words('c', 5))],
    ['Or-else', words('Or-else', 1)],
    ['#Cats', { kind: 'hashtag', text: 'Cats', position: 1 }],
    ['＃Cats', { kind: 'hashtag', text: 'Cats', position: 1 }],
    ['$ACME', { kind: 'cashtag', text: 'ACME', position: 1 }],
    ['@bob', { kind: 'mention', text: 'bob', position: 1 }],
    ['＠bob', { kind: 'mention', text: 'bob', position: 1 }],
    ['#', words('#', 1)],
    ['"two words"', words('two words', 1)],
    ['"a \\"b\\" \\\\"', words('a "b" \\', 1)],
    ['a"b c"d', and(words('a', 1), words('b c', 2), words('d', 7))],
    ['"a b"~12c', and({ kind: 'words', text: 'a b', position: 1, near: 12 }, words('c', 9))],
    ['"a b"~', and(words('a b', 1), words('~', 6))],
    ['"and"', words('and', 1)],
    ['FROM:alice', operator('from', 'alice', 1)],
    ['a from:b', and(words('a', 1), operator('from', 'b', 3))],
    ['from:a(b)', and(operator('from', 'a', 1), words('b', 8))],
    ['place:"New York" a', and(operator('place', 'New York', 1), words('a', 18))],
    ['bounding_box:[1 2 3 4] a', and(operator('bounding_box', '[1 2 3 4]', 1), words('a', 24))],
    ['url:https://a.example', operator('url', 'https://a.example', 1)],
    ['https://a.example', words('https://a.example', 1)],
    ['HTTP://a', words('HTTP://a', 1)],
    ['12:30', words('12:30', 1)],
  ])('%s', (query, tree) => {
    expect(parseQuery(query)).toEqual(tree)
  })
})

describe('a query cannot be read', () => {
  const ambiguous = (word: string) =>
    `Ambiguous use of ${word} as a keyword. Use a space to logically join two clauses, or "${word}" to find occurrences of ${word} in text`
  const minus = 'A minus sign needs a clause right after it'
  test.each([
    ['', 'The query is empty', 1],
    ['   ', 'The query is empty', 1],
    ['OR a', 'Unexpected OR', 1],
    ['a OR', 'OR needs a clause on both sides', 3],
    ['a OR OR b', 'OR needs a clause on both sides', 3],
    ['(a OR )', 'OR needs a clause on both sides', 4],
    ['()', 'Unexpected )', 2],
    ['(', 'Unexpected (', 1],
    ['a)', 'Unexpected )', 2],
    ['b (a', 'A parenthesis is not closed', 3],
    ['a -', minus, 3],
    ['a - b', minus, 3],
    ['a --b', minus, 3],
    ['-OR b', minus, 1],
    ['(-)', minus, 2],
    ['a ""', 'A phrase is empty', 3],
    ['" "', 'A phrase is empty', 1],
    ['a "b', 'A quotation mark is not closed', 3],
    ['a "b\\"', 'A quotation mark is not closed', 3],
    ['a "b\\', 'A quotation mark is not closed', 3],
    ['a from:', 'An operator needs a value right after its colon', 3],
    ['a from: b', 'An operator needs a value right after its colon', 3],
    ['from:(a)', 'An operator needs a value right after its colon', 1],
    ['place:""', 'A phrase is empty', 7],
    ['a bounding_box:[1 2', 'A bracket is not closed', 16],
    ['a and b', ambiguous('and'), 3],
    ['a Or b', ambiguous('or'), 3],
  ])('%s', (query, reason, position) => {
    const read = () => parseQuery(query)
    expect(read).toThrow(QueryError)
    expect(read).toThrow(new QueryError([`${reason} (at position ${position})`]))
  })
})
