import { component, Type } from '../../api-kit/declaring/schema.ts'
import { changeByStatement } from '../../api-kit/runtime.ts'
import { statement } from '../../storage/statement.ts'
import { accountAccessPart } from '../kit/access.ts'
import { AdsProblem, notFound, refusal } from '../kit/errors.ts'
import { defineAdsOperation, optional } from '../kit/operation.ts'
import { wholeSecond } from '../kit/times.ts'
import { listKind, longKind, oneOfKind, textKind } from '../kit/values.ts'

const COLUMNS = { notification_email: 'text', contact_phone: 'text', contact_phone_extension: 'text' } as const

const settingsOf = statement(
  'ads_user_settings',
  COLUMNS,
  'select notification_email, contact_phone, contact_phone_extension from ads_user_settings where account_id = $1 and user_id = $2',
)
// A null leaves the column unchanged, or empty in a new row.
const settingsSet = statement(
  'ads_user_settings_set',
  COLUMNS,
  `insert into ads_user_settings as s (account_id, user_id, notification_email, contact_phone, contact_phone_extension, subscribed_email_types, updated_at)
   values ($1, $2, coalesce($3, ''), coalesce($4, ''), coalesce($5, ''), coalesce($6::text[], '{}'), $7)
   on conflict (account_id, user_id) do update set notification_email = coalesce($3, s.notification_email),
     contact_phone = coalesce($4, s.contact_phone), contact_phone_extension = coalesce($5, s.contact_phone_extension),
     subscribed_email_types = coalesce($6::text[], s.subscribed_email_types), updated_at = excluded.updated_at
   returning notification_email, contact_phone, contact_phone_extension`,
)

const UNSET = { notification_email: '', contact_phone: '', contact_phone_extension: '' }

const shared = {
  tag: 'User Settings',
  path: { user_id: { kind: longKind, missing: 'USER_NOT_FOUND' } },
  data: component(
    'UserSettings',
    Type.Object({
      notification_email: Type.String(),
      contact_phone: Type.String(),
      contact_phone_extension: Type.String(),
    }),
  ),
}

const notAllowed = (details: string) =>
  refusal('ACTION_NOT_ALLOWED', 'The user may not do this on the account', { parameter: 'user_id', details })

const getUserSettings = defineAdsOperation({
  ...shared,
  id: 'getUserSettings',
  route: 'GET /12/accounts/{account_id}/user_settings/{user_id}',
  summary: "Get a user's settings on an account",
  handle: async ({ path, runtime, account, user }) => {
    const userId = path.user_id!
    if (userId !== user.id) {
      if (!account.permissions.includes('ACCOUNT_ADMIN'))
        throw notAllowed('only an ACCOUNT_ADMIN may see the settings of other users')
      const users = (await runtime.parts.one(accountAccessPart, account.id))?.users as Record<string, unknown> | null
      if (!users?.[userId]) throw new AdsProblem([notFound('USER_NOT_FOUND', 'user_id', userId)])
    }
    return { data: (await settingsOf.first(runtime.database, account.id, userId)) ?? UNSET }
  },
})

const clearable = { clearable: true }

const updateUserSettings = defineAdsOperation({
  ...shared,
  id: 'updateUserSettings',
  route: 'PUT /12/accounts/{account_id}/user_settings/{user_id}',
  summary: "Update the caller's settings on an account",
  params: {
    notification_email: optional(
      textKind({ pattern: /^[^\s@]+@[^\s@]+\.[^\s@]+$/, max: 254, says: 'must be an email address' }),
      clearable,
    ),
    contact_phone: optional(
      textKind({ pattern: /^\+?[0-9][0-9 ().-]{2,29}$/, says: 'must be a phone number' }),
      clearable,
    ),
    contact_phone_extension: optional(
      textKind({ pattern: /^[0-9]{1,10}$/, says: 'must be up to 10 digits' }),
      clearable,
    ),
    subscribed_email_types: optional(
      listKind(oneOfKind(['ACCOUNT_PERFORMANCE', 'PERFORMANCE_IMPROVEMENT']), { max: 2 }),
      clearable,
    ),
  },
  handle: async ({ path, params, runtime, account, user }) => {
    if (path.user_id !== user.id) throw notAllowed('users may only change their own settings')
    // An empty value is read as null and stored as empty text.
    const stored = (value: string | null | undefined) => (value === null ? '' : (value ?? null))
    const types = params.subscribed_email_types as string[] | null | undefined
    const data = await changeByStatement(runtime, (db) =>
      settingsSet.first(
        db,
        account.id,
        user.id,
        stored(params.notification_email),
        stored(params.contact_phone),
        stored(params.contact_phone_extension),
        types === null ? [] : types ? [...new Set(types)] : null,
        wholeSecond(runtime.clock.now()),
      ),
    )
    return { data }
  },
})

export const userSettingsOperations = [getUserSettings, updateUserSettings]
