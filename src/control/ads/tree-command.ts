import { campaigns } from '../../ads/campaigns/campaign.entity.ts'
import { fundingInstruments } from '../../ads/campaigns/funding-instrument.entity.ts'
import { lineItems } from '../../ads/campaigns/line-item.entity.ts'
import { effectiveLineItemStatus, readLineItemReasons } from '../../ads/campaigns/serving-blocks.ts'
import { mediaCreatives } from '../../ads/creatives/media-creative.entity.ts'
import { promotedAccounts } from '../../ads/creatives/promoted-account.entity.ts'
import { promotedPosts } from '../../ads/creatives/promoted-post.entity.ts'
import type { FilterUse, RecordsOf } from '../../ads/kit/entity.ts'
import { likePrefix } from '../../ads/kit/list-records.ts'
import { parseBase36, toBase36 } from '../../ads/kit/values.ts'
import { closed, Type, words } from '../../api-kit/declaring/schema.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { groupedBy } from '../../process/grouped-by.ts'
import { defineCommand } from '../command.ts'
import { pageOf } from '../listeners/webhook-commands.ts'
import { AccountId, findAccount } from './find-account.ts'

const optional = Type.Optional
const CAMPAIGNS = 20
const INSTRUMENTS = 200
/** A campaign has at most 100 line items. */
const ITEMS = 100 * CAMPAIGNS
const CREATIVES = 2_000

type Campaign = RecordsOf<typeof campaigns>
type LineItem = RecordsOf<typeof lineItems>

const live: FilterUse = { name: 'tree live', sql: (placeholder) => `r.deleted <> ${placeholder}::bool`, value: true }
const among = (column: string, ids: readonly string[]): FilterUse => ({
  name: `tree ${column}`,
  sql: (placeholder) => `r.${column} = any(${placeholder}::bigint[])`,
  value: [...ids],
})

/** What a line item shows, of each kind in one statement. */
async function readCreatives({ database, clock }: Runtime, owner: string, lineItemIds: readonly string[]) {
  const query = {
    owner,
    filters: [among('line_item_id', lineItemIds), live],
    sorts: [],
    after: undefined,
    limit: CREATIVES + 1,
  }
  const [posts, accounts, media] = await Promise.all([
    promotedPosts.sql.list(database, query),
    promotedAccounts.sql.list(database, query),
    mediaCreatives.sql.list(database, query),
  ])
  const now = clock.now()
  const shown = [
    ...posts.map((item) => ({ kind: 'promoted_post', of: item.line_item_id, ...promotedPosts.toReply(item, now) })),
    ...accounts.map((item) => ({
      kind: 'promoted_account',
      of: item.line_item_id,
      ...promotedAccounts.toReply(item, now),
    })),
    ...media.map((item) => ({ kind: 'media_creative', of: item.line_item_id, ...mediaCreatives.toReply(item, now) })),
  ] as { kind: string; of: string; entity_status: string }[]
  const isCut = [posts, accounts, media].some((items) => items.length > CREATIVES)
  return { byLineItem: groupedBy(shown, (item) => item.of), isCut }
}

type Creatives = Awaited<ReturnType<typeof readCreatives>>['byLineItem']

function showLineItem(
  item: LineItem,
  campaign: Campaign,
  creatives: Creatives,
  reasons: readonly string[],
  now: number,
) {
  const own = creatives.get(item.id) ?? []
  return {
    ...lineItems.toReply(item, now),
    effective_status: effectiveLineItemStatus(item.entity_status, campaign.entity_status, reasons),
    reasons_not_servable: reasons,
    creatives: own.map(({ of: _lineItem, ...creative }) => creative),
  }
}

/** The campaigns of an account with everything below them, as the interface shows it, and why something does not serve. */
export const adsTree = defineCommand(
  'ads.tree',
  closed({
    account: AccountId,
    q: optional(Type.String({ minLength: 1, maxLength: 255 })),
    entity_status: optional(words(['ACTIVE', 'PAUSED', 'DRAFT'])),
    after: optional(Type.String({ pattern: '^[0-9a-z]{1,13}$' })),
    limit: optional(Type.Integer({ minimum: 1, maximum: CAMPAIGNS })),
  }),
  async (runtime, args) => {
    const { database } = runtime
    const now = runtime.clock.now()
    const owner = await findAccount(runtime, args.account)
    const limit = args.limit ?? CAMPAIGNS
    const filters = [live]
    if (args.q !== undefined)
      filters.push({
        name: 'tree q',
        sql: (placeholder) => `lower(r.name) like ${placeholder}::text`,
        value: `%${likePrefix(args.q)}%`,
      })
    if (args.entity_status !== undefined)
      filters.push({
        name: 'tree status',
        sql: (placeholder) => `r.entity_status = ${placeholder}::text`,
        value: args.entity_status,
      })
    const all = { sorts: [], after: undefined }
    const [instruments, found] = await Promise.all([
      fundingInstruments.sql.list(database, { ...all, owner, filters: [live], limit: INSTRUMENTS }),
      campaigns.sql.list(database, { ...all, owner, filters, after: readAfter(args.after), limit: limit + 1 }),
    ])
    const { rows, next } = pageOf(found, limit, (row) => toBase36(row.id))
    const ids = rows.map((row) => row.id)
    const items = await lineItems.sql.list(database, {
      ...all,
      owner,
      filters: [among('campaign_id', ids), live],
      limit: ITEMS,
    })
    const itemIds = items.map((item) => item.id)
    const [{ byLineItem, isCut }, reasons] = await Promise.all([
      readCreatives(runtime, owner, itemIds),
      readLineItemReasons(database, itemIds, now),
    ])
    const byCampaign = groupedBy(items, (item) => item.campaign_id)
    return {
      account: args.account,
      funding_instruments: instruments.map((item) => fundingInstruments.toReply(item, now)),
      campaigns: rows.map((campaign) => ({
        ...campaigns.toReply(campaign, now),
        line_items: (byCampaign.get(campaign.id) ?? []).map((item) =>
          showLineItem(item, campaign, byLineItem, reasons.get(item.id) ?? [], now),
        ),
      })),
      // More creatives than a page shows.
      ...(isCut ? { creatives_cut: true } : {}),
      next,
    }
  },
)

function readAfter(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined
  const id = parseBase36(text)
  if (id === undefined) throw invalidParameter('after', text, 'after must be the next of an earlier answer.')
  return [id]
}
