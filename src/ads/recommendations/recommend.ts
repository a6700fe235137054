import { createHash } from 'node:crypto'
import { groupedBy } from '../../process/grouped-by.ts'
import { idAt } from '../../process/ids.ts'
import type { Db } from '../../storage/database.ts'
import { type RowOf, statement } from '../../storage/statement.ts'
import { showTime } from '../kit/times.ts'
import { toBase36 } from '../kit/values.ts'
import type { ProposedChange } from './recommendation.schema.ts'

const DAY_MS = 24 * 3600_000
const SOON_MS = 7 * DAY_MS
const LONGER_MS = 30 * DAY_MS
const MOST_LINE_ITEMS = 1_000
const MOST_CRITERIA = 5_000

const LINE_ITEM_STATE = {
  funding_instrument_id: 'int8',
  campaign_id: 'int8',
  campaign_name: 'text',
  campaign_status: 'text',
  line_item_id: 'int8',
  name: 'text?',
  entity_status: 'text',
  product_type: 'text',
  placements: 'text[]',
  end_time: 'timestamptz?',
  criteria: 'int8',
  promoted: 'int8',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const
type LineItemState = RowOf<typeof LINE_ITEM_STATE>

// Line items that have not ended, with an active funding instrument.
const lineItemStates = statement(
  'ads_recommendation_line_items',
  LINE_ITEM_STATE,
  `select c.funding_instrument_id, c.id as campaign_id, c.name as campaign_name, c.entity_status as campaign_status,
          l.id as line_item_id, l.name, l.entity_status, l.product_type, l.placements, l.end_time,
          (select count(*) from ads_targeting_criterion t where t.line_item_id = l.id and not t.deleted) as criteria,
          (select count(*) from ads_promoted_post b where b.line_item_id = l.id and not b.deleted) as promoted,
          greatest(c.created_at, l.created_at) as created_at, greatest(c.updated_at, l.updated_at) as updated_at
     from ads_funding_instrument f
     join ads_campaign c on c.funding_instrument_id = f.id join ads_line_item l on l.campaign_id = c.id
    where f.account_id = $1 and not f.deleted and f.entity_status = 'ACTIVE' and f.start_time <= $2 and (f.end_time is null or f.end_time > $2)
      and not c.deleted and c.entity_status <> 'DRAFT' and not l.deleted and l.entity_status <> 'DRAFT' and (l.end_time is null or l.end_time > $2)
    order by f.id, c.id, l.id limit $3`,
)
const liveCriteria = statement(
  'ads_recommendation_criteria',
  { id: 'int8', line_item_id: 'int8', targeting_type: 'text', targeting_value: 'text', operator_type: 'text' },
  `select id, line_item_id, targeting_type, targeting_value, operator_type from ads_targeting_criterion
    where line_item_id = any($1::bigint[]) and not deleted order by id limit $2`,
)
// The FULL promotable user of the account, and their recent post with the most likes and reposts.
const promotedUser = statement(
  'ads_recommendation_user',
  { user_id: 'int8', post_id: 'int8?' },
  `select u.user_id, (select p.id from post p join post_metrics m on m.post_id = p.id
                       where p.author_id = u.user_id and p.id > $2 and p.reposted_post_id is null and p.in_reply_to_post_id is null
                         and not p.superseded and not p.nullcast
                       order by m.like_count + m.repost_count desc, p.id desc limit 1) as post_id
     from ads_promotable_user u where u.account_id = $1 and u.promotable_user_type = 'FULL' and not u.deleted`,
)

/** Proposed changes that would improve the campaigns of a funding instrument. */
export interface Recommendation {
  /** Always the same for a funding instrument. */
  id: string
  fundingInstrumentId: string
  message: string
  createdAt: Date
  updatedAt: Date
  changes: ProposedChange[]
}

type Finding = 'paused' | 'ends soon' | 'no targeting' | 'no creative'

/** The recommendations for an account in its present state, at most one for each funding instrument. */
export async function recommend(db: Db, accountId: string, now: number): Promise<Recommendation[]> {
  const moment = new Date(now)
  const [states, user] = await Promise.all([
    lineItemStates.all(db, accountId, moment, MOST_LINE_ITEMS),
    promotedUser.first(db, accountId, idAt(now - LONGER_MS)),
  ])
  const found = states
    .map((state) => ({ state, findings: findingsOf(state, now, user?.post_id ?? null) }))
    .filter(({ findings }) => findings.length > 0)
  if (found.length === 0) return []
  const ids = found.map(({ state }) => state.line_item_id)
  const criteria = groupedBy(await liveCriteria.all(db, ids, MOST_CRITERIA), (row) => row.line_item_id)
  const byFunding = groupedBy(found, ({ state }) => state.funding_instrument_id)
  return [...byFunding].map(([fundingInstrumentId, items]) => ({
    id: recommendationId(fundingInstrumentId),
    fundingInstrumentId,
    message: messageOf(items.flatMap((item) => item.findings)),
    createdAt: newest(items.map((item) => item.state.created_at)),
    updatedAt: newest(items.map((item) => item.state.updated_at)),
    changes: campaignChanges(items, criteria, user, now),
  }))
}

function recommendationId(fundingInstrumentId: string): string {
  const digest = createHash('sha1').update(`recommendation:${fundingInstrumentId}`).digest('hex')
  return BigInt(`0x${digest.slice(0, 15)}`).toString()
}

const newest = (times: readonly Date[]): Date => new Date(Math.max(...times.map((time) => time.getTime())))

function findingsOf(state: LineItemState, now: number, bestPost: string | null): Finding[] {
  const searchesOnly = state.placements.length === 1 && state.placements[0] === 'PLATFORM_SEARCH'
  const runs = state.campaign_status === 'ACTIVE' && state.entity_status === 'ACTIVE'
  return [
    ...(state.campaign_status === 'PAUSED' && state.entity_status === 'ACTIVE' ? ['paused' as const] : []),
    ...(runs && state.end_time && state.end_time.getTime() - now <= SOON_MS ? ['ends soon' as const] : []),
    ...(Number(state.criteria) === 0 && !searchesOnly ? ['no targeting' as const] : []),
    ...(state.product_type === 'PROMOTED_POSTS' && Number(state.promoted) === 0 && bestPost
      ? ['no creative' as const]
      : []),
  ]
}

const MESSAGES: Record<Finding, [one: string, many: string]> = {
  paused: ['1 active line item is in a paused campaign', 'active line items are in paused campaigns'],
  'ends soon': ['1 line item ends within 7 days', 'line items end within 7 days'],
  'no targeting': ['1 line item targets everybody worldwide', 'line items target everybody worldwide'],
  'no creative': ['1 line item has nothing to show', 'line items have nothing to show'],
}

function messageOf(findings: readonly Finding[]): string {
  const parts = (Object.keys(MESSAGES) as Finding[]).flatMap((kind) => {
    const count = findings.filter((item) => item === kind).length
    return count === 0 ? [] : [count === 1 ? MESSAGES[kind][0] : `${count} ${MESSAGES[kind][1]}`]
  })
  return `${parts.join('; ')}.`
}

interface Found {
  state: LineItemState
  findings: Finding[]
}
type CriteriaByLineItem = Map<
  string,
  { id: string; targeting_type: string; targeting_value: string; operator_type: string }[]
>
type PromotedUser = { user_id: string; post_id: string | null } | undefined

/** The tree of proposed changes: campaigns, their line items, and the targeting and posts of those. */
function campaignChanges(
  items: Found[],
  criteria: CriteriaByLineItem,
  user: PromotedUser,
  now: number,
): ProposedChange[] {
  return [...groupedBy(items, ({ state }) => state.campaign_id)].map(([campaignId, own]) => {
    const { campaign_name: name, campaign_status: status } = own[0]!.state
    const isResumed = own.some(({ findings }) => findings.includes('paused'))
    return {
      entity_type: 'campaigns',
      operation_type: isResumed ? 'Update' : null,
      params: { campaign_id: toBase36(campaignId), name, paused: isResumed ? false : status === 'PAUSED' },
      dependent_entities: own.map((item) => lineItemChange(item, criteria, user, now)),
    }
  })
}

function lineItemChange(
  { state, findings }: Found,
  criteria: CriteriaByLineItem,
  user: PromotedUser,
  now: number,
): ProposedChange {
  const lineItemId = toBase36(state.line_item_id)
  const isLonger = findings.includes('ends soon')
  const end = isLonger ? new Date(Math.max(state.end_time!.getTime(), now) + LONGER_MS) : state.end_time
  const below: ProposedChange[] = (criteria.get(state.line_item_id) ?? []).map((row) => ({
    entity_type: 'targeting_criteria',
    operation_type: null,
    params: {
      targeting_criterion_id: toBase36(row.id),
      line_item_id: lineItemId,
      // In the version of this operation, exclusions have types of their own.
      targeting_type: row.operator_type === 'NE' ? `NEGATIVE_${row.targeting_type}` : row.targeting_type,
      targeting_value: row.targeting_value,
    },
    dependent_entities: [],
  }))
  if (findings.includes('no targeting') && user)
    below.push({
      entity_type: 'targeting_criteria',
      operation_type: 'Create',
      params: {
        line_item_id: lineItemId,
        targeting_type: 'SIMILAR_TO_FOLLOWERS_OF_USER',
        targeting_value: user.user_id,
      },
      dependent_entities: [],
    })
  if (findings.includes('no creative') && user?.post_id)
    below.push({
      entity_type: 'promoted_posts',
      operation_type: 'Create',
      params: { line_item_id: lineItemId, post_ids: [user.post_id], display_properties: [] },
      dependent_entities: [],
    })
  return {
    entity_type: 'line_items',
    operation_type: isLonger ? 'Update' : null,
    params: {
      line_item_id: lineItemId,
      name: state.name,
      paused: state.entity_status === 'PAUSED',
      include_sentiment: 'POSITIVE_ONLY',
      end_time: end && showTime(end),
    },
    dependent_entities: below,
  }
}
