import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { localDay } from '../../../src/ads/kit/local-time.ts'
import { parseBase36, toBase36 } from '../../../src/ads/kit/values.ts'
import { largestBid } from '../../../src/ads/money.ts'
import { adServer } from '../../../src/ads/serving/ad-server.ts'
import { SHOWN_PLACEMENTS } from '../../../src/ads/serving/look.ts'
import { hasOutcome, OUTCOME_NAMES } from '../../../src/ads/serving/outcomes.ts'
import { readViewers } from '../../../src/ads/serving/viewers.ts'
import { GROUPS_OF_ENTITY, type StatsEntity } from '../../../src/ads/statistics/metrics.data.ts'
import { chargesOf, itemFacts, mayReach, type StoredEvent, sightsAt } from './brute-rules.ts'
import type { Advertiser } from './random-advertisers.ts'
import { RandomLife } from './random-life.ts'

const { seed } = inject('sampling')
const HOUR_MS = 3_600_000

let life: RandomLife
let { server, people, advertisers, sandbox, phases, traces, events, sets } = {} as RandomLife
beforeAll(async () => {
  console.log(`The laws of ad serving are tried with the seed ${seed} (ROSTRA_TEST_SEED=${seed} repeats it)`)
  life = await RandomLife.start(seed)
  ;({ server, people, advertisers, sandbox, phases, traces, events, sets } = life)
})
afterAll(() => life?.server.close())

test('the same seed, clock and world give the same impressions, responses and charges', () => {
  expect(traces[0]!.length).toBeGreaterThan(20)
  expect(traces[1]).toEqual(traces[0])
})

describe('everything that was shown', () => {
  test('was allowed: status, flight, funding, placement, creative, environment', () => {
    expect(events.filter((event) => event.at >= phases[1]!.from).length).toBeGreaterThan(0)
    for (const event of events) {
      const item = life.phaseOf(event).items.get(event.line_item_id)!
      expect(item.sandbox).toBe(false)
      expect(item.statuses).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE'])
      expect(event.at).toBeGreaterThanOrEqual(item.starts)
      expect(event.at).toBeLessThan(item.ends)
      expect(item.promoted).toContain(event.promoted_id)
      const placement = SHOWN_PLACEMENTS[event.placement]!
      expect(item.placements.some((name) => name === placement || name === 'ALL_ON_TWITTER')).toBe(true)
    }
  })

  test('was shown to people of the targeting, and to nobody of a Do Not Reach list', () => {
    const unreached = new Map(advertisers.map((of) => [parseBase36(of.account)!, of.unreached]))
    for (const event of events) {
      const one = people.get(event.viewer)!
      const item = life.phaseOf(event).items.get(event.line_item_id)!
      // Of personas, new follows and posts are known within half an hour.
      if (!mayReach(item, one, event.at, sets, event.at - 30 * 60_000))
        throw new Error(`${event.id} of ${JSON.stringify(item.criteria)} reached ${JSON.stringify(one)}`)
      expect(unreached.get(event.account_id)!.has(one.user_id)).toBe(false)
    }
  })

  test('kept frequency caps, also those that were set later', () => {
    const counted = sightsAt(events)
    let capped = 0
    for (const event of events) {
      const item = life.phaseOf(event).items.get(event.line_item_id)!
      if (item.cap === null || event.impression_id !== null) continue
      capped += 1
      expect(counted(event, item.cap_days!)).toBeLessThanOrEqual(item.cap)
    }
    expect(capped).toBeGreaterThan(0)
  })

  test('cost at most the bid', () => {
    for (const event of events) {
      const item = life.phaseOf(event).items.get(event.line_item_id)!
      // TARGET may bid more for a while.
      const bid =
        item.bid_strategy === 'AUTO'
          ? largestBid(item.currency)
          : item.bid_amount! * (item.bid_strategy === 'TARGET' ? 1.5 : 1)
      expect(event.charge).toBeLessThanOrEqual(
        item.goal === 'MAX_REACH' && item.bid_strategy !== 'AUTO' ? bid / 1000 : bid,
      )
      if (item.pay_by === 'ENGAGEMENT' && event.charge > 0) expect(hasOutcome(event.outcomes, 'engagements')).toBe(true)
      if (item.pay_by === 'IMPRESSION') expect(hasOutcome(event.outcomes, 'billed_engagements')).toBe(false)
      else expect(hasOutcome(event.outcomes, 'billed_engagements')).toBe(event.charge > 0)
    }
  })
})

test('no budget is exceeded: of line items, campaigns and credit lines, by day and in all', () => {
  let reached = 0
  const check = (spent: number, before: number, limit: number | null) => {
    if (limit === null) return
    expect(spent).toBeLessThanOrEqual(Math.max(limit, before))
    if (spent === limit) reached += 1
  }
  for (const { from, to, items } of phases) {
    const until = (end: number) => events.filter((event) => event.at < end)
    const sums = (recordOf: (event: StoredEvent) => string) =>
      [chargesOf(until(to), recordOf), chargesOf(until(from), recordOf)] as const
    const creditOf = new Map([...items.values()].map((item) => [item.id, item.credit_id]))
    const byItem = sums((event) => event.line_item_id)
    const byCampaign = sums((event) => event.campaign_id)
    const byCredit = sums((event) => creditOf.get(event.line_item_id)!)
    const of = ([after, before]: typeof byItem, key: string) => [after.get(key) ?? 0, before.get(key) ?? 0] as const
    for (const item of items.values()) {
      const days = [localDay(from, item.timezone).date, localDay(to, item.timezone).date]
      for (const day of days) {
        check(...of(byItem, `${item.id} ${day}`), item.item_daily)
        check(...of(byCampaign, `${item.campaign_id} ${day}`), item.campaign_daily)
      }
      check(...of(byItem, `${item.id} all`), item.item_total)
      check(...of(byCampaign, `${item.campaign_id} all`), item.campaign_total)
      check(...of(byCredit, `${item.credit_id} all`), item.credit)
    }
  }
  expect(reached).toBeGreaterThan(0)
})

test('what was spent is the sum of the charges, to the micro, also as credit that remains', async () => {
  const rows = await life.query<{ key: string; spent: number }>(
    `select entity_id || ' ' || case when day = 'infinity' then 'all' else day::text end as key, spent::float8 from ads_spend where spent > 0`,
  )
  const facts = await itemFacts(server)
  const creditOf = new Map(facts.map((item) => [item.id, item.credit_id]))
  const expected = new Map<string, number>()
  const records: ((event: StoredEvent) => string)[] = [
    (event) => event.line_item_id,
    (event) => event.campaign_id,
    (event) => event.funding_id,
  ]
  for (const recordOf of records)
    for (const [key, sum] of chargesOf(events, recordOf)) if (sum > 0) expected.set(key, sum)
  const ofLines = chargesOf(events, (event) => creditOf.get(event.line_item_id)!)
  for (const [key, sum] of ofLines) if (key.endsWith(' all') && sum > 0) expected.set(key, sum)
  expect(new Map(rows.map((row) => [row.key, row.spent]))).toEqual(expected)
  for (const of of advertisers)
    for (const funding of of.fundings) {
      const { data } = (await of.call('GET', `accounts/${of.account}/funding_instruments/${funding}`)).body
      const id = parseBase36(funding)!
      const [{ credit_line_id: line }] = (await life.query<{ credit_line_id: string | null }>(
        'select credit_line_id from ads_funding_instrument where id = $1',
        [id],
      )) as [{ credit_line_id: string | null }]
      const spent = ofLines.get(`${line ?? id} all`) ?? 0
      expect(data.credit_remaining_local_micro).toBe(data.credit_limit_local_micro - spent)
    }
})

test('the index finds the items that a scan of all criteria finds, for every persona', async () => {
  const { runtime } = server
  const now = runtime.clock.now()
  const server2 = adServer.create(runtime)
  const floor = server2.floor()
  await floor.refresh(now, 'model')
  const facts = new Map((await itemFacts(server)).map((item) => [item.id, item]))
  const unreached = new Map(advertisers.map((of) => [parseBase36(of.account)!, of.unreached]))
  const viewers = await readViewers(
    runtime.database,
    [...people.values()].map((one) => one.user_id),
  )
  const served = floor.contenders.map(({ item }) => facts.get(item.id)!)
  expect(served.length).toBeGreaterThan(0)
  let fits = 0
  for (const one of people.values()) {
    const look = { id: '1', at: now, viewer: viewers.get(one.user_id)!, placement: SHOWN_PLACEMENTS[0], slots: 1 }
    const found: number[] = []
    floor.index.begin(...floor.termsOf(look))
    for (let at = floor.index.next(); at >= 0; at = floor.index.next()) found.push(at)
    const expected = served.flatMap((item, at) =>
      mayReach(item, one, now, sets) && !unreached.get(item.account_id)!.has(one.user_id) ? [at] : [],
    )
    expect(found, one.username).toEqual(expected)
    fits += found.length
  }
  expect(fits).toBeGreaterThan(20)
  await server2.stop()
})

/** A segment of a record in the file of a job. */
interface SegmentOf {
  segment: { segment_name: string }
  metrics: Record<string, number[] | null>
}

describe('statistics over HTTP', () => {
  const NAMES = OUTCOME_NAMES.filter((name) => name !== 'qualified_impressions' && !name.startsWith('video'))

  /** The series of some records; those of the other environment are asked for there. */
  async function series(
    of: Advertiser,
    entity: StatsEntity,
    ids: string[],
    range: { from: number; to: number },
    granularity: string,
  ) {
    const found = new Map<string, Record<string, number[] | null>>()
    for (let at = 0; at < ids.length; at += 20) {
      const { status, body, text } = await of.call('GET', `stats/accounts/${of.account}`, {
        entity,
        entity_ids: ids.slice(at, at + 20).join(','),
        start_time: new Date(range.from).toISOString(),
        end_time: new Date(range.to).toISOString(),
        granularity,
        placement: 'ALL_ON_TWITTER',
        metric_groups: GROUPS_OF_ENTITY[entity]
          .filter((group) => group === 'ENGAGEMENT' || group === 'BILLING')
          .join(','),
      })
      expect(status, text).toBe(200)
      for (const { id, id_data } of body.data) found.set(id, id_data[0].metrics)
    }
    return found
  }

  const KINDS: [StatsEntity, (event: StoredEvent) => string, (of: Advertiser) => string[]][] = [
    ['ACCOUNT', (event) => event.account_id, (of) => [of.account]],
    ['FUNDING_INSTRUMENT', (event) => event.funding_id, (of) => of.fundings],
    ['CAMPAIGN', (event) => event.campaign_id, (of) => of.campaigns],
    ['LINE_ITEM', (event) => event.line_item_id, (of) => of.items],
    ['PROMOTED_POST', (event) => event.promoted_id, (of) => of.promoted.posts],
    ['PROMOTED_ACCOUNT', (event) => event.promoted_id, (of) => of.promoted.accounts],
  ]

  test('are the sums of the events at every level, by hour, day and in all; nothing of the sandbox is counted', async () => {
    let compared = 0
    for (const of of advertisers) {
      const { timezone } = (await of.call('GET', `accounts/${of.account}`)).body.data
      const range = { from: localDay(phases[0]!.from, timezone).from, to: localDay(phases[1]!.to, timezone).to }
      const days = localDay(phases[0]!.from, timezone).date === localDay(phases[1]!.to, timezone).date ? 1 : 2
      for (const [entity, recordOf, idsOf] of KINDS)
        for (const granularity of entity === 'LINE_ITEM' ? ['HOUR', 'DAY', 'TOTAL'] : ['HOUR']) {
          const length = granularity === 'HOUR' ? (range.to - range.from) / HOUR_MS : granularity === 'DAY' ? days : 1
          const stepMs = (range.to - range.from) / length
          const ids = idsOf(of)
          if (ids.length === 0) continue
          const found = await series(of, entity, ids, range, granularity)
          for (const id of ids) {
            const own = events.filter((event) => recordOf(event) === parseBase36(id))
            if (of === sandbox) expect(own).toEqual([])
            const sums = (amountOf: (event: StoredEvent) => number) => {
              const all = Array.from({ length }, () => 0)
              for (const event of own) all[Math.floor((event.at - range.from) / stepMs)]! += amountOf(event)
              return all.some((value) => value > 0) ? all : null
            }
            const metrics = found.get(id)!
            for (const name of NAMES)
              if (name in metrics) {
                expect(metrics[name], `${entity} ${id} ${name}`).toEqual(
                  sums((event) => (hasOutcome(event.outcomes, name) ? 1 : 0)),
                )
                compared += 1
              }
            if ('billed_charge_local_micro' in metrics)
              expect(metrics.billed_charge_local_micro).toEqual(sums((event) => event.charge))
          }
        }
    }
    expect(compared).toBeGreaterThan(200)
  })

  test('by age, gender and platform add up to the events of each line item and hour, with the unknown ones', async () => {
    const { from } = phases[0]!
    const start = Math.floor(from / HOUR_MS) * HOUR_MS
    const end = Math.ceil(phases[1]!.to / HOUR_MS) * HOUR_MS
    const asked = advertisers.flatMap((of) =>
      of.items.length === 0
        ? []
        : (['AGE', 'GENDER', 'PLATFORMS'] as const).map((segmentation) => ({ of, segmentation })),
    )
    const jobs: { of: Advertiser; segmentation: string; ids: string[]; id: string }[] = []
    for (const { of, segmentation } of asked) {
      const ids = of.items.slice(0, 20)
      const { status, body, text } = await of.call('POST', `stats/jobs/accounts/${of.account}`, {
        entity: 'LINE_ITEM',
        entity_ids: ids.join(','),
        start_time: new Date(start).toISOString(),
        end_time: new Date(end).toISOString(),
        granularity: 'HOUR',
        placement: 'ALL_ON_TWITTER',
        metric_groups: 'ENGAGEMENT,BILLING',
        segmentation_type: segmentation,
      })
      expect(status, text).toBe(200)
      jobs.push({ of, segmentation, ids, id: body.data.id_str })
    }
    await server.command('ads.work')
    const segments = new Set<string>()
    for (const { of, segmentation, ids, id } of jobs) {
      const [job] = (await of.call('GET', `stats/jobs/accounts/${of.account}`, { job_ids: id })).body.data
      const file = gunzipSync(Buffer.from(await (await fetch(job.url)).arrayBuffer()))
      const found = new Map<string, SegmentOf[]>(
        JSON.parse(file.toString()).data.map((item: { id: string; id_data: SegmentOf[] }) => [item.id, item.id_data]),
      )
      for (const item of ids) {
        const own = events.filter((event) => event.line_item_id === parseBase36(item))
        const sums = (amountOf: (event: StoredEvent) => number) => {
          const all = Array.from({ length: (end - start) / HOUR_MS }, () => 0)
          for (const event of own) all[Math.floor((event.at - start) / HOUR_MS)]! += amountOf(event)
          return all
        }
        const added = (name: string) => {
          const all = Array.from({ length: (end - start) / HOUR_MS }, () => 0)
          for (const { metrics } of found.get(item) ?? [])
            for (const [at, value] of (metrics[name] ?? []).entries()) all[at]! += value
          return all
        }
        for (const { segment } of found.get(item) ?? []) segments.add(`${segmentation} ${segment.segment_name}`)
        for (const name of ['impressions', 'engagements', 'likes', 'clicks'] as const)
          expect(added(name), `${segmentation} ${item} ${name}`).toEqual(
            sums((event) => (hasOutcome(event.outcomes, name) ? 1 : 0)),
          )
        expect(added('billed_charge_local_micro')).toEqual(sums((event) => event.charge))
      }
    }
    expect(segments.size).toBeGreaterThan(2)
  })

  test('tell who was reached, and what was active', async () => {
    const range = { start_time: '2027-03-02T22:00:00Z', end_time: '2027-03-03T00:00:00Z' }
    for (const of of advertisers) {
      const reach = async (kind: string, ids: string[]) =>
        (
          await of.call('GET', `stats/accounts/${of.account}/reach/${kind}`, {
            ...range,
            [`${kind.slice(0, -1)}_ids`]: ids.join(','),
          })
        ).body.data
      for (const [kind, ids, recordOf] of [
        ['campaigns', of.campaigns, (event: StoredEvent) => event.campaign_id],
        ['funding_instruments', of.fundings, (event: StoredEvent) => event.funding_id],
      ] as const)
        for (const { id, total_audience_reach: reached, average_frequency: frequency } of await reach(kind, ids)) {
          const own = events.filter((event) => recordOf(event) === parseBase36(id) && event.impression_id === null)
          expect(reached ?? 0).toBe(new Set(own.map((event) => event.viewer)).size)
          expect((reached ?? 0) * (frequency ?? 0)).toBeCloseTo(own.length, 6)
        }
      const { data } = (
        await of.call('GET', `stats/accounts/${of.account}/active_entities`, { ...range, entity: 'LINE_ITEM' })
      ).body
      const active = new Set(
        events
          .filter((event) => event.account_id === parseBase36(of.account))
          .map((event) => toBase36(event.line_item_id)),
      )
      expect(new Set(data.map((one: { entity_id: string }) => one.entity_id))).toEqual(active)
    }
  })
})
