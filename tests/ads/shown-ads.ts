import { parseBase36 } from '../../src/ads/kit/values.ts'
import { OUTCOME, type OutcomeName } from '../../src/ads/serving/outcomes.ts'
import { idAt } from '../../src/process/ids.ts'
import type { AdsScene } from './ads-scene.ts'

/** A line item with a promoted post, as ads are shown from it. */
export interface ShownAd {
  campaign: string
  lineItem: string
  promoted: string
  post: string
}

let written = 0

/** Makes a line item that promotes a new post. */
export async function makeAd(
  scene: AdsScene,
  values: Record<string, string> = {},
  post: Record<string, unknown> = {},
): Promise<ShownAd> {
  const campaign = await scene.campaign()
  const lineItem = await scene.lineItem({ campaign_id: campaign, ...values })
  const answer = await scene.server.post('/2/posts', { text: `An ad ${++written}`, ...post }, { user: 'alice' })
  const { id } = answer.body.data
  const [promoted] = await scene.made('promoted_posts', { line_item_id: lineItem, post_ids: id })
  return { campaign, lineItem, promoted: promoted.id, post: id }
}

/** Somebody who can be shown ads: a user, or a device. */
export async function makeViewer(
  scene: AdsScene,
  known: { user?: string; device?: string; locations?: string[] } = {},
): Promise<number> {
  const { rows } = await scene.server.runtime.database.query<{ number: number }>({
    text: 'insert into ads_viewer (user_id, device_hash, locations) values ($1, $2, $3) returning number',
    values: [known.user ? scene.server.userId(known.user) : null, known.device ?? null, known.locations ?? []],
  })
  return rows[0]!.number
}

let events = 0

/** Records that somebody was shown an ad some minutes ago, and what they did at once. Returns the id of the impression. */
export async function showAd(
  scene: AdsScene,
  ad: ShownAd,
  viewer: number,
  { minutesAgo, did = [], placement = 0 }: { minutesAgo: number; did?: OutcomeName[]; placement?: number },
): Promise<string> {
  const { clock, database } = scene.server.runtime
  const id = idAt(clock.now() - minutesAgo * 60_000, 7, ++events % 4096)
  const outcomes = did.reduce((bits, name) => bits | OUTCOME[name], OUTCOME.impressions)
  await database.query({
    text: `insert into ads_event (viewer, id, campaign_id, line_item_id, promoted_id, outcomes, placement)
           values ($1, $2, $3, $4, $5, $6, $7)`,
    values: [
      viewer,
      id,
      ...[ad.campaign, ad.lineItem, ad.promoted].map((item) => parseBase36(item)),
      outcomes,
      placement,
    ],
  })
  return id
}

/** What is counted for records of an account, summed over hours: one line for each record that has counts. */
export async function countsOf(scene: AdsScene, ids: readonly string[], metric: string) {
  const { rows } = await scene.server.runtime.database.query<Record<string, string>>({
    text: `select h.entity_id, sum(post_view)::int as view, sum(post_engagement)::int as engagement, sum(assisted)::int as assisted,
                  sum(order_quantity_view + order_quantity_engagement)::int as items,
                  sum(sale_amount_view + sale_amount_engagement)::float8 as amount
             from ads_conversion_hour h where entity_id = any($1::bigint[]) and metric = $2 group by 1`,
    values: [ids.map((id) => parseBase36(id)), metric],
  })
  const byId = new Map(rows.map(({ entity_id: id, ...counts }) => [id, counts]))
  return ids.map((id) => byId.get(parseBase36(id)!))
}
