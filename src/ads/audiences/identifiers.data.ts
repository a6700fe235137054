/** The identifiers of users, each with the number that its keys are stored under. */
export const IDENTIFIERS = {
  email: 1,
  device_id: 2,
  handle: 3,
  platform_id: 4,
  phone_number: 5,
  partner_user_id: 6,
} as const
export type Identifier = keyof typeof IDENTIFIERS

/** The only identifier that is sent as it is; all others are sent as hashes. */
export const PLAIN_IDENTIFIER: Identifier = 'partner_user_id'
