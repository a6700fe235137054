import { parseBase36, toBase36 } from '../../src/ads/kit/values.ts'
import { SHOWN_PLACEMENTS, type ShownPlacement } from '../../src/ads/serving/look.ts'
import { OUTCOME, type OutcomeName } from '../../src/ads/serving/outcomes.ts'
import { idAt } from '../../src/process/ids.ts'
import type { AdsScene } from './ads-scene.ts'

/** A promoted post with all that is above it, by their ids in base 36. */
export interface Promotion {
  promoted: string
  lineItem: string
  campaign: string
  funding: string
  account: string
}

/** What happened between a viewer and an ad. */
export interface ServedEvent {
  promotion: Promotion
  viewer: number
  at: string | number
  outcomes: readonly OutcomeName[]
  placement?: ShownPlacement
  charge?: number
}

const HOUR_MS = 3_600_000
const decimal = (id: string): string => parseBase36(id)!

/** A campaign with a line item and a promoted post. */
export async function makePromotion(
  scene: AdsScene,
  above: { campaign?: string; lineItem?: string } = {},
): Promise<Promotion> {
  const campaign = above.campaign ?? (await scene.campaign())
  const lineItem = above.lineItem ?? (await scene.lineItem({ campaign_id: campaign }))
  const { runtime } = scene.server
  const id = runtime.ids.next()
  // Which post is promoted does not matter to what is counted.
  await runtime.database.query({
    text: `insert into ads_promoted_post (id, account_id, line_item_id, post_id, entity_status, approval_status, created_at, updated_at)
           values ($1, $2, $3, $1, 'ACTIVE', 'ACCEPTED', '2026-01-01', '2026-01-01')`,
    values: [id, decimal(scene.account), decimal(lineItem)],
  })
  return { promoted: toBase36(id), lineItem, campaign, funding: scene.funding, account: scene.account }
}

const levelsOf = (item: Promotion) =>
  [item.promoted, item.lineItem, item.campaign, item.funding, item.account].map(decimal)

let sequence = 0

/** Stores events and the counts of their hours, as the ad server does. */
export async function serve(scene: AdsScene, events: readonly ServedEvent[]): Promise<void> {
  const { database } = scene.server.runtime
  const hours = new Map<string, Record<string, string | number>>()
  const rows = events.map((event) => {
    const at = new Date(event.at).getTime()
    const placement = SHOWN_PLACEMENTS.indexOf(event.placement ?? 'PLATFORM_TIMELINE')
    for (const entity of levelsOf(event.promotion)) {
      const hour = new Date(Math.floor(at / HOUR_MS) * HOUR_MS).toISOString()
      const key = `${entity} ${hour} ${placement}`
      const counts = hours.get(key) ?? { entity_id: entity, hour, placement }
      hours.set(key, counts)
      for (const name of event.outcomes) counts[name] = Number(counts[name] ?? 0) + 1
      counts.billed_charge = Number(counts.billed_charge ?? 0) + (event.charge ?? 0)
      const iso = new Date(at).toISOString()
      counts.first_at = [String(counts.first_at ?? iso), iso].sort()[0]!
      counts.last_at = [String(counts.last_at ?? iso), iso].sort()[1]!
    }
    return {
      viewer: event.viewer,
      id: idAt(at, 1, sequence++ % 4096),
      campaign_id: decimal(event.promotion.campaign),
      line_item_id: decimal(event.promotion.lineItem),
      promoted_id: decimal(event.promotion.promoted),
      outcomes: event.outcomes.reduce((bits, name) => bits | OUTCOME[name], 0),
      placement,
      charge: event.charge ?? null,
    }
  })
  await database.query({
    text: `insert into ads_event (viewer, id, campaign_id, line_item_id, promoted_id, outcomes, placement, charge)
           select viewer, id, campaign_id, line_item_id, promoted_id, outcomes, placement, charge from jsonb_populate_recordset(null::ads_event, $1::jsonb)`,
    values: [JSON.stringify(rows)],
  })
  const names = [...Object.keys(OUTCOME), 'billed_charge']
  const stored = [...hours.values()].map((row) => ({ ...Object.fromEntries(names.map((name) => [name, 0])), ...row }))
  await database.query({
    text: `insert into ads_hour as h select * from jsonb_populate_recordset(null::ads_hour, $1::jsonb)
           on conflict (entity_id, hour, placement) do update set
           ${names.map((name) => `${name} = h.${name} + excluded.${name}`).join(', ')},
           first_at = least(h.first_at, excluded.first_at), last_at = greatest(h.last_at, excluded.last_at)`,
    values: [JSON.stringify(stored)],
  })
}

/** Somebody who looks, with what is known about them. */
export async function makeViewer(scene: AdsScene, facts: Record<string, string | number> = {}): Promise<number> {
  const names = Object.keys(facts)
  const { rows } = await scene.server.runtime.database.query<{ number: number }>({
    text:
      names.length === 0
        ? 'insert into ads_viewer default values returning number'
        : `insert into ads_viewer (${names.join(', ')}) values (${names.map((_, at) => `$${at + 1}`).join(', ')}) returning number`,
    values: Object.values(facts),
  })
  return rows[0]!.number
}

/** A conversion that an ad led to. */
export interface ServedConversion {
  promotion: Promotion
  metric: string
  at: string
  creditedTo: 'view' | 'engagement'
  tag?: string
  viewer?: number
  assisted?: boolean
  quantity?: number
  amount?: number
  /** When it was told, if later than in its hour. */
  toldAt?: string
}

/** Stores conversions and their counts, as measurement does. */
export async function convertServed(scene: AdsScene, conversions: readonly ServedConversion[]): Promise<void> {
  const { database } = scene.server.runtime
  for (const item of conversions) {
    const at = new Date(item.at).getTime()
    const hour = new Date(Math.floor(at / HOUR_MS) * HOUR_MS).toISOString()
    const [quantity, amount] = [item.quantity ?? 1, item.amount ?? 0]
    await database.query({
      text: `insert into ads_conversion (id, account_id, tag_id, metric, viewer, credited_to, assisted, campaign_id, line_item_id, promoted_id, placement, quantity, amount)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, $11, $12)`,
      values: [
        idAt(at, 2, sequence++ % 4096),
        decimal(item.promotion.account),
        item.tag ?? '1',
        item.metric,
        item.viewer ?? null,
        item.creditedTo,
        item.assisted ?? false,
        decimal(item.promotion.campaign),
        decimal(item.promotion.lineItem),
        decimal(item.promotion.promoted),
        quantity,
        amount,
      ],
    })
    const kind = item.creditedTo
    await database.query({
      text: `insert into ads_conversion_hour as h (entity_id, metric, hour, placement, post_${kind}, assisted, order_quantity_${kind}, sale_amount_${kind})
             select entity, $2, $3, 0, 1, $4, $5, $6 from unnest($1::bigint[]) entity
             on conflict (entity_id, metric, hour, placement) do update set post_${kind} = h.post_${kind} + 1, assisted = h.assisted + excluded.assisted,
             order_quantity_${kind} = h.order_quantity_${kind} + excluded.order_quantity_${kind}, sale_amount_${kind} = h.sale_amount_${kind} + excluded.sale_amount_${kind}`,
      values: [levelsOf(item.promotion), item.metric, hour, item.assisted ? 1 : 0, quantity, amount],
    })
    if (item.toldAt)
      await database.query({
        text: `insert into ads_late_change (entity_id, bucket, placement, first_at, last_at) select entity, $2, 0, $3, $3 from unnest($1::bigint[]) entity`,
        values: [
          levelsOf(item.promotion),
          new Date(Math.floor(new Date(item.toldAt).getTime() / HOUR_MS) * HOUR_MS).toISOString(),
          item.at,
        ],
      })
  }
}
