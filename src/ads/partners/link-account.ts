import { change, type Runtime } from '../../api-kit/runtime.ts'
import type { Db, Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { createAccount } from '../accounts/create-account.ts'
import { createFundingInstrument } from '../campaigns/create-funding.ts'
import { isTimeZone } from '../kit/local-time.ts'
import { lockAccount } from '../kit/lock.ts'
import { wholeSecond } from '../kit/times.ts'
import { CURRENCIES } from '../money.ts'
import { COUNTRY_NAMES } from '../targeting-options/data/country-words.data.ts'

/** What became of the request of a partner. */
export type LinkStatus =
  | 'OK'
  | 'ACCOUNT_INELIGIBLE'
  | 'USER_MISMATCH'
  | 'INCOMPLETE_SERVING_BILLING_INFO'
  | 'INVALID_COUNTRY'
  | 'INVALID_CURRENCY'
  | 'INVALID_TIMEZONE'

/** What a partner asks for. */
export interface LinkRequest {
  /** The app of the partner. */
  appId: string
  user: { id: string; name: string }
  sandbox: boolean
  /** Names the funding instrument that the partner manages. */
  description: string | undefined
  timezone: string | undefined
  currency: string | undefined
  country: string | undefined
}

export interface LinkResult {
  status: LinkStatus
  accountId?: string
  fundingId?: string
}

/** What there is already of what a partner asks for. */
export interface LinkPlan {
  /** Why it cannot be done. */
  refused: LinkStatus | undefined
  account: { id: string; name: string; currency: string | null } | undefined
  /** The advertiser let this partner manage the account before. */
  isLinked: boolean
  /** The instrument of that name; without a name the newest that a partner manages. */
  funding: { id: string; currency: string } | undefined
}

const accountOf = statement(
  'ads_partner_account',
  { id: 'int8', name: 'text', currency: 'text?', approval_status: 'text', linked: 'bool' },
  `select a.id, a.name, a.currency, a.approval_status,
          exists (select from ads_partner_link l where l.account_id = a.id and l.app_id = $3) as linked
     from ads_promotable_user p join ads_account a on a.id = p.account_id
    where p.user_id = $1 and p.promotable_user_type = 'FULL' and not p.deleted and not a.deleted and a.sandbox = $2
    order by exists (select from ads_funding_instrument f
                      where f.account_id = a.id and f.type = 'PARTNER_MANAGED' and not f.deleted) desc, a.id
    limit 1`,
)
const managedFunding = statement(
  'ads_partner_funding',
  { id: 'int8', currency: 'text' },
  `select id, currency from ads_funding_instrument
    where account_id = $1 and type = 'PARTNER_MANAGED' and not deleted and ($2::text is null or description = $2)
    order by id desc limit 1`,
)
const anyCurrency = statement(
  'ads_partner_any_currency',
  { currency: 'text' },
  'select currency from ads_funding_instrument where account_id = $1 order by id limit 1',
)
const pauseManaged = statement(
  'ads_partner_funding_pause',
  {},
  `update ads_funding_instrument set entity_status = 'PAUSED', updated_at = $2
    where account_id = $1 and type = 'PARTNER_MANAGED' and not deleted and entity_status = 'ACTIVE'`,
)
const accountNote = statement(
  'ads_partner_account_note',
  {},
  'update ads_account set country = $2, currency = $3 where id = $1',
)
const linkAdd = statement(
  'ads_partner_link_add',
  {},
  'insert into ads_partner_link (account_id, app_id, linked_at) values ($1, $2, $3) on conflict do nothing',
)
const userLock = statement('ads_partner_user_lock', {}, 'select from user_account where id = $1 for no key update')

const countries = new Set(COUNTRY_NAMES.map(({ code }) => code))

/** The first value that is not valid. A new account needs all of them. */
function invalidValue({ timezone, currency, country }: LinkRequest, isNew: boolean): LinkStatus | undefined {
  if (country === undefined ? isNew : !countries.has(country)) return 'INVALID_COUNTRY'
  if (currency === undefined ? isNew : !CURRENCIES.includes(currency)) return 'INVALID_CURRENCY'
  if (timezone === undefined ? isNew : !isTimeZone(timezone)) return 'INVALID_TIMEZONE'
  return undefined
}

/** What linking would find and do. */
export async function planLink(db: Db, request: LinkRequest): Promise<LinkPlan> {
  const account = await accountOf.first(db, request.user.id, request.sandbox, request.appId)
  const refused =
    account && account.approval_status !== 'ACCEPTED' ? 'ACCOUNT_INELIGIBLE' : invalidValue(request, !account)
  const funding = account && (await managedFunding.first(db, account.id, request.description ?? null))
  return { refused, account, isLinked: account?.linked ?? false, funding }
}

/** Links the account of a user to a partner, and makes what is missing of account and funding. Doing it again changes nothing. */
export const linkAccount = (runtime: Runtime, request: LinkRequest): Promise<LinkResult> =>
  change(runtime, async (tx, invalidate) => {
    await userLock.count(tx, request.user.id)
    const { refused, account, funding } = await planLink(tx, request)
    if (refused) return { status: refused, accountId: account?.id }
    const { user, sandbox, timezone, country, currency, description } = request
    const draft = { ownerUserId: user.id, sandbox, name: user.name, timezone }
    const accountId = account?.id ?? (await createAccount(tx, invalidate, runtime, draft))
    if (!account) await accountNote.count(tx, accountId, country ?? null, currency ?? null)
    await linkAdd.count(tx, accountId, request.appId, new Date(runtime.clock.now()))
    if (funding) return { status: 'OK', accountId, fundingId: funding.id }
    if (description === undefined) return { status: 'INCOMPLETE_SERVING_BILLING_INFO', accountId }
    await lockAccount(tx, accountId)
    await pauseManaged.count(tx, accountId, wholeSecond(runtime.clock.now()))
    const money = account?.currency ?? (await currencyOf(tx, accountId)) ?? currency ?? 'USD'
    // The partner says how much it pays; until then nothing can be spent.
    const instrument = { type: 'PARTNER_MANAGED', currency: money, description, fundedMicros: 0 }
    return { status: 'OK', accountId, fundingId: await createFundingInstrument(tx, runtime, accountId, instrument) }
  })

const currencyOf = async (tx: Tx, accountId: string): Promise<string | undefined> =>
  (await anyCurrency.first(tx, accountId))?.currency
