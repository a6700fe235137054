import { changeFeatures } from '../../../ads/accounts/change-features.ts'
import { createAccount, grantAccess } from '../../../ads/accounts/create-account.ts'
import type { Permission } from '../../../ads/kit/access.ts'
import { isTimeZone } from '../../../ads/kit/local-time.ts'
import { parseBase36, toBase36 } from '../../../ads/kit/values.ts'
import { statement } from '../../../storage/statement.ts'
import type { WorldAdsAccount } from '../things.schema.ts'
import { applyFunding, type FundedAccount } from './apply-funding.ts'
import { type Applying, KeyedIds } from './applying.ts'

const accountsRead = statement(
  'world_ads_accounts_read',
  {
    id: 'int8',
    name: 'text',
    sandbox: 'bool',
    timezone: 'text',
    business_name: 'text?',
    industry_type: 'text?',
    features: 'text[]',
    users: 'jsonb?',
    deleted: 'bool',
  },
  `select a.id, a.name, a.sandbox, a.timezone, a.business_name, a.industry_type, a.features,
          (select jsonb_object_agg(m.user_id::text, m.permissions) from ads_account_user m where m.account_id = a.id) as users,
          a.deleted
     from ads_account a where a.id = any($1::bigint[])`,
)
const accountUpdate = statement(
  'world_ads_account_update',
  {},
  'update ads_account set name = $2, timezone = $3, business_name = $4, industry_type = $5, updated_at = $6 where id = $1',
)
type Row = NonNullable<Awaited<ReturnType<typeof accountsRead.first>>>

/** Creates and changes the advertising accounts of a file, with their users and funding. */
export async function applyAdsAccounts(run: Applying): Promise<void> {
  const drafts = run.world.ads_accounts ?? []
  if (drafts.length === 0) return
  const keyOf = (draft: WorldAdsAccount) => draft.key ?? draft.name
  const given = drafts.map((draft, index) => {
    const id = draft.id === undefined ? run.items.find('ads_account', keyOf(draft))?.id : parseBase36(draft.id)
    if (draft.id !== undefined && id === undefined) run.fault(`ads_accounts[${index}].id`, draft.id, 'is not an id')
    return id
  })
  run.stopOnFaults()
  const rows = await accountsRead.all(
    run.tx,
    given.flatMap((id) => id ?? []),
  )
  const fresh = new KeyedIds(rows.map((row) => row.id))
  const accounts: FundedAccount[] = []
  for (const [index, draft] of drafts.entries()) {
    const where = `ads_accounts[${index}]`
    const owner = run.user(draft.owner, `${where}.owner`)
    const users = (draft.users ?? []).map(({ user, permissions }, at) => ({
      id: run.user(user, `${where}.users[${at}].user`)?.id,
      permissions: [...new Set(permissions as Permission[])],
    }))
    for (const [at, { id: userId }] of users.entries()) {
      const before = users.findIndex((other) => other.id === userId)
      if (userId !== undefined && before < at)
        run.fault(`${where}.users[${at}].user`, draft.users![at]!.user, `${where}.users[${before}] is the same user`)
    }
    const row = rows.find((item) => item.id === given[index])
    const id = row?.id ?? given[index] ?? fresh.of(run.now, 'ads_account', keyOf(draft))
    const same = accounts.findIndex((account) => account.id === id)
    if (same !== -1) run.fault(where, draft.name, `ads_accounts[${same}] is the same account`)
    if (draft.timezone !== undefined && !isTimeZone(draft.timezone))
      run.fault(`${where}.timezone`, draft.timezone, 'is not a name of the IANA time zone database')
    if (row?.deleted) run.fault(`${where}.id`, toBase36(id), 'was deleted, and an id is never used again')
    run.stopOnFaults()
    if (row) await changeAccount(run, draft, row, where)
    else {
      await createAccount(run.tx, run.invalidate, run.runtime, {
        id,
        ownerUserId: owner!.id,
        sandbox: draft.sandbox ?? false,
        name: draft.name,
        ...(draft.timezone ? { timezone: draft.timezone } : {}),
        businessId: draft.business_name ? id : null,
        businessName: draft.business_name ?? null,
        industryType: draft.industry_type ?? null,
        ...(draft.features ? { features: draft.features } : {}),
      })
      run.report.add('created', 'ads account', draft.name)
    }
    const known = (row?.users ?? {}) as Record<string, string[]>
    for (const user of users) {
      const isSame = [...(known[user.id!] ?? [])].sort().join() === [...user.permissions].sort().join()
      if (!isSame) await grantAccess(run.tx, run.invalidate, id, user.id!, user.permissions)
      run.report.add(isSame ? 'unchanged' : 'created', 'ads account user', `${draft.name} ${user.id}`)
    }
    accounts.push({ id, draft, where })
    run.items.keep({ kind: 'ads_account', key: keyOf(draft), id })
  }
  run.stopOnFaults()
  // After all accounts: an instrument can share the credit line of an account that the file names later.
  await applyFunding(run, accounts)
}

async function changeAccount(run: Applying, draft: WorldAdsAccount, row: Row, where: string): Promise<void> {
  if (draft.sandbox !== undefined && draft.sandbox !== row.sandbox)
    run.fault(`${where}.sandbox`, undefined, `the account ${toBase36(row.id)} exists, and this cannot change`)
  const names: string[] = (['name', 'timezone', 'business_name', 'industry_type'] as const).filter(
    (name) => draft[name] !== undefined && draft[name] !== row[name],
  )
  const now = new Date(run.runtime.clock.now())
  if (names.length > 0) {
    const { name, timezone, business_name, industry_type } = { ...row, ...draft }
    await accountUpdate.count(
      run.tx,
      row.id,
      name,
      timezone ?? row.timezone,
      business_name ?? null,
      industry_type ?? null,
      now,
    )
  }
  if (draft.features && [...draft.features].sort().join() !== [...row.features].sort().join()) {
    const remove = row.features.filter((feature) => !(draft.features as string[]).includes(feature))
    await changeFeatures(run.tx, run.invalidate, row.id, { add: draft.features, remove, now })
    names.push('features')
  }
  run.report.add(names.length > 0 ? 'changed' : 'unchanged', 'ads account', `${draft.name}: ${names.join(', ')}`)
}
