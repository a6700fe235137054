import { describe, expect, test } from 'vitest'
import { nextFetch, type Schedule } from '../../src/ads/catalogs/feed-schedule.ts'

describe('the next fetch', () => {
  const at = (schedule: Partial<Schedule>, after: string) => {
    const whole: Schedule = {
      frequency: 'DAILY',
      repeat: null,
      start_time: '02:30',
      time_zone: 'Europe/Berlin',
      ...schedule,
    }
    return new Date(nextFetch(whole, Date.parse(after))).toISOString()
  }
  test.each<[Partial<Schedule>, string, string]>([
    [{}, '2026-01-10T00:00:00Z', '2026-01-10T01:30:00.000Z'],
    [{}, '2026-01-10T01:30:00Z', '2026-01-11T01:30:00.000Z'],
    [{ time_zone: 'America/Los_Angeles' }, '2026-01-10T01:30:00Z', '2026-01-10T10:30:00.000Z'],
    // In the night when clocks go forward half past two does not exist, and in autumn it comes twice.
    [{}, '2026-03-29T00:00:00Z', '2026-03-29T01:30:00.000Z'],
    [{}, '2026-10-24T12:00:00Z', '2026-10-25T00:30:00.000Z'],
    [{}, '2026-10-25T00:30:00Z', '2026-10-26T01:30:00.000Z'],
    [{ frequency: 'WEEKLY', repeat: 'MONDAY' }, '2026-01-10T00:00:00Z', '2026-01-12T01:30:00.000Z'],
    [{ frequency: 'WEEKLY', repeat: 'MONDAY' }, '2026-01-12T01:30:00Z', '2026-01-19T01:30:00.000Z'],
    [
      { frequency: 'WEEKLY', repeat: 'SUNDAY', start_time: '00:30' },
      '2026-01-10T23:00:00Z',
      '2026-01-10T23:30:00.000Z',
    ],
    [
      { frequency: 'HOURLY', repeat: '1', time_zone: 'Asia/Kolkata', start_time: '00:00' },
      '2026-01-10T00:00:00Z',
      '2026-01-10T00:30:00.000Z',
    ],
    [
      { frequency: 'HOURLY', repeat: '6', time_zone: 'UTC', start_time: '23:15' },
      '2026-01-10T00:00:00Z',
      '2026-01-10T05:15:00.000Z',
    ],
    [
      { frequency: 'HOURLY', repeat: '12', time_zone: 'UTC', start_time: '01:00' },
      '2026-01-10T13:00:00Z',
      '2026-01-11T01:00:00.000Z',
    ],
  ])('of %o after %s is at %s', (schedule, after, next) => {
    expect(at(schedule, after)).toBe(next)
  })
})
