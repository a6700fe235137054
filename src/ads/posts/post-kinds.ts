import { AdsError } from '../kit/errors.ts'
import { type Kind, listKind, oneOfKind, textKind, timeKind } from '../kit/values.ts'

export const POST_STATES = ['DRAFT', 'PUBLISHED', 'SCHEDULED'] as const
export type PostState = (typeof POST_STATES)[number]

/** The state of a post: not yet, published, or to be published. */
export const postStateKind = oneOfKind(POST_STATES)

export const cardUriKind = textKind({
  pattern: /^card:\/\/[0-9]{1,19}$/,
  says: 'must have the form card:// and a number',
})

export const mediaKeysKind = listKind(
  textKind({ pattern: /^[0-9]{1,3}_[0-9]{1,19}$/, says: 'must be media keys: a number, an underscore and a number' }),
  { max: 4 },
)

export const postNameKind = textKind({ max: 80 })

/** The longest text that any post can have; how long it may really be depends on its author. */
export const postTextKind = textKind({ max: 25_000 })

const MINUTE = 60_000

/** When a post is due: seconds are dropped. */
export const dueTimeKind: Kind<Date> = {
  ...timeKind,
  read: (sent, parameter) => {
    const time = timeKind.read(sent, parameter)
    return time instanceof AdsError ? time : new Date(Math.floor(time.getTime() / MINUTE) * MINUTE)
  },
}
