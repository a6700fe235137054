import { expect, test } from 'vitest'
import { rarityOf } from '../../src/search/term-rarity.ts'

test.each([
  ['a plain word', 'glacier', 1],
  ['a frequent word', 'the', 0.001],
  ['a hashtag', '#glacier', 2],
  ['a cashtag', '$acme', 2],
  ['a mention', '@alice', 2],
  ['a sign alone is a word', '#', 1],
  ['a Han sign', '東', 0.05],
  ['a kana sign', 'の', 0.005],
  ['an author', 'from:101', 10],
  ['an author by name', 'from_name:alice', 10],
  ['a conversation', 'conversation_id:5', 20],
  ['a word of an address', 'url:glacier', 0.5],
  ['a frequent word of an address', 'url:com', 0.0005],
  ['a frequent word of a title', 'url_title:the', 0.0005],
  ['a frequent word of a profile', 'bio:the', 0.0003],
  ['a frequent word as a place', 'place:the', 0.5],
  ['any address', 'url:', 0.0005],
  ['any place', 'place:', 0.0005],
  ['a kind that nobody listed', 'other:1', 1],
  ['a language', 'lang:en', 0.0001],
])('%s', (_name, term, rarity) => {
  expect(rarityOf(term)).toBeCloseTo(rarity, 10)
})
