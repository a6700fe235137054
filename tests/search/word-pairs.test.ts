import { expect, test } from 'vitest'
import { postTerms } from '../../src/search/post-terms.ts'
import { addPairs, BLOCK_BYTES, pairFilter, pairsOf, wordPair } from '../../src/search/slices/word-pairs.ts'
import { SeededRandom } from '../../src/world/seeded-random.ts'

const pairsIn = (terms: string): Set<number> => {
  const pairs = new Set<number>()
  addPairs(pairs, terms)
  return pairs
}

test('words that stand next to each other are pairs, at each of their positions', () => {
  expect(pairsIn(`'a':1,3 'b':2`)).toEqual(new Set([wordPair('a', 'b'), wordPair('b', 'a')]))
  expect(pairsIn(`'a':1 'b':3 'c':4`)).toEqual(new Set([wordPair('b', 'c')]))
  expect(pairsIn(`'a':1,2`)).toEqual(new Set([wordPair('a', 'a')]))
})

test('terms without a position are in no pair, whatever signs they have', () => {
  expect(pairsIn(`'#tag' 'a':1 'b':2 'context:it''s \\\\ ''x'':1' 'lang:en'`)).toEqual(new Set([wordPair('a', 'b')]))
})

test('words of a text and of a link are no pair', () => {
  const terms = postTerms({
    words: ['one', 'two'],
    hashtags: [],
    cashtags: [],
    mentions: [],
    urls: [{ expanded: 'https://three.example', short: 'https://s.example/x' }],
  })
  const quotedTerms = terms.replaceAll(/(?<=^| )(\w+):(?=\d)/g, `'$1':`)
  const pairs = pairsIn(quotedTerms)
  for (const pair of pairsOf(['one', 'two'])) expect(pairs).toContain(pair)
  for (const pair of pairsOf(['https', 'three', 'example'])) expect(pairs).toContain(pair)
  expect(pairs).toContain(wordPair('url:three', 'url:example'))
  expect(pairs).not.toContain(wordPair('two', 'https'))
})

/** What the SQL of a search looks at. */
function mayHave({ blocks, bits }: { blocks: number; bits: Buffer }, pair: number): boolean {
  const number = BigInt(pair)
  const start = Number((number >> 27n) % BigInt(blocks)) * BLOCK_BYTES
  return [0n, 9n, 18n].every((shift) => {
    const bit = Number((number >> shift) & 511n)
    return (bits[start + (bit >> 3)]! >> (bit & 7)) & 1
  })
}

test.each([0, 1, 50, 20_000])('a filter of %i pairs has all of them, and few others', (count) => {
  const random = new SeededRandom(count)
  const word = () => `w${random.below(100_000)}`
  const pairs = new Set(Array.from({ length: count }, () => wordPair(word(), word())))
  const filter = pairFilter(pairs)
  for (const pair of pairs) expect(mayHave(filter, pair)).toBe(true)
  let wrong = 0
  for (let number = 0; number < 10_000; number++) if (mayHave(filter, wordPair(`x${number}`, word()))) wrong += 1
  expect(wrong).toBeLessThan(500)
})
