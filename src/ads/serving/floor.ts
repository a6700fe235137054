import type { Runtime } from '../../api-kit/runtime.ts'
import { statement } from '../../storage/statement.ts'
import { nextChangeOfTests, type RunningTest, readRunningTests } from '../ab-tests/arms.ts'
import { localDay } from '../kit/local-time.ts'
import { AudienceTerms } from './audience/audience-terms.ts'
import { InterestLists } from './audience/interest-lists.ts'
import { TargetingIndex } from './audience/targeting-index.ts'
import { CappedSights } from './capped-sights.ts'
import { budgetOfDay, type Floor, type Win } from './choose-ads.ts'
import { type Contender, leftFor } from './contender.ts'
import { inventoryChangesDrop, inventoryVersion, spentBy } from './inventory.statements.ts'
import { readInventory, type ServedItem, TARGET_ROOM } from './inventory.ts'
import { addSpent, Ledger, type Spent, spentOn } from './ledger.ts'
import type { Look } from './look.ts'
import { OUTCOME } from './outcomes.ts'
import { newPace, type Pace, setPace, Traffic } from './pacing.ts'
import { hasPaidEvent } from './response-model.ts'
import { SightCounts } from './sight-counts.ts'
import type { EventItem, StoredTurn, TurnEvent } from './store-turn.ts'
import { plainValue, ValueBounds } from './value-bounds.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 3_600_000
const MOST_MINUTES_AT_ONCE = 5
/** Sets of people are read again after this long: product time for a population, which must not depend on real time. */
const SETS_AGE_MS = { model: 30 * MINUTE_MS, later: MINUTE_MS }
const RESULTS_TO_LEARN = 20

const pacesRead = statement(
  'ads_paces_read',
  { line_item_id: 'int8', lambda: 'float8', theta: 'float8', open: 'float8', kappa: 'float8' },
  'select line_item_id, lambda, theta, open, kappa from ads_pace where line_item_id = any($1::bigint[])',
)
const pacesSave = statement(
  'ads_paces_save',
  {},
  `insert into ads_pace (line_item_id, day, lambda, theta, open, kappa)
   select k.id, $6::date, k.lambda, k.theta, k.open, k.kappa
     from unnest($1::bigint[], $2::float8[], $3::float8[], $4::float8[], $5::float8[]) k (id, lambda, theta, open, kappa)
   on conflict (line_item_id) do update set lambda = excluded.lambda, theta = excluded.theta, open = excluded.open, kappa = excluded.kappa`,
)
const trafficRead = statement(
  'ads_traffic_read',
  { hour_of_week: 'int2', looks: 'float8' },
  'select hour_of_week, looks from ads_traffic',
)
const trafficSave = statement(
  'ads_traffic_save',
  {},
  `insert into ads_traffic (hour_of_week, looks) select * from unnest($1::int2[], $2::float8[])
   on conflict (hour_of_week) do update set looks = excluded.looks`,
)

/** What was learned about an item and stays when the inventory is read again. */
interface Learned {
  pace: Pace
  kappa: number
  results: number
  cost: number
}

/** Everything that auctions need, in memory: items, whom they reach, what they may spend and how fast. */
export class AdFloor implements Floor {
  readonly #runtime: Runtime
  readonly #dryAccountId: string | null
  contenders: Contender[] = []
  index = new TargetingIndex([], () => 1)
  interests = new InterestLists([])
  bounds = new ValueBounds(0)
  readonly #ledger = new Ledger()
  readonly sights = new SightCounts()
  readonly #audience = new AudienceTerms()
  readonly #traffic = new Traffic()
  readonly #learned = new Map<string, Learned>()
  readonly #campaignPaces = new Map<string, Pace>()
  capped = new CappedSights()
  #version = ''
  #nextEdge = 0
  #setsReadAt = Number.NEGATIVE_INFINITY
  #minute = -1
  #isSaveDue = false

  constructor(runtime: Runtime, dryAccountId: string | null) {
    this.#runtime = runtime
    this.#dryAccountId = dryAccountId
  }

  /** Reads again what has changed. */
  async refresh(now: number, responds: 'model' | 'later'): Promise<void> {
    const { database } = this.#runtime
    const { rows, last } = (await inventoryVersion.first(database))!
    const version = `${rows} ${last}`
    if (this.#version === '') await this.#begin()
    const isChanged = version !== this.#version || now >= this.#nextEdge
    if (isChanged) {
      await this.#readItems(now)
      this.#version = version
      if (Number(rows) > 5_000) await inventoryChangesDrop.count(database)
    }
    const age = now - this.#setsReadAt
    if (isChanged || age >= SETS_AGE_MS[responds] || age < 0) {
      await this.#audience.readSets(database, now)
      this.#setsReadAt = now
      if (isChanged) this.index = new TargetingIndex(this.#targetings, this.#audience.shareOf)
    }
  }

  #targetings: ReturnType<AudienceTerms['compile']> = []

  async #begin(): Promise<void> {
    for (const row of await trafficRead.all(this.#runtime.database)) this.#traffic.looks[row.hour_of_week] = row.looks
  }

  async #readItems(now: number): Promise<void> {
    const { database } = this.#runtime
    const items = inOrderOfValue(await readInventory(database, now, this.#dryAccountId))
    const tests = await readRunningTests(database, now)
    await this.#readLearned(items)
    const ids = [...new Set(items.flatMap((item) => [item.id, item.campaignId, item.creditId]))]
    const recent = new Date(now - 2 * DAY_MS).toISOString().slice(0, 10)
    for (const row of await spentBy.all(database, ids, recent))
      this.#ledger.set(row.entity_id, row.day, Number(row.spent))
    for (const creative of items.flatMap((item) => item.creatives))
      creative.sightNumber = this.sights.numberOf(creative.promotedId)
    this.contenders = items.map((item) => this.#contender(item, tests, now))
    this.interests = new InterestLists(items)
    this.bounds = new ValueBounds(items.length)
    this.bounds.update(this.contenders, new Date(now).getUTCHours())
    this.#targetings = this.#audience.compile(items)
    // Items end by themselves, and tests begin and end.
    this.#nextEdge = Math.min(now + 60 * MINUTE_MS, await nextChangeOfTests(database, now))
  }

  #contender(item: ServedItem, tests: readonly RunningTest[], now: number): Contender {
    const { pace, kappa } = this.#learned.get(item.id)!
    return {
      item,
      pace,
      campaignPace: this.#campaignPace(item),
      kappa,
      arms: armsOf(item, tests),
      spent: {
        item: this.#ledger.of(item.id),
        campaign: this.#ledger.of(item.campaignId),
        funding: this.#ledger.of(item.creditId),
      },
      day: localDay(now, item.timezone).date,
    }
  }

  async #readLearned(items: readonly ServedItem[]): Promise<void> {
    const unknown = items.filter((item) => !this.#learned.has(item.id))
    if (unknown.length === 0) return
    const rows = await pacesRead.all(
      this.#runtime.database,
      unknown.map((item) => item.id),
    )
    const saved = new Map(rows.map((row) => [row.line_item_id, row]))
    for (const item of unknown) {
      const row = saved.get(item.id)
      const pace = row ? { lambda: row.lambda, theta: row.theta, open: row.open, weight: 1, expected: 0 } : newPace()
      this.#learned.set(item.id, { pace, kappa: row?.kappa ?? 1, results: 0, cost: 0 })
      if (!row) this.#startPace(item, pace)
    }
  }

  #startPace(item: ServedItem, pace: Pace): void {
    const { itemDaily, itemTotal } = item.limits
    if (!item.isPaced || (itemDaily === null && itemTotal === null)) pace.theta = 1
  }

  #campaignPace(item: ServedItem): Pace {
    let pace = this.#campaignPaces.get(item.campaignId)
    if (!pace) {
      pace = newPace()
      const { campaignDaily, campaignTotal } = item.limits
      if (!item.isPaced || (campaignDaily === null && campaignTotal === null)) pace.theta = 1
      this.#campaignPaces.set(item.campaignId, pace)
    }
    return pace
  }

  termsOf = (look: Look): ArrayLike<number>[] => this.#audience.ofLook(look)

  /** Reads how often the viewers of some looks saw items with a cap. */
  async readSightings(looks: readonly Look[]): Promise<void> {
    const isAsked = this.contenders.some(({ item }) => item.cap)
    const sights = isAsked ? looks.map(({ viewer, at }) => ({ viewer: viewer.number, at })) : []
    this.capped = await CappedSights.read(this.#runtime.database, sights)
  }

  /** Time passes: a new minute has new paces. */
  pass(at: number): void {
    if (this.#traffic.add(at, 1)) this.#isSaveDue = true
    const minute = Math.floor(at / MINUTE_MS)
    if (minute === this.#minute) return
    const passed = this.#minute < 0 ? 0 : minute - this.#minute
    this.#minute = minute
    for (const contender of this.contenders) contender.day = localDay(at, contender.item.timezone).date
    for (let step = 0; step < Math.min(passed, MOST_MINUTES_AT_ONCE); step++) this.#setPaces(at)
    this.bounds.update(this.contenders, new Date(at).getUTCHours())
  }

  #setPaces(at: number): void {
    const parts = new Map<string, { gone: number; next: number }>()
    const partOf = (timezone: string) => {
      let part = parts.get(timezone)
      if (!part) {
        const { from, to } = localDay(at, timezone)
        const whole = this.#traffic.weight(from, to)
        part = {
          gone: this.#traffic.weight(from, at) / whole,
          next: this.#traffic.weight(at, Math.min(to, at + MINUTE_MS)) / whole,
        }
        parts.set(timezone, part)
      }
      return part
    }
    const campaigns = new Set<string>()
    for (const contender of this.contenders) {
      const { item } = contender
      const { limits, timezone } = item
      const pace = (of: Pace, known: Spent, daily: number | null, total: number | null, mostLambda: number) => {
        const spent = { today: spentOn(known, contender.day), inAll: known.inAll }
        const budget = item.isPaced ? budgetOfDay({ daily, total }, spent, item.endsAt, at, timezone) : undefined
        if (budget === undefined) of.theta = 1
        else setPace(of, { budget, spent: spent.today, ...partOf(timezone), mostLambda })
      }
      pace(contender.pace, contender.spent.item, limits.itemDaily, limits.itemTotal, item.bid.mostLambda)
      if (!campaigns.has(item.campaignId)) {
        campaigns.add(item.campaignId)
        pace(contender.campaignPace, contender.spent.campaign, limits.campaignDaily, limits.campaignTotal, 1)
      }
    }
  }

  /** Notes what was chosen, before it is stored: the looks after it must know. */
  note({ contender, creative, price, probability }: Win, event: TurnEvent): void {
    const { item, pace, campaignPace } = contender
    const expected = item.bid.paid === 'impression' ? price : price * probability
    pace.expected += expected
    campaignPace.expected += expected
    const charge = Math.min(event.charge, leftFor(contender))
    if (charge > 0) for (const spent of Object.values(contender.spent)) addSpent(spent, contender.day, charge)
    this.sights.add(event.viewer, creative.sightNumber)
    if (item.cap) this.capped.add(event.viewer, item.id, event.at)
  }

  /** Takes over what a turn has stored. */
  settle({ events, spent, isStale }: StoredTurn): void {
    for (const row of spent) this.#ledger.set(row.entityId, row.day, row.spent)
    if (isStale) this.#version = 'stale'
    for (const { item, outcomes, charge } of events) {
      if (item.bid.strategy !== 'TARGET') continue
      const learned = this.#learned.get(item.id)
      if (!learned) continue
      learned.cost += charge
      if (isResult(item, outcomes)) learned.results += 1
      if (learned.results >= RESULTS_TO_LEARN) this.#learnTarget(item, learned)
    }
  }

  /** TARGET bids more when results were cheaper than wanted, and less when they were dearer. */
  #learnTarget(item: EventItem, learned: Learned): void {
    const target = item.bid.valued === 'impression' ? item.bid.amount * item.bid.share : item.bid.amount
    const ratio = learned.cost / learned.results / target
    learned.kappa = Math.min(TARGET_ROOM, Math.max(0.5, learned.kappa * Math.exp(0.1 * (1 - ratio))))
    learned.results = 0
    learned.cost = 0
    const contender = this.contenders.find((one) => one.item.id === item.id)
    if (!contender) return
    contender.kappa = learned.kappa
    this.bounds.update(this.contenders, new Date(this.#minute * MINUTE_MS).getUTCHours())
  }

  async saveSometimes(): Promise<void> {
    if (!this.#isSaveDue) return
    this.#isSaveDue = false
    await this.save()
  }

  /** Keeps what was learned for the next process. */
  async save(): Promise<void> {
    const { database } = this.#runtime
    const rows = this.contenders.map(({ item, pace, kappa }) => ({ id: item.id, ...pace, kappa }))
    await pacesSave.count(
      database,
      rows.map((row) => row.id),
      rows.map((row) => row.lambda),
      rows.map((row) => row.theta),
      rows.map((row) => (row.weight > 0 ? row.open / row.weight : 0)),
      rows.map((row) => row.kappa),
      new Date(Math.max(0, this.#minute) * MINUTE_MS).toISOString().slice(0, 10),
    )
    // The plans of production accounts follow only the looks at which they could be shown.
    if (this.#dryAccountId !== null) return
    const looks = [...this.#traffic.looks.entries()].filter(([, count]) => count > 0)
    await trafficSave.count(
      database,
      looks.map(([hour]) => hour),
      looks.map(([, count]) => count),
    )
  }
}

/** True when what a line item is after has happened. */
const isResult = (item: EventItem, outcomes: number): boolean =>
  item.bid.valued === 'impression' ? (outcomes & OUTCOME.impressions) !== 0 : hasPaidEvent(item.bid.valued, outcomes)

/** The tests that an item takes part in, and its group. */
function armsOf(item: ServedItem, tests: readonly RunningTest[]): Contender['arms'] {
  return tests.flatMap((test) => {
    const id = test.entityType === 'CAMPAIGN' ? item.campaignId : item.id
    const group = test.groups.findIndex(({ entityIds }) => entityIds.has(id))
    return group < 0 ? [] : [{ test, group }]
  })
}

/** Hours differ little in which items are worth most. */
const USUAL_HOUR = 12

/** The most valuable items first. */
function inOrderOfValue(items: ServedItem[]): ServedItem[] {
  const values = new Map(items.map((item) => [item, plainValue({ item }, USUAL_HOUR)]))
  return items.sort((one, other) => values.get(other)! - values.get(one)! || (one.id < other.id ? -1 : 1))
}
