import { reachedAudiences } from '../../ads/audiences/reached-audience.entity.ts'
import { lineItems } from '../../ads/campaigns/line-item.entity.ts'
import { parseBase36 } from '../../ads/kit/values.ts'
import { targetingCriteria } from '../../ads/targeting/targeting-criterion.entity.ts'
import { closed } from '../../api-kit/declaring/schema.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { statement } from '../../storage/statement.ts'
import { defineCommand } from '../command.ts'
import { AccountId, findAccount } from './find-account.ts'

const AUDIENCES = 200
const CRITERIA = 1_000

/** The catalogs of the users of an account, with their feeds and the last run of each. */
const catalogsOfAccount = statement(
  'control_ads_catalogs_of_account',
  { id: 'int8', name: 'text', username: 'text', sandbox: 'bool', products: 'int4', sets: 'int4', feeds: 'jsonb' },
  `select c.id, c.name, u.username, c.sandbox,
          (select count(*)::int from (select from ads_product p where p.catalog_id = c.id limit 100000) n) as products,
          (select count(*)::int from ads_product_set s where s.catalog_id = c.id) as sets,
          coalesce((select jsonb_agg(jsonb_build_object('id', f.id::text, 'feed_url', f.feed_url, 'feed_format', f.feed_format,
                     'frequency', f.frequency, 'last_run', (
                       select jsonb_build_object('started_at', r.started_at, 'finished_at', r.finished_at, 'outcome', r.outcome,
                                'problem', r.problem, 'created', r.created, 'updated', r.updated, 'unchanged', r.unchanged,
                                'failed', r.failed, 'faults', r.faults)
                         from ads_feed_run r where r.feed_id = f.id order by r.id desc limit 1)) order by f.id)
                      from ads_scheduled_feed f where f.catalog_id = c.id), '[]') as feeds
     from ads_account a join ads_account_user m on m.account_id = a.id join user_account u on u.id = m.user_id
     join ads_product_catalog c on c.user_id = m.user_id and c.sandbox = a.sandbox
    where a.id = $1 order by c.id limit 100`,
)

/** An account with its audiences and their sizes, and the catalogs of its users with what went wrong with their feeds. */
export const accountShow = defineCommand(
  'ads.account.show',
  closed({ account: AccountId }),
  async (runtime, { account }) => {
    const { database } = runtime
    const now = runtime.clock.now()
    const owner = await findAccount(runtime, account)
    const live = { name: 'show live', sql: (placeholder: string) => `r.deleted <> ${placeholder}::bool`, value: true }
    const query = { owner, filters: [live], sorts: [], after: undefined, limit: AUDIENCES }
    const [audiences, catalogs] = await Promise.all([
      reachedAudiences.sql.list(database, query),
      catalogsOfAccount.all(database, owner),
    ])
    return {
      account,
      audiences: audiences.map((item) => reachedAudiences.toReply(item, now)),
      catalogs,
    }
  },
)

/** A line item with the criteria of its audience. */
export const lineItemShow = defineCommand(
  'ads.line_item.show',
  closed({ account: AccountId, line_item: AccountId }),
  async (runtime, args) => {
    const { database } = runtime
    const now = runtime.clock.now()
    const owner = await findAccount(runtime, args.account)
    const id = parseBase36(args.line_item)
    const item = id === undefined ? undefined : (await lineItems.records(database, owner, [id])).get(id)
    if (!item) throw blank(404, `The account ${args.account} has no line item [${args.line_item}].`)
    const filters = [
      {
        name: 'show line item',
        sql: (placeholder: string) => `r.line_item_id = ${placeholder}::bigint`,
        value: item.id,
      },
      { name: 'show live', sql: (placeholder: string) => `r.deleted <> ${placeholder}::bool`, value: true },
    ]
    const query = { owner, filters, sorts: [], after: undefined, limit: CRITERIA }
    const criteria = await targetingCriteria.sql.list(database, query)
    return {
      ...lineItems.toReply(item, now),
      targeting: criteria.map((criterion) => targetingCriteria.toReply(criterion, now)),
    }
  },
)
