import { describe, expect, test } from 'vitest'
import { weighText } from '../../src/social/text/weigh.ts'

describe('the weight of a text', () => {
  test('an ASCII character weighs one', () => {
    expect(weighText('')).toBe(0)
    expect(weighText('This is a test')).toBe(14)
    expect(weighText('This is a test.')).toBe(15)
  })

  test('any url weighs 23, whatever its length', () => {
    expect(weighText('http://a.co')).toBe(23)
    expect(weighText('test.com')).toBe(23)
    expect(weighText(`https://example.com/${'path/'.repeat(60)}`)).toBe(23)
    expect(weighText('Test https://test.com test https://test.com test.com test')).toBe(86)
  })

  test('letters with accents weigh one in either normal form', () => {
    expect(weighText('\u00c1B')).toBe(2)
    expect(weighText('A\u0301B')).toBe(2)
    expect(weighText('A\ufb2c')).toBe(4)
  })

  test('Chinese, Japanese and Korean characters weigh two', () => {
    expect(weighText('故人西辞黄鹤楼')).toBe(14)
    expect(weighText('저찀쯿쿿')).toBe(8)
  })

  test('typographic spaces, dashes and quotes weigh one, other symbols two', () => {
    expect(weighText('\u2000\u200d\u2010\u201f\u2032\u2037')).toBe(6)
    expect(weighText('\u200e\u200f\u2020\u2031\u2038…→')).toBe(14)
    expect(weighText('\u10ff\u1100')).toBe(3)
  })

  test.each([
    ['a face', '😷'],
    ['a skin tone', '👍🏽'],
    ['a family', '👨‍👩‍👧‍👦'],
    ['a profession with skin tone', '👩🏽‍🚀'],
    ['a flag', '🇩🇪'],
    ['a flag of a region', '🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
    ['a keycap', '1️⃣'],
    ['a keycap without presentation sign', '1⃣'],
    ['a sign made colourful', '©️'],
    ['a heart', '❤️'],
  ])('a whole emoji weighs two: %s', (_, emoji) => {
    expect(weighText(emoji)).toBe(2)
    expect(weighText(`a${emoji}${emoji}b`)).toBe(6)
  })

  test('what only looks like an emoji sequence is weighed by character', () => {
    expect(weighText('😀\u200d😀')).toBe(5)
    expect(weighText('🇩')).toBe(2)
    expect(weighText('©')).toBe(1)
    expect(weighText('a\ufe0f')).toBe(3)
  })

  test('140 emoji, or 140 such characters, fill a short post', () => {
    expect(weighText('😷'.repeat(140))).toBe(280)
    expect(weighText('の'.repeat(140))).toBe(280)
  })
})
