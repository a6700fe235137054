import { expect, test } from 'vitest'
import { sampleOf } from '../support/sampling.ts'

const items = Array.from({ length: 40 }, (_, at) => at)
const part = (cases: 'some' | 'rest' | 'all', seed = 1, key = 'key') =>
  sampleOf(key, items, 5, { sampling: { cases, seed } })

test('a sample has its size, and is the same for one seed and key', () => {
  expect(part('some')).toHaveLength(5)
  expect(part('some')).toEqual(part('some'))
  expect(part('some', 2)).not.toEqual(part('some'))
  expect(part('some', 1, 'another')).not.toEqual(part('some'))
})

test('the sample and the rest together have every case once', () => {
  expect([...part('some'), ...part('rest')].sort((left, right) => left - right)).toEqual(items)
  expect(part('all')).toEqual(items)
})

test('a list that is no longer than the sample leaves no rest', () => {
  expect(sampleOf('key', items, 100, { sampling: { cases: 'some', seed: 1 } })).toEqual(items)
  expect(sampleOf('key', items, 100, { sampling: { cases: 'rest', seed: 1 } })).toEqual([])
})

test('a rest may be a sample too, of what the first one left out', () => {
  const some = part('some')
  const rest = sampleOf('key', items, 5, { inRest: 8, sampling: { cases: 'rest', seed: 1 } })
  expect(rest).toHaveLength(8)
  expect(rest.filter((item) => some.includes(item))).toEqual([])
  expect(sampleOf('key', items, 5, { inRest: 8, sampling: { cases: 'all', seed: 1 } })).toEqual(items)
})
