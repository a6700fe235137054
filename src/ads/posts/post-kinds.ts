import { AdsError } from '../kit/errors.ts'
import { type Kind, listKind, oneOfKind, textKind, timeKind } from '../kit/values.ts'

export const POST_STATES = ['DRAFT', 'PUBLISHED', 'SCHEDULED'] as const
export type PostState = (typeof POST_STATES)[number]

export const postStateKind = oneOfKind(POST_STATES)

export const mediaKeysKind = listKind(
  textKind({ pattern: /^[0-9]{1,3}_[0-9]{1,19}$/, says: 'must be media keys: a number, an underscore and a number' }),
  { max: 4 },
)

export const postNameKind = textKind({ max: 80 })

/** As long as the text of any post can be; the limit of a given post depends on its author. */
export const postTextKind = textKind({ max: 25_000 })

const MINUTE = 60_000

/** The time at which a post is due. Seconds are dropped. */
export const dueTimeKind: Kind<Date> = {
  ...timeKind,
  read: (sent, parameter) => {
    const time = timeKind.read(sent, parameter)
    return time instanceof AdsError ? time : new Date(Math.floor(time.getTime() / MINUTE) * MINUTE)
  },
}
