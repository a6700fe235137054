import { describe, expect, test } from 'vitest'
import { cutTerm, postTerms, quote, type SearchablePost, textWords } from '../../src/search/post-terms.ts'

const NOTHING: SearchablePost = { words: [], hashtags: [], cashtags: [], mentions: [], urls: [] }
const termsOf = (post: Partial<SearchablePost>) => postTerms({ ...NOTHING, ...post }).trim()

describe('the terms of a post', () => {
  test.each<[string, Partial<SearchablePost>, string]>([
    ['nothing', {}, ''],
    ['words with their positions', { words: ['the', 'cat', 'the'] }, 'the:1 cat:2 the:3'],
    [
      'links far behind the text, as words and as links',
      { words: ['see'], urls: [{ expanded: 'https://a.example', short: 'http://s/x' }] },
      "see:1 https:22 a:23 example:24 'url:https':45 'url:a':46 'url:example':47 'url:http':68 'url:s':69 'url:x':70 'has:links'",
    ],
    ['hashtags', { hashtags: ['Café'] }, "'#cafe' 'has:hashtags'"],
    ['cashtags', { cashtags: ['ACME'] }, "'$acme' 'has:cashtags'"],
    ['mentions', { mentions: ['Bob'] }, "'@bob' 'has:mentions'"],
    ['who is answered and reposted', { replyToUserId: '5', repostedUserId: '6' }, "'to:5' 'reposted_user:6'"],
    ['nobody', { replyToUserId: null, repostedUserId: null }, ''],
    ['a photo', { mediaTypes: ['photo'] }, "'has:links' 'has:media' 'has:images'"],
    ['a video', { mediaTypes: ['video'] }, "'has:links' 'has:media' 'has:video_link'"],
    ['an animated picture', { mediaTypes: ['animated_gif'] }, "'has:links' 'has:media' 'has:video_link'"],
    [
      'a place',
      { place: { id: 'a1', name: 'São João', countryCode: 'PT' } },
      "'has:geo' 'place:a1' 'place:sao joao' 'country:pt'",
    ],
  ])('%s', (_name, post, terms) => {
    expect(termsOf(post)).toBe(terms)
  })

  test('end where PostgreSQL has no more positions', () => {
    const words = Array.from({ length: 16_005 }, () => 'a')
    expect(termsOf({ words }).split(' ').at(-1)).toBe('a:16000')
  })
})

test('a term is cut to what the index takes, and no pair of units with it', () => {
  expect(cutTerm('a'.repeat(200))).toBe('a'.repeat(200))
  expect(cutTerm('a'.repeat(201))).toBe('a'.repeat(200))
  expect(cutTerm(`${'a'.repeat(199)}𝒜x`)).toBe('a'.repeat(199))
  expect(cutTerm(`${'a'.repeat(198)}𝒜x`)).toBe(`${'a'.repeat(198)}𝒜`)
})

test('a term is quoted', () => {
  expect(quote('cat')).toBe("'cat'")
  expect(quote("it's")).toBe("'it''s'")
  expect(quote('a\\b')).toBe("'a\\\\b'")
})

test('the words of a text are those outside of its links', () => {
  expect(textWords('See HTTPS://a.example/x?y now http://b')).toEqual(['see', 'now'])
  expect(textWords('ftp://a')).toEqual(['ftp', 'a'])
})
