import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createClock } from '../../src/process/clock.ts'
import { createIdMaker, timeOfId } from '../../src/process/ids.ts'

const START = Date.UTC(2026, 4, 1)

beforeEach(() => void vi.useFakeTimers({ now: START, toFake: ['Date', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** Real time goes on; `Date` may be set anywhere. */
const pass = (ms: number) => vi.advanceTimersByTime(ms)

test('ids do not repeat and keep growing when the system clock is set back, by seconds or by a day', () => {
  const ids = createIdMaker(createClock(), 3)
  const made: string[] = []
  for (const backMs of [0, 1, 900, 4_000, 60_000, 86_400_000]) {
    vi.setSystemTime(Date.now() - backMs)
    for (let count = 0; count < 5_000; count++) {
      made.push(ids.next())
      if (count % 50 === 0) pass(1)
    }
  }
  expect(new Set(made).size).toBe(made.length)
  expect([...made].sort((left, right) => (BigInt(left) < BigInt(right) ? -1 : 1))).toEqual(made)
})

test('time goes on slowly after a step back, until the system clock has caught up', () => {
  const clock = createClock()
  const before = clock.now()
  vi.setSystemTime(START - 10_000)
  pass(4_000)
  expect(clock.now()).toBe(before + 2_000)
  pass(16_000)
  expect(clock.now()).toBe(Date.now())
})

test('a clock that was wrong by years is followed when it is corrected', () => {
  const clock = createClock()
  const ids = createIdMaker(clock, 3)
  vi.setSystemTime(Date.UTC(2090, 0, 1))
  ids.next()
  vi.setSystemTime(START)
  expect(clock.now()).toBe(START)
  expect(timeOfId(ids.next())).toBe(START)
})

test('a process that starts on a clock that was set back begins where the earlier one ended', () => {
  const earlier = createIdMaker(createClock(), 3)
  const used = new Set(Array.from({ length: 100 }, () => earlier.next()))
  vi.setSystemTime(START - 3_600_000)
  const later = createIdMaker(createClock(START + 5_000), 3)
  const made = Array.from({ length: 100 }, () => later.next())
  expect(made.filter((id) => used.has(id))).toEqual([])
  expect(timeOfId(made[0]!)).toBeGreaterThanOrEqual(START + 5_000)
})

test('ids do not repeat however the test clock is moved, and follow it', () => {
  const clock = createClock()
  const ids = createIdMaker(clock, 3)
  const made: string[] = []
  // Every move leads to moments that were used before.
  for (const offset of [0, 1_000, 0, 1_000, 500, 0, -500, 0, 1_000]) {
    clock.setOffset(offset)
    for (let count = 0; count < 6_000; count++) {
      made.push(ids.next())
      if (count % 20 === 0) pass(1)
    }
    expect(Math.abs(timeOfId(made.at(-1)!) - clock.now())).toBeLessThan(50)
    vi.setSystemTime(Date.now())
  }
  expect(new Set(made).size).toBe(made.length)
})
