import { toBase36 } from '../../../ads/kit/values.ts'
import { statement } from '../../../storage/statement.ts'
import type { WorldAdsAccount, WorldFunding } from '../things.schema.ts'
import type { Exporting } from './exporting.ts'

const accountsAll = statement(
  'export_ads_accounts',
  {
    id: 'int8',
    name: 'text',
    sandbox: 'bool',
    timezone: 'text',
    business_name: 'text?',
    industry_type: 'text?',
    features: 'text[]',
    users: 'jsonb?',
  },
  `select a.id, a.name, a.sandbox, a.timezone, a.business_name, a.industry_type, a.features,
          (select jsonb_agg(jsonb_build_object('user', m.user_id::text, 'permissions', m.permissions)
             order by 'ACCOUNT_ADMIN' <> all(m.permissions), m.user_id) from ads_account_user m where m.account_id = a.id) as users
     from ads_account a where not a.deleted order by a.id limit 1000`,
)
// What was spent is that of the credit line where several instruments share one, as everywhere.
const fundingOf = statement(
  'export_ads_funding',
  {
    id: 'int8',
    account_id: 'int8',
    type: 'text',
    currency: 'text',
    amount: 'int8?',
    spent: 'int8',
    credit_line_id: 'int8?',
    description: 'text?',
    entity_status: 'text',
    start_time: 'timestamptz',
    end_time: 'timestamptz?',
    created_at: 'timestamptz',
  },
  `select f.id, f.account_id, f.type, f.currency, coalesce(f.credit_limit_local_micro, f.funded_amount_local_micro) as amount,
          coalesce((select s.spent from ads_spend s where s.entity_id = coalesce(f.credit_line_id, f.id) and s.day = 'infinity'), 0) as spent,
          f.credit_line_id, f.description, f.entity_status, f.start_time, f.end_time, f.created_at
     from ads_funding_instrument f where f.account_id = any($1::bigint[]) and not f.deleted order by f.id`,
)
type Funding = Awaited<ReturnType<typeof fundingOf.all>>[number]

export async function exportAdsAccounts(run: Exporting): Promise<WorldAdsAccount[]> {
  const rows = (await accountsAll.all(run.tx)).filter((row) => row.users !== null)
  const funding = await fundingOf.all(
    run.tx,
    rows.map((row) => row.id),
  )
  const sharedBy = sharedInstruments(funding)
  return rows.map((row): WorldAdsAccount => {
    const users = row.users as { user: string; permissions: string[] }[]
    const instruments = funding.filter((item) => item.account_id === row.id)
    return {
      id: toBase36(row.id),
      name: row.name,
      owner: run.username(users[0]!.user),
      ...(row.sandbox ? { sandbox: true } : {}),
      timezone: row.timezone,
      ...(row.business_name === null ? {} : { business_name: row.business_name }),
      ...(row.industry_type === null ? {} : { industry_type: row.industry_type }),
      features: [...row.features].sort() as WorldAdsAccount['features'],
      users: users.map(({ user, permissions }) => ({
        user: run.username(user),
        permissions: [...permissions].sort(),
      })) as WorldAdsAccount['users'],
      ...(instruments.length > 0
        ? { funding_instruments: instruments.map((item) => exportFunding(item, sharedBy.get(item.id))) }
        : {}),
    }
  })
}

/** Of instruments with one credit line, the first stands for the line; the others share it. */
function sharedInstruments(funding: readonly Funding[]): Map<string, string> {
  const lines = new Map<string, Funding[]>()
  for (const item of funding) {
    if (item.credit_line_id === null) continue
    const line = lines.get(item.credit_line_id)
    if (line) line.push(item)
    else lines.set(item.credit_line_id, [item])
  }
  const shared = new Map<string, string>()
  for (const line of lines.values()) {
    const first = line[0]!
    // An instrument never shares with one of its own account, so those of the first one's account share with another.
    const foreign = line.find((item) => item.account_id !== first.account_id)
    for (const item of line.slice(1)) {
      const other = item.account_id === first.account_id ? foreign : first
      if (other) shared.set(item.id, toBase36(other.id))
    }
  }
  return shared
}

function exportFunding(row: Funding, shares: string | undefined): WorldFunding {
  const own = {
    ...(row.amount === null ? {} : { amount_local_micro: Number(row.amount) }),
    ...(row.spent === '0' ? {} : { spent_local_micro: Number(row.spent) }),
  }
  return {
    id: toBase36(row.id),
    type: row.type as WorldFunding['type'],
    currency: row.currency as WorldFunding['currency'],
    ...(shares === undefined ? own : { shares }),
    ...(row.description === null ? {} : { description: row.description }),
    ...(row.entity_status === 'PAUSED' ? { paused: true } : {}),
    start_time: row.start_time.toISOString(),
    ...(row.end_time === null ? {} : { end_time: row.end_time.toISOString() }),
    created_at: row.created_at.toISOString(),
  }
}
