import { statement } from '../../storage/statement.ts'

/** Changes whenever something that may be shown changed. */
export const inventoryVersion = statement(
  'ads_inventory_version',
  { rows: 'int8', last: 'int8' },
  'select count(*) as rows, coalesce(max(id), 0) as last from ads_inventory_change',
)

/** Older rows are not needed: the number of rows changes, and the inventory is read once more. */
export const inventoryChangesDrop = statement(
  'ads_inventory_changes_drop',
  {},
  'delete from ads_inventory_change where id < (select max(id) - 1000 from ads_inventory_change)',
)

// Sandbox accounts serve nothing, except the one of a dry life ($2), in which no other account serves.
const CAN_SERVE = `l.entity_status = 'ACTIVE' and not l.deleted and (l.end_time is null or l.end_time > $1)
      and c.entity_status = 'ACTIVE' and not c.deleted
      and f.entity_status = 'ACTIVE' and not f.deleted and (f.end_time is null or f.end_time > $1)
      and not a.deleted and a.approval_status = 'ACCEPTED' and case when $2::bigint is null then not a.sandbox else a.sandbox and a.id = $2 end`

const SERVED = `ads_line_item l
     join ads_campaign c on c.id = l.campaign_id
     join ads_funding_instrument f on f.id = c.funding_instrument_id
     join ads_account a on a.id = l.account_id`

/** Line items that may serve now or later, in no order. */
export const servedItems = statement(
  'ads_served_items',
  {
    id: 'int8',
    account_id: 'int8',
    campaign_id: 'int8',
    funding_id: 'int8',
    credit_id: 'int8',
    timezone: 'text',
    currency: 'text',
    objective: 'text',
    goal: 'text?',
    pay_by: 'text?',
    placements: 'text[]',
    audience_expansion: 'text?',
    bid_strategy: 'text?',
    bid_amount: 'int8?',
    standard_delivery: 'bool',
    start_time: 'timestamptz',
    end_time: 'timestamptz?',
    frequency_cap: 'int4?',
    cap_days: 'int4?',
    item_daily: 'int8?',
    item_total: 'int8?',
    campaign_daily: 'int8?',
    campaign_total: 'int8?',
    funding_limit: 'int8?',
  },
  `select l.id, l.account_id, l.campaign_id, f.id as funding_id, coalesce(f.credit_line_id, f.id) as credit_id, a.timezone, f.currency, l.objective, l.goal, l.pay_by, l.placements,
          l.audience_expansion, l.bid_strategy, l.bid_amount_local_micro as bid_amount,
          coalesce(l.standard_delivery, true) and coalesce(c.standard_delivery, true) as standard_delivery,
          greatest(coalesce(l.start_time, f.start_time), f.start_time) as start_time, least(l.end_time, f.end_time) as end_time,
          l.frequency_cap, l.duration_in_days as cap_days,
          l.daily_budget_amount_local_micro as item_daily, l.total_budget_amount_local_micro as item_total,
          c.daily_budget_amount_local_micro as campaign_daily, c.total_budget_amount_local_micro as campaign_total,
          coalesce(f.credit_limit_local_micro, f.funded_amount_local_micro) as funding_limit
     from ${SERVED}
    where ${CAN_SERVE}`,
)

const CAN_BE_SHOWN = `s.entity_status = 'ACTIVE' and s.approval_status = 'ACCEPTED' and not s.deleted`

/** What line items show: posts and accounts. */
export const servedCreatives = statement(
  'ads_served_creatives',
  {
    id: 'int8',
    line_item_id: 'int8',
    post_id: 'int8?',
    user_id: 'int8',
    text: 'text',
    has_link: 'bool',
    has_media: 'bool',
    card: 'text?',
    video_ms: 'int4?',
  },
  `select s.id, s.line_item_id, p.id as post_id, p.author_id as user_id, p.text,
          coalesce(jsonb_array_length(p.entities -> 'urls'), 0) > 0 as has_link, p.media_keys <> '{}' as has_media,
          case when p.card_uri is null then null else coalesce(k.components::text || coalesce(k.slides::text, ''), k.slides::text, '') end as card,
          (select max(m.duration_ms) from media m where m.media_key = any(p.media_keys)) as video_ms
     from ads_promoted_post s
     join post q on q.id = s.post_id
     join post p on p.id = coalesce(q.reposted_post_id, q.id)
     join user_account u on u.id = p.author_id and not u.suspended and not u.protected
     left join ads_card k on k.card_uri = p.card_uri
    where s.line_item_id = any($1::bigint[]) and ${CAN_BE_SHOWN}
   union all
   select s.id, s.line_item_id, null, s.user_id, u.name || ' ' || u.description, false, false, null, null
     from ads_promoted_account s join user_account u on u.id = s.user_id and not u.suspended and not u.protected
    where s.line_item_id = any($1::bigint[]) and ${CAN_BE_SHOWN}`,
)

export const servedCriteria = statement(
  'ads_served_criteria',
  { line_item_id: 'int8', type: 'text', value: 'text', id: 'int8?', operator: 'text' },
  `select line_item_id, targeting_type as type, targeting_value as value, value_id as id, operator_type as operator
     from ads_targeting_criterion where line_item_id = any($1::bigint[]) and not deleted`,
)

/** What records have spent on recent days and in all. */
export const spentBy = statement(
  'ads_spent_by',
  { entity_id: 'int8', day: 'text', spent: 'int8' },
  `select entity_id, day::text as day, spent from ads_spend where entity_id = any($1::bigint[]) and day >= $2::date`,
)

/** Which of some line items may serve at this moment, with their budgets: asked within the transaction that shows something. */
export const stillServed = statement(
  'ads_still_served',
  {
    id: 'int8',
    item_daily: 'int8?',
    item_total: 'int8?',
    campaign_daily: 'int8?',
    campaign_total: 'int8?',
    funding_limit: 'int8?',
    credit_id: 'int8',
    start_time: 'timestamptz',
    frequency_cap: 'int4?',
    cap_days: 'int4?',
    creatives: 'int8[]',
  },
  `select l.id, l.daily_budget_amount_local_micro as item_daily, l.total_budget_amount_local_micro as item_total,
          c.daily_budget_amount_local_micro as campaign_daily, c.total_budget_amount_local_micro as campaign_total,
          coalesce(f.credit_limit_local_micro, f.funded_amount_local_micro) as funding_limit, coalesce(f.credit_line_id, f.id) as credit_id,
          greatest(coalesce(l.start_time, f.start_time), f.start_time) as start_time, l.frequency_cap, l.duration_in_days as cap_days,
          array(select s.id from ads_promoted_post s where s.line_item_id = l.id and ${CAN_BE_SHOWN}
                union all select s.id from ads_promoted_account s where s.line_item_id = l.id and ${CAN_BE_SHOWN}) as creatives
     from ${SERVED}
    where l.id = any($3::bigint[]) and ${CAN_SERVE}`,
)
