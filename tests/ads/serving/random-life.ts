import { setTimeout as sleep } from 'node:timers/promises'
import { parseBase36 } from '../../../src/ads/kit/values.ts'
import { idAt } from '../../../src/process/ids.ts'
import { SeededRandom } from '../../../src/world/seeded-random.ts'
import { makePost } from '../../social/acting.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { type ItemFacts, itemFacts, readSets, type Sets, type StoredEvent, storedEvents } from './brute-rules.ts'
import { type Advertiser, addCampaign, addLists, emailOf, openAdvertiser, type Person } from './random-advertisers.ts'

const START = '2027-03-02T22:00:00Z'
const TIMES = {
  early: '2027-03-01T00:00:00Z',
  within: ['2027-03-02T22:10:00Z', '2027-03-02T22:30:00Z', '2027-03-02T22:40:00Z'],
  late: '2027-06-01T00:00:00Z',
}
const PERSONAS = 200

/** A part of the test's life in which nothing is changed but by the life, and how things were then. */
export interface Phase {
  from: number
  to: number
  items: Map<string, ItemFacts>
}

/** Random advertisers and a population that sees their ads, in two phases with changes between them. */
export class RandomLife {
  readonly server: TestServer
  readonly #random: SeededRandom
  people = new Map<number, Person>()
  advertisers: Advertiser[] = []
  sandbox!: Advertiser
  readonly phases: Phase[] = []
  /** What the first phase stored, lived twice from the same snapshot. */
  readonly traces: unknown[][] = []
  events: StoredEvent[] = []
  sets!: Sets

  private constructor(server: TestServer, seed: number) {
    this.server = server
    this.#random = new SeededRandom(seed, 14)
  }

  static async start(seed: number): Promise<RandomLife> {
    const life = new RandomLife(await startTestServer([], { events: true }), seed)
    const { server, traces } = life
    const trace = async () => traces.push(await life.query('select * from ads_event order by viewer, id'))
    await server.command('clock', { set: '2027-03-02T21:58:30Z' })
    // Makes the personas: who is targeted must exist.
    await life.#live('1m')
    await server.command('clock', { set: START })
    await server.command('clock', { freeze: true })
    await life.#prepare()
    await server.command('snapshot.save', { name: 'before' })
    // What an ad server has learned since it last stored it is not in a snapshot, so both begin with a restored world.
    await server.command('snapshot.restore', { name: 'before' })
    await life.#live('25m')
    await trace()
    await server.command('snapshot.restore', { name: 'before' })
    await life.#livePhase('25m')
    await trace()
    await life.#changeThings()
    await life.#livePhase('30m')
    life.events = await storedEvents(server)
    const audiences = life.advertisers.flatMap(({ audience }) =>
      audience ? [[audience.id, audience.members] as const] : [],
    )
    life.sets = await readSets(server, new Map(audiences))
    return life
  }

  phaseOf(event: StoredEvent): Phase {
    return this.phases.find((phase) => event.at >= phase.from && event.at < phase.to)!
  }

  async #live(length: string): Promise<void> {
    const asked = { personas: PERSONAS, seed: 4, for: length, speed: 'max' }
    const { id } = await this.server.command('live.start', asked)
    for (;;) {
      const life = await this.server.command('live.show', { id })
      if (life.state === 'ended') return
      if (life.state === 'failed') throw new Error(life.reason)
      await sleep(20)
    }
  }

  async #livePhase(length: string): Promise<void> {
    const items = new Map((await itemFacts(this.server)).map((item) => [item.id, item]))
    const from = this.server.runtime.clock.now()
    await this.#live(length)
    this.phases.push({ from, to: this.server.runtime.clock.now(), items })
  }

  async query<T extends object>(text: string, values: unknown[] = []): Promise<T[]> {
    return (await this.server.runtime.database.query<T>({ text, values })).rows
  }

  async #prepare(): Promise<void> {
    this.people = new Map(
      (
        await this.query<Person>(
          'select v.*, u.username from ads_viewer v join persona p on p.viewer = v.number join user_account u on u.id = v.user_id',
        )
      ).map((one) => [one.number, one]),
    )
    // Only people who joined or posted lately count for audiences.
    await this.query(`update user_account set created_at = '2027-02-20' where id in (select user_id from persona)`)
    await this.query(
      `insert into user_sign_in (user_id, email, email_confirmed) select id, email, true from unnest($1::bigint[], $2::text[]) k (id, email)
       on conflict (user_id) do update set email = excluded.email, email_confirmed = true`,
      [
        [...this.people.values()].map((one) => one.user_id),
        [...this.people.values()].map((one) => emailOf(one.username)),
      ],
    )
    const all = [...this.people.values()].sort((one, other) => one.number - other.number)
    await this.query(
      `insert into follow (source_id, target_id, id, pending) select k.id, $1, $2::bigint + k.at, false from unnest($3::bigint[]) with ordinality k (id, at) on conflict do nothing`,
      [
        this.server.userId('alice'),
        idAt(Date.parse(TIMES.early)),
        all.filter(() => this.#random.chance(300)).map((one) => one.user_id),
      ],
    )
    const open = (timezone: string, currency: string, dollars: number) =>
      openAdvertiser(this.server, { timezone, currency, dollars })
    const [first, second, third] = await Promise.all([
      open('America/Los_Angeles', 'USD', 5),
      open('Europe/Berlin', 'EUR', 0.05),
      open('Asia/Tokyo', 'JPY', 2),
    ])
    const sharing = await open('UTC', 'USD', 1)
    const line = await this.server.command('ads.funding.create', { account: first.account, amount_local_micro: 60_000 })
    first.fundings.push(line.id)
    const shared = await this.server.command('ads.funding.create', { account: sharing.account, shares: line.id })
    sharing.fundings = [shared.id]
    this.sandbox = await openAdvertiser(this.server, { timezone: 'UTC', currency: 'USD', dollars: 5, isSandbox: true })
    this.advertisers = [first, second, third, sharing, this.sandbox]
    await addLists(this.server, first, all.slice(0, 30), all.slice(20, 140))
    await addLists(this.server, second, all.slice(100, 140), [])
    await this.server.command('ads.work')
    const add = async (of: Advertiser, campaigns: number) => {
      for (let at = 0; at < campaigns; at++) await addCampaign(this.server, of, this.#random, all, TIMES)
    }
    await this.#addPlain(first)
    // One after the other: what is random is drawn in the same order for a seed.
    for (const [at, of] of this.advertisers.entries()) await add(of, [4, 2, 3, 1, 1][at]!)
    for (const { account } of this.advertisers)
      await this.server.command('ads.account.set', { account, add_features: ['REACH_AND_FREQUENCY_ANALYTICS'] })
  }

  /**
   * Items that serve whatever is drawn: one with a frequency cap, which outbids all others for some people, and one with
   * a budget that ends. They are not changed later.
   */
  async #addPlain(of: Advertiser): Promise<void> {
    const line = await this.server.command('ads.funding.create', {
      account: of.account,
      amount_local_micro: 1_000_000_000,
    })
    const money = { funding_instrument_id: line.id, daily_budget_amount_local_micro: 900_000_000 }
    const { id: campaign } = await of.made('campaigns', { name: 'Plain', ...money })
    of.campaigns.push(campaign)
    const add = async (values: Record<string, string | number>): Promise<string> => {
      const { id: item } = await of.made('line_items', {
        campaign_id: campaign,
        objective: 'REACH',
        product_type: 'PROMOTED_POSTS',
        placements: 'ALL_ON_TWITTER',
        bid_strategy: 'TARGET',
        standard_delivery: false,
        start_time: TIMES.early,
        end_time: TIMES.late,
        ...values,
      })
      const post = await makePost(this.server, 'alice', { text: `A plain offer ${item}` })
      await of.made('promoted_posts', { line_item_id: item, post_ids: post })
      return item
    }
    const capped = await add({ bid_amount_local_micro: 500_000_000, frequency_cap: 2, duration_in_days: 7 })
    for (const [type, value] of [
      ['AGE', 'AGE_OVER_35'],
      ['GENDER', '1'],
    ] as const)
      await of.made('targeting_criteria', { line_item_id: capped, targeting_type: type, targeting_value: value })
    await add({ bid_amount_local_micro: 10_000_000, daily_budget_amount_local_micro: 20_000 })
  }

  /** Pauses some items, cuts budgets, sets caps, narrows targeting. */
  async #changeThings(): Promise<void> {
    const served = new Set((await storedEvents(this.server)).map((event) => event.line_item_id))
    for (const of of this.advertisers.slice(0, 4))
      for (const item of of.items.filter((id) => served.has(parseBase36(id)!))) {
        const put = (values: Record<string, string | number>) =>
          of.call('PUT', `accounts/${of.account}/line_items/${item}`, values)
        const changes = [
          () => put({ entity_status: 'PAUSED' }),
          () => put({ end_time: '2027-03-02T22:35:00Z' }),
          () => put({ frequency_cap: 1, duration_in_days: 7 }),
          () => put({ daily_budget_amount_local_micro: of.currency === 'JPY' ? 1_000_000 : 10_000 }),
          () =>
            of.call('POST', `accounts/${of.account}/targeting_criteria`, {
              line_item_id: item,
              targeting_type: 'GENDER',
              targeting_value: '1',
              operator_type: 'NE',
            }),
        ]
        await this.#random.pick([...changes, () => Promise.resolve()])()
      }
  }
}
