import { changeFeatures } from '../../ads/accounts/change-features.ts'
import { addPromotableUser, createAccount, grantAccess } from '../../ads/accounts/create-account.ts'
import { enrolApp } from '../../ads/accounts/enrol-app.ts'
import { FEATURES } from '../../ads/accounts/features.data.ts'
import { createFundingInstrument } from '../../ads/campaigns/create-funding.ts'
import { shareCreditLine } from '../../ads/campaigns/share-credit-line.ts'
import { ALLOWLISTS, PERMISSIONS, type Permission } from '../../ads/kit/access.ts'
import { isTimeZone } from '../../ads/kit/local-time.ts'
import { runTasks } from '../../ads/kit/task.ts'
import { parseBase36, toBase36 } from '../../ads/kit/values.ts'
import { CURRENCIES } from '../../ads/money.ts'
import { adsTasks } from '../../ads/tasks.ts'
import { closed, Type, words } from '../../api-kit/declaring/schema.ts'
import { change } from '../../api-kit/runtime.ts'
import { invalidParameter, invalidRequest } from '../../api-kit/writing/problems.ts'
import { statement } from '../../storage/statement.ts'
import { type Command, defineCommand, findApp, findUser, NameOrId } from '../command.ts'
import { adsCatalogCommands } from './catalog-commands.ts'
import { AccountId, findAccount } from './find-account.ts'
import { adsPartnerCommands } from './partner-commands.ts'
import { publisherSet } from './publisher-command.ts'
import { accountShow, lineItemShow } from './show-commands.ts'
import { adsStatistics } from './statistics-command.ts'
import { adsTree } from './tree-command.ts'

const optional = Type.Optional
const Text = Type.String({ minLength: 1, maxLength: 255 })

const capSet = statement('control_ads_campaign_cap', {}, 'update ads_account set campaign_cap = $2 where id = $1')
const accountList = statement(
  'control_ads_account_list',
  { id: 'int8', name: 'text', sandbox: 'bool', timezone: 'text', features: 'text[]', deleted: 'bool', users: 'jsonb?' },
  `select a.id, a.name, a.sandbox, a.timezone, a.features, a.deleted,
          (select jsonb_object_agg(u.username, m.permissions) from ads_account_user m join user_account u on u.id = m.user_id where m.account_id = a.id) as users
     from ads_account a order by a.id limit 1000`,
)

const enrol = defineCommand(
  'ads.enrol',
  closed({
    app: Type.String(),
    level: optional(words(['standard', 'conversion-only', 'none'])),
    allowlists: optional(Type.Array(words(ALLOWLISTS))),
  }),
  async (runtime, { app, level = 'standard', allowlists = [] }) => {
    const { id } = await findApp(runtime, app)
    await change(runtime, (tx, invalidate) => enrolApp(tx, invalidate, id, { level, allowlists }))
    return { app: id, level, allowlists }
  },
)

const accountCreate = defineCommand(
  'ads.account.create',
  closed({
    owner: NameOrId,
    name: optional(Text),
    sandbox: optional(Type.Boolean()),
    timezone: optional(Text),
    business: optional(AccountId),
    business_name: optional(Text),
    features: optional(Type.Array(words(FEATURES))),
  }),
  async (runtime, args) => {
    if (args.timezone !== undefined && !isTimeZone(args.timezone))
      throw invalidParameter(
        'timezone',
        args.timezone,
        `timezone [${args.timezone}] is not a name of the IANA time zone database`,
      )
    const owner = await findUser(runtime, args.owner, 'owner')
    const id = await change(runtime, (tx, invalidate) =>
      createAccount(tx, invalidate, runtime, {
        ownerUserId: owner.id,
        sandbox: args.sandbox ?? false,
        name: args.name ?? `Account of ${owner.username}`,
        ...(args.timezone ? { timezone: args.timezone } : {}),
        businessId: args.business ? (parseBase36(args.business) ?? null) : null,
        businessName: args.business_name ?? null,
        ...(args.features ? { features: args.features } : {}),
      }),
    )
    return { id: toBase36(id), owner: owner.username }
  },
)

// Roles that may also get the permission to write posts for the advertiser.
const COMPOSERS: Permission[] = ['ACCOUNT_ADMIN', 'AD_MANAGER', 'CREATIVE_MANAGER']

const grant = defineCommand(
  'ads.account.grant',
  closed({ account: AccountId, user: NameOrId, permissions: Type.Array(words(PERMISSIONS)) }),
  async (runtime, args) => {
    const account = await findAccount(runtime, args.account)
    const user = await findUser(runtime, args.user, 'user')
    if (args.permissions.includes('POST_COMPOSER') && !args.permissions.some((item) => COMPOSERS.includes(item)))
      throw invalidRequest([
        {
          parameters: { permissions: args.permissions },
          message: `POST_COMPOSER can only be granted together with one of ${COMPOSERS.join(', ')}`,
        },
      ])
    await change(runtime, (tx, invalidate) => grantAccess(tx, invalidate, account, user.id, args.permissions))
    return { account: args.account, user: user.username, permissions: args.permissions }
  },
)

const settings = defineCommand(
  'ads.account.set',
  closed({
    account: AccountId,
    add_features: optional(Type.Array(words(FEATURES))),
    remove_features: optional(Type.Array(words(FEATURES))),
    campaign_cap: optional(Type.Integer({ minimum: 1, maximum: 8000 })),
    promotable_user: optional(NameOrId),
  }),
  async (runtime, args) => {
    const account = await findAccount(runtime, args.account)
    const promotable = args.promotable_user
      ? await findUser(runtime, args.promotable_user, 'promotable_user')
      : undefined
    return change(runtime, async (tx, invalidate) => {
      const now = new Date(runtime.clock.now())
      if (args.campaign_cap !== undefined) await capSet.count(tx, account, args.campaign_cap)
      if (promotable) await addPromotableUser(tx, runtime, account, promotable.id, 'REPOSTS_ONLY')
      const change = { add: args.add_features ?? [], remove: args.remove_features ?? [], now }
      return { account: args.account, features: await changeFeatures(tx, invalidate, account, change) }
    })
  },
)

const fund = defineCommand(
  'ads.funding.create',
  closed({
    account: AccountId,
    type: optional(words(['AGENCY_CREDIT_LINE', 'CREDIT_CARD', 'CREDIT_LINE', 'INSERTION_ORDER', 'PARTNER_MANAGED'])),
    currency: optional(words(CURRENCIES)),
    amount_local_micro: optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    shares: optional(AccountId),
  }),
  async (runtime, args) => {
    const { account, type = 'CREDIT_LINE', currency = 'USD', amount_local_micro: amount = null, shares } = args
    const owner = await findAccount(runtime, account)
    if (shares !== undefined) {
      for (const name of ['type', 'currency', 'amount_local_micro'] as const)
        if (args[name] !== undefined)
          throw invalidParameter(name, String(args[name]), `${name} cannot be used together with shares`)
      const made = await change(runtime, (tx) => shareCreditLine(tx, runtime, owner, shares))
      return { ...made, id: toBase36(made.id), type }
    }
    const isFunded = type === 'INSERTION_ORDER' || type === 'PARTNER_MANAGED'
    const draft = { type, currency, ...(isFunded ? { fundedMicros: amount } : { creditLimitMicros: amount }) }
    return {
      id: toBase36(await change(runtime, (tx) => createFundingInstrument(tx, runtime, owner, draft))),
      type,
      currency,
    }
  },
)

export const adsAccountList = defineCommand('ads.account.list', closed({}), async (runtime) =>
  (await accountList.all(runtime.database)).map((row) => ({ ...row, id: toBase36(row.id) })),
)

const work = defineCommand('ads.work', closed({}), (runtime) => runTasks(runtime, adsTasks))

/** Commands for the advertising interface. */
export const adsControlCommands: Command[] = [
  enrol,
  accountCreate,
  grant,
  settings,
  fund,
  adsAccountList,
  adsTree,
  accountShow,
  lineItemShow,
  adsStatistics,
  work,
  publisherSet,
  ...adsCatalogCommands,
  ...adsPartnerCommands,
]
