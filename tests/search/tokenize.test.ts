import { describe, expect, test } from 'vitest'
import { exactWords, fold, foldCase, tokenize } from '../../src/search/tokenize.ts'

describe('the words of a text', () => {
  test.each([
    ['', []],
    ['  ... !', []],
    ['The Cat_2, it sleeps!', ['the', 'cat_2', 'it', 'sleeps']],
    ["don't stop-now", ['don', 't', 'stop', 'now']],
    ['Café CAFÉ cafe\u0301', ['cafe', 'cafe', 'cafe']],
    ['Ærø — straße', ['ærø', 'straße']],
    ['ﬁne ２０２６', ['fine', '2026']],
    ['東京 タワー', ['東', '京', 'タ', 'ワ', 'ー']],
    ['ab東cd', ['ab', '東', 'cd']],
    ['สวัสดี', ['ส', 'ว', 'ั', 'ส', 'ด', 'ี']],
    ['good🌞day', ['good', '🌞', 'day']],
    ['🌞🌝', ['🌞', '🌝']],
    ['👩‍👩‍👧 x', ['👩‍👩‍👧', 'x']],
    ['👍🏽é', ['👍🏽', 'e']],
    ['🇵🇹!', ['🇵🇹']],
    ['1️⃣ é', ['1️⃣', 'e']],
    ['a1️⃣é', ['a1', 'e']],
    ['#️⃣é', ['#️⃣', 'e']],
    ['♥ ♥️', ['♥️']],
    ['© é', ['e']],
    ['𝒜x 𐐀', ['ax', '𐐨']],
    ['é.', ['e']],
    ['.é', ['e']],
    ['हिन्दी में नमस्ते', ['हिन्दी', 'में', 'नमस्ते']],
    ['தமிழ் বাংলা తెలుగు', ['தமிழ்', 'বাংলা', 'తెలుగు']],
    ['مُحَمَّد', ['مُحَمَّد']],
    ['ि ़ नीला\u0308', ['नीला']],
    ['क़लम क\u093cलम', ['क\u093cलम', 'क\u093cलम']],
    ['नमस्ते❤️ जी', ['नमस्ते', '❤️', 'जी']],
  ])('%s', (text, words) => {
    expect(tokenize(text)).toEqual(words)
  })

  test('keep their accents where streams compare them', () => {
    expect(exactWords('Café CAFÉ cafe\u0301 Cafe')).toEqual(['café', 'café', 'café', 'cafe'])
    expect(exactWords('x\u0301\u0302y É')).toEqual(['x\u0301\u0302y', 'é'])
    expect(exactWords('The CAT')).toEqual(['the', 'cat'])
  })

  test('are the same when asked for again', () => {
    expect(tokenize('東 é東')).toEqual(['東', 'e', '東'])
    expect(tokenize('é東 東')).toEqual(['e', '東', '東'])
  })
})

test('folding takes case and accents away, or case alone', () => {
  expect(fold('PLAIN')).toBe('plain')
  expect(fold('Ångström ÑÜ')).toBe('angstrom nu')
  expect(fold('Й')).toBe('и')
  expect(foldCase('PLAIN')).toBe('plain')
  expect(foldCase('A\u030angström')).toBe('ångström')
  expect(foldCase('ＡＢ')).toBe('ab')
})
