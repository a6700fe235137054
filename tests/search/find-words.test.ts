import { describe, expect, test } from 'vitest'
import { findWords, findWordsNear } from '../../src/search/find-words.ts'

const run = (text: string) => (text === '' ? [] : text.split(' '))

describe('words side by side', () => {
  test.each([
    ['a b c', 'a b', true],
    ['a b c', 'b c', true],
    ['a b c', 'a b c', true],
    ['a b c', 'a c', false],
    ['a b c', 'b a', false],
    ['a a b', 'a b', true],
    ['a b', 'a b c', false],
    ['', 'a', false],
    ['x y a', 'a b', false],
  ])('%s holds %s: %s', (text, words, expected) => {
    expect(findWords(run(text), run(words))).toBe(expected)
  })
})

describe('words near each other', () => {
  test.each([
    ['a b', 'a b', 0, true],
    ['a x b', 'a b', 0, false],
    ['a x b', 'a b', 1, true],
    ['a x y b', 'a b', 1, false],
    ['a x y b', 'a b', 2, true],
    ['b a', 'a b', 1, false],
    ['b a', 'a b', 2, true],
    ['b x a', 'a b', 2, false],
    ['b x a', 'a b', 3, true],
    ['x x a b', 'a b', 1, true],
    ['a b x x', 'a b', 1, true],
    ['a', 'a a', 6, false],
    ['a x a', 'a a', 1, true],
    ['a x x a', 'a a', 1, false],
    ['a x b x c', 'a b c', 2, true],
    ['a x x b x c', 'a b c', 2, false],
    ['c b a', 'a b c', 3, false],
    ['c b a', 'a b c', 4, true],
    ['a b', 'a b c', 6, false],
    ['', 'a b', 6, false],
  ])('%s holds %s in %i steps: %s', (text, words, distance, expected) => {
    expect(findWordsNear(run(text), run(words), distance)).toBe(expected)
  })

  test('are those that some choice of places brings together', () => {
    // Every assignment of places to words, the slow way.
    const slow = (text: string[], words: string[], distance: number, taken: number[] = []): boolean => {
      if (taken.length === words.length) {
        const offsets = taken.map((place, index) => place - index)
        return Math.max(...offsets) - Math.min(...offsets) <= distance
      }
      return text.some(
        (word, place) =>
          word === words[taken.length] && !taken.includes(place) && slow(text, words, distance, [...taken, place]),
      )
    }
    let state = 7
    const below = (limit: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((state / 2_147_483_648) * limit)
    }
    const some = (length: number) => Array.from({ length }, () => 'abcx'[below(4)]!)
    for (let round = 0; round < 2_000; round++) {
      const [text, words, distance] = [some(below(7)), some(1 + below(3)), below(5)]
      const said = `${text.join(' ')} / ${words.join(' ')} ~${distance}`
      expect(findWordsNear(text, words, distance), said).toBe(slow(text, words, distance))
    }
  })
})
