/** What people are named by, and the number that keys of the kind are stored under. */
export const IDENTIFIERS = {
  email: 1,
  device_id: 2,
  handle: 3,
  platform_id: 4,
  phone_number: 5,
  partner_user_id: 6,
} as const
export type Identifier = keyof typeof IDENTIFIERS

/** The one identifier that is sent as it is; all others come hashed. */
export const PLAIN_IDENTIFIER: Identifier = 'partner_user_id'
