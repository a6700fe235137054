import { change, type Runtime } from '../../api-kit/runtime.ts'
import { asShare, hash, hashText } from '../../process/hash.ts'
import { statement } from '../../storage/statement.ts'
import type { AdsTask } from '../kit/task.ts'
import { hasOutcome } from '../serving/outcomes.ts'
import { type ConversionTag, findTagsOfAccounts } from './conversion-tags.ts'
import { APP_CONVERSIONS, WEB_CONVERSIONS } from './conversion-types.data.ts'
import { recordConversions, withFreshIds } from './record-conversions.ts'

/** An ad that a persona was shown, with what they did at once. */
export interface ClickedAd {
  viewer: number
  impressionId: string
  accountId: string
  /** Bits of OUTCOME. */
  outcomes: number
  /** Product time. */
  at: number
}

/** How likely each event is after a click, and how many hours it takes on average. */
interface Habit {
  share: number
  hours: number
  /** Whether money is spent. */
  isPaid?: boolean
}

const SELDOM: Habit = { share: 0.03, hours: 12 }

const AFTER_LINK: Record<string, Habit> = {
  [WEB_CONVERSIONS.SITE_VISIT]: { share: 0.8, hours: 0.02 },
  [WEB_CONVERSIONS.CONTENT_VIEW]: { share: 0.5, hours: 0.1 },
  [WEB_CONVERSIONS.SEARCH]: { share: 0.15, hours: 0.2 },
  [WEB_CONVERSIONS.ADD_TO_CART]: { share: 0.12, hours: 1 },
  [WEB_CONVERSIONS.CHECKOUT_INITIATED]: { share: 0.08, hours: 3 },
  [WEB_CONVERSIONS.SIGN_UP]: { share: 0.06, hours: 6 },
  [WEB_CONVERSIONS.PURCHASE]: { share: 0.05, hours: 12, isPaid: true },
  [WEB_CONVERSIONS.SUBSCRIBE]: { share: 0.02, hours: 24, isPaid: true },
}
const AFTER_APP: Record<string, Habit> = {
  [APP_CONVERSIONS.INSTALL]: { share: 0.3, hours: 0.5 },
  [APP_CONVERSIONS.SIGN_UP]: { share: 0.1, hours: 2 },
  [APP_CONVERSIONS.PURCHASE]: { share: 0.04, hours: 24, isPaid: true },
}

const HOUR_MS = 3_600_000
// What has not happened within the longest window is not credited anyway.
const LONGEST_HOURS = 30 * 24
const LEAST_PRICE = 5
const MOST_PRICE = 120

const expectedAdd = statement(
  'ads_expected_conversions_add',
  {},
  `insert into ads_expected_conversion (viewer, impression_id, tag_id, account_id, due_at, amount, currency)
   select e.viewer, e.impression_id, e.tag_id, e.account_id, e.due_at, e.amount,
          (select f.currency from ads_event v join ads_campaign c on c.id = v.campaign_id
             join ads_funding_instrument f on f.id = c.funding_instrument_id where v.viewer = e.viewer and v.id = e.impression_id)
     from jsonb_populate_recordset(null::ads_expected_conversion, $1::jsonb) e
    where exists (select from ads_event v where v.viewer = e.viewer and v.id = e.impression_id)
   on conflict do nothing`,
)

/**
 * Decides what personas will do after they clicked ads, for the event tags that the accounts have. It follows from the seed and
 * the impression alone, so a repeated call decides the same and adds nothing.
 */
export async function expectConversions(runtime: Runtime, seed: number, ads: readonly ClickedAd[]): Promise<number> {
  const clicked = ads.filter((ad) => hasOutcome(ad.outcomes, 'url_clicks') || hasOutcome(ad.outcomes, 'app_clicks'))
  if (clicked.length === 0) return 0
  const tags = await findTagsOfAccounts(runtime.database, [...new Set(clicked.map((ad) => ad.accountId))])
  const rows = clicked.flatMap((ad) =>
    tags.filter((tag) => tag.accountId === ad.accountId).flatMap((tag) => expected(ad, tag, seed) ?? []),
  )
  return rows.length === 0 ? 0 : expectedAdd.count(runtime.database, JSON.stringify(rows))
}

function expected(ad: ClickedAd, tag: ConversionTag, seed: number) {
  const isApp = tag.kind === 'app'
  if (!hasOutcome(ad.outcomes, isApp ? 'app_clicks' : 'url_clicks')) return undefined
  const habit = (isApp ? AFTER_APP : AFTER_LINK)[tag.metric] ?? SELDOM
  const base = hash(seed, hashText(`${ad.viewer} ${ad.impressionId} ${tag.id}`))
  const draw = (number: number) => asShare(hash(base, number))
  if (draw(1) >= habit.share) return undefined
  // Most do it soon, a few much later.
  const hours = Math.min(LONGEST_HOURS, -Math.log(1 - draw(2)) * habit.hours)
  const price = LEAST_PRICE * (MOST_PRICE / LEAST_PRICE) ** draw(3)
  return {
    viewer: ad.viewer,
    impression_id: ad.impressionId,
    tag_id: tag.id,
    account_id: ad.accountId,
    due_at: new Date(ad.at + 1_000 + hours * HOUR_MS).toISOString(),
    amount: habit.isPaid ? Math.round(price * 100) * 10_000 : 0,
  }
}

const MOST_AT_ONCE = 500

const expectedTake = statement(
  'ads_expected_conversions_take',
  {
    viewer: 'int4',
    impression_id: 'int8',
    tag_id: 'int8',
    account_id: 'int8',
    due_at: 'timestamptz',
    amount: 'int8',
    currency: 'text',
  },
  `with due as (
     select viewer, impression_id, tag_id from ads_expected_conversion where due_at <= $1
      order by due_at, viewer, impression_id, tag_id limit $2 for update skip locked
   )
   delete from ads_expected_conversion e using due d
    where e.viewer = d.viewer and e.impression_id = d.impression_id and e.tag_id = d.tag_id
   returning e.viewer, e.impression_id, e.tag_id, e.account_id, e.due_at, e.amount, e.currency`,
)

/** Records what personas have done by now. Returns how many conversions there were. */
export async function convertExpected(runtime: Runtime, stopping?: AbortSignal): Promise<number> {
  let done = 0
  while (!stopping?.aborted) {
    const taken = await withFreshIds(() => takeSome(runtime))
    done += taken
    if (taken < MOST_AT_ONCE) break
  }
  return done
}

const takeSome = (runtime: Runtime): Promise<number> =>
  change(runtime, async (tx) => {
    const rows = await expectedTake.all(tx, new Date(runtime.clock.now()), MOST_AT_ONCE)
    if (rows.length === 0) return 0
    rows.sort((one, other) => one.due_at.getTime() - other.due_at.getTime() || one.viewer - other.viewer)
    const tags = new Map(
      (await findTagsOfAccounts(tx, [...new Set(rows.map((row) => row.account_id))])).map((tag) => [tag.id, tag]),
    )
    await recordConversions(
      tx,
      runtime,
      rows.flatMap((row) => {
        const tag = tags.get(row.tag_id)
        // A tag that was deleted meanwhile measures nothing.
        if (!tag) return []
        return {
          tag,
          at: row.due_at.getTime(),
          viewer: row.viewer,
          clicked: row.impression_id,
          price: row.amount === '0' ? undefined : { micros: Number(row.amount), currency: row.currency },
          details: { source: 'persona' },
        }
      }),
    )
    return rows.length
  })

/** Personas also convert when no life runs any more. */
export const expectedConversionsTask: AdsTask = { name: 'expected conversions', run: convertExpected }
