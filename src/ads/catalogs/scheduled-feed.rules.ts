import { isIP } from 'node:net'
import { isReservedAddress } from '../../process/outgoing.ts'
import { type AdsError, invalidParameter, missingParameter } from '../kit/errors.ts'
import { isTimeZone } from '../kit/local-time.ts'
import { oneOfKind, textKind } from '../kit/values.ts'
import { HOURS, type Schedule, WEEKDAYS } from './feed-schedule.ts'

export const FORMATS = ['CSV', 'TSV', 'XML'] as const
export const FREQUENCIES = ['HOURLY', 'DAILY', 'WEEKLY'] as const

/** How the parameters of a feed are read. */
export const feedKinds = {
  feed_url: textKind({ min: 1, max: 2_048 }),
  feed_format: oneOfKind(FORMATS),
  frequency: oneOfKind(FREQUENCIES),
  repeat: oneOfKind([...WEEKDAYS, ...HOURS]),
  start_time: textKind({ pattern: /^(?:[01]\d|2[0-3]):[0-5]\d$/, says: 'must be HH:MM, from 00:00 to 23:59' }),
  time_zone: textKind({ min: 1, max: 64 }),
}

/** A feed as it will be stored. */
export interface FeedDraft extends Schedule {
  feed_url: string
  feed_format: (typeof FORMATS)[number]
}

const ALLOWED: Record<Schedule['frequency'], readonly string[]> = { HOURLY: HOURS, DAILY: [], WEEKLY: WEEKDAYS }

/** The errors of a feed as a whole. */
export function feedErrors(draft: FeedDraft, privateAllowed: boolean): AdsError[] {
  const errors: AdsError[] = []
  const url = urlError(draft.feed_url, privateAllowed)
  if (url) errors.push(invalidParameter('feed_url', url))
  if (!isTimeZone(draft.time_zone))
    errors.push(invalidParameter('time_zone', 'must be a name of the IANA time zone database', draft.time_zone))
  const allowed = ALLOWED[draft.frequency]
  if (draft.frequency === 'DAILY') {
    if (draft.repeat !== null)
      errors.push(invalidParameter('repeat', 'must be empty when frequency is DAILY', draft.repeat))
  } else if (draft.repeat === null)
    errors.push(missingParameter('repeat', `must be one of ${allowed.join(', ')} when frequency is ${draft.frequency}`))
  else if (!allowed.includes(draft.repeat))
    errors.push(
      invalidParameter(
        'repeat',
        `must be one of ${allowed.join(', ')} when frequency is ${draft.frequency}`,
        draft.repeat,
      ),
    )
  return errors
}

// Everybody who can read the feed sees its address, so it must not contain a password.
function urlError(text: string, privateAllowed: boolean): string | undefined {
  const url = URL.canParse(text) && !/\s/.test(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) return 'must be an http or https address'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (!privateAllowed && (host === 'localhost' || (isIP(host) !== 0 && isReservedAddress(host))))
    return 'must not be a private address'
  return undefined
}
