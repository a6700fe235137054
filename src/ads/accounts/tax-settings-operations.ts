import { component, nullable, type TSchema, Type } from '../../api-kit/declaring/schema.ts'
import { change } from '../../api-kit/runtime.ts'
import type { Db } from '../../storage/database.ts'
import { type Columns, statement } from '../../storage/statement.ts'
import { AdsProblem, invalidParameter } from '../kit/errors.ts'
import { defineAdsOperation, optional, type Params } from '../kit/operation.ts'
import { wholeSecond } from '../kit/times.ts'
import { type Kind, oneOfKind, textKind } from '../kit/values.ts'

const line = textKind({ min: 1, max: 255 })
const country = textKind({ pattern: /^[A-Z]{2}$/, says: 'must be a two-letter country code in upper case' })
const email = textKind({ pattern: /^[^\s@]+@[^\s@]+\.[^\s@]+$/, max: 254, says: 'must be an email address' })

// The parts of an address. The company is sent as `name` and shown as `company`.
const ADDRESS: Record<string, Kind<string>> = {
  city: line,
  company: line,
  country,
  email,
  first_name: line,
  last_name: line,
  postal_code: textKind({ min: 1, max: 20 }),
  region: line,
  street1: line,
  street2: line,
}
const addressFields = (prefix: string) =>
  Object.fromEntries(Object.entries(ADDRESS).map(([name, kind]) => [`${prefix}${name}`, kind]))

/** Members that may have no value. */
const TEXTS: Record<string, Kind<string>> = {
  ...addressFields('address_'),
  tax_id: textKind({ min: 1, max: 100 }),
}
/** The advertiser whose agency owns the account, and its tax exemption: stored, but never shown. */
const HIDDEN: Record<string, Kind<string>> = {
  ...addressFields('client_address_'),
  tax_exemption_id: textKind({ min: 1, max: 100 }),
}

const CHOICES = {
  bill_to: { writable: ['ADVERTISER', 'AGENCY'], initial: 'NOT_SET' },
  business_relationship: { writable: ['AGENCY', 'SELF'], initial: 'SELF' },
  invoice_jurisdiction: { writable: ['LOI_SAPIN', 'NONE', 'NOT_SET'], initial: 'NOT_SET' },
  tax_category: { writable: ['BUSINESS_NO_VAT', 'BUSINESS_WITH_VAT', 'INDIVIDUAL'], initial: 'INDIVIDUAL' },
} as const

const INITIAL: Record<string, string> = Object.fromEntries(
  Object.entries(CHOICES).map(([name, choice]) => [name, choice.initial]),
)
const TEXT_NAMES = [...Object.keys(TEXTS), ...Object.keys(HIDDEN)]
const NAMES = [...TEXT_NAMES, ...Object.keys(CHOICES)]

const settingsOf = statement(
  'ads_tax_settings',
  Object.fromEntries([
    ...TEXT_NAMES.map((name) => [name, 'text?']),
    ...Object.keys(CHOICES).map((name) => [name, 'text']),
  ]) as Columns,
  `select ${NAMES.join(', ')} from ads_tax_settings where account_id = $1`,
)
// One statement, so neither of two simultaneous updates undoes the other.
const settingsSet = statement(
  'ads_tax_settings_set',
  {},
  `with sent as (select $2::jsonb as given, $3::jsonb as initial),
        fresh as (select r.* from sent, jsonb_populate_record(null::ads_tax_settings, sent.initial || sent.given) r)
   insert into ads_tax_settings (account_id, ${NAMES.join(', ')}, updated_at)
   select $1, ${NAMES.map((name) => `fresh.${name}`).join(', ')}, $4 from fresh
   on conflict (account_id) do update set updated_at = excluded.updated_at,
     ${NAMES.map((name) => `${name} = case when $2::jsonb ? '${name}' then excluded.${name} else ads_tax_settings.${name} end`).join(', ')}`,
)

const wordsOf = ({ writable, initial }: (typeof CHOICES)[keyof typeof CHOICES]): TSchema =>
  oneOfKind([...new Set<string>([...writable, initial])].sort()).schema

const TaxSettings = component(
  'TaxSettings',
  Type.Object({
    ...Object.fromEntries(Object.entries(TEXTS).map(([name, kind]) => [name, nullable(kind.schema)])),
    ...Object.fromEntries(Object.entries(CHOICES).map(([name, choice]) => [name, wordsOf(choice)])),
  }),
)

const sentAs = (name: string): string => name.replace(/_company$/, '_name')

/** Takes the value too that only the server sets, since clients send whole records back. Whether it is repeated is checked later. */
const choiceKind = ({ writable, initial }: (typeof CHOICES)[keyof typeof CHOICES]): Kind<string> => {
  const kind = oneOfKind<string>(writable)
  return { ...kind, read: (sent, parameter) => (sent === initial ? initial : kind.read(sent, parameter)) }
}

const params: Params = Object.fromEntries([
  ...Object.entries({ ...TEXTS, ...HIDDEN }).map(([name, kind]) => [sentAs(name), optional(kind, { clearable: true })]),
  ...Object.entries(CHOICES).map(([name, choice]) => [name, optional(choiceKind(choice))]),
])

const isOneOf = (value: string, words: readonly string[]): boolean => words.includes(value)

const readSettings = async (db: Db, accountId: string) => (await settingsOf.first(db, accountId)) ?? INITIAL

const shared = { tag: 'Tax Settings', data: TaxSettings }

const getTaxSettings = defineAdsOperation({
  ...shared,
  id: 'getTaxSettings',
  route: 'GET /12/accounts/{account_id}/tax_settings',
  summary: 'Get the tax settings of an account',
  may: 'see campaigns',
  handle: async ({ runtime, account }) => ({ data: await readSettings(runtime.database, account.id) }),
})

const updateTaxSettings = defineAdsOperation({
  ...shared,
  id: 'updateTaxSettings',
  route: 'PUT /12/accounts/{account_id}/tax_settings',
  summary: 'Update the tax settings of an account',
  params,
  may: 'change settings',
  handle: async ({ runtime, account, params: given }) => {
    const sent = given as Record<string, string | null>
    const changed = Object.fromEntries(
      NAMES.filter((name) => sent[sentAs(name)] !== undefined).map((name) => [name, sent[sentAs(name)]!]),
    )
    return {
      data: await change(runtime, async (tx) => {
        const before = await readSettings(tx, account.id)
        for (const [name, { writable }] of Object.entries(CHOICES))
          if (changed[name] !== undefined && changed[name] !== before[name] && !isOneOf(changed[name], writable))
            throw new AdsProblem([invalidParameter(name, `must be one of ${writable.join(', ')}`, changed[name])])
        const now = wholeSecond(runtime.clock.now())
        await settingsSet.count(tx, account.id, JSON.stringify(changed), JSON.stringify(INITIAL), now)
        return readSettings(tx, account.id)
      }),
    }
  },
})

export const taxSettingsOperations = [getTaxSettings, updateTaxSettings]
