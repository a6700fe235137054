import type { SeededRandom } from '../../../src/world/seeded-random.ts'
import { makePost } from '../../social/acting.ts'
import type { TestAnswer, TestServer } from '../../support/server.ts'
import { ALICE, queryOf } from '../ads-scene.ts'
import { hash } from '../people.ts'

type Values = Record<string, string | number | boolean | undefined>

/** A persona, as targeting knows them. */
export interface Person {
  number: number
  user_id: string
  username: string
  language: string
  locations: string[]
  age: number
  gender: number
  platform: string
  platform_version: string | null
  network_operator: string | null
  network_months: number | null
  wifi_only: boolean
  interests: string[]
}

/** An account with everything that a test made in it. Ids are in base 36. */
export interface Advertiser {
  account: string
  currency: string
  isSandbox: boolean
  call(method: string, path: string, values?: Values): Promise<TestAnswer>
  /** Creates a record below the account. */
  // biome-ignore lint/suspicious/noExplicitAny: answers whose members the test asserts.
  made(path: string, values: Values): Promise<any>
  fundings: string[]
  campaigns: string[]
  items: string[]
  promoted: { posts: string[]; accounts: string[] }
  /** User ids in its Do Not Reach list. */
  unreached: Set<string>
  /** A custom audience and who is in it. */
  audience?: { id: string; members: Set<string> }
}

export const CURRENCIES = ['USD', 'JPY', 'EUR'] as const
/** Micros of what is about a dollar. JPY amounts are whole yen. */
export const DOLLAR: Record<string, number> = { USD: 1_000_000, EUR: 1_000_000, JPY: 150_000_000 }

/** Amounts are multiples of these. */
const LEAST: Record<string, number> = { USD: 10_000, EUR: 10_000, JPY: 1_000_000 }

/** Opens an account with a credit line. */
export async function openAdvertiser(
  server: TestServer,
  {
    timezone,
    currency,
    dollars,
    isSandbox = false,
  }: { timezone: string; currency: string; dollars: number; isSandbox?: boolean },
): Promise<Advertiser> {
  const { id: account } = await server.command('ads.account.create', { owner: 'alice', timezone, sandbox: isSandbox })
  const base = isSandbox ? '/ads-sandbox/12' : '/ads/12'
  const call: Advertiser['call'] = (method, path, values = {}) =>
    server.request(method, `${base}/${path}?${queryOf(values)}`, { as: ALICE })
  const amount = dollars * DOLLAR[currency]!
  const funding = await server.command('ads.funding.create', { account, currency, amount_local_micro: amount })
  return {
    account,
    currency,
    isSandbox,
    call,
    made: async (path, values) => {
      const answer = await call('POST', `accounts/${account}/${path}`, values)
      if (answer.status !== 200) throw new Error(`${path} ${JSON.stringify(values)}: ${answer.status} ${answer.text}`)
      return answer.body.data
    },
    fundings: [funding.id],
    campaigns: [],
    items: [],
    promoted: { posts: [], accounts: [] },
    unreached: new Set(),
  }
}

/** Addresses that tests give to people, so that lists can name them. */
export const emailOf = (username: string): string => `${username.toLowerCase()}@example.com`

const users = (people: readonly Person[]) => [
  {
    operation_type: 'Update',
    params: { users: people.map((one) => ({ email: [hash(emailOf(one.username))] })) },
  },
]

/** Gives an account a Do Not Reach list, and where it is large enough a custom audience. */
export async function addLists(
  server: TestServer,
  of: Advertiser,
  unreached: Person[],
  members: Person[],
): Promise<void> {
  const send = async (path: string, people: Person[]) => {
    const answer = await server.request('POST', `/ads/12/${path}/users`, { as: ALICE, json: users(people) })
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`)
  }
  const list = await of.made('do_not_reach_lists', {})
  await send(`batch/accounts/${of.account}/do_not_reach_lists/${list.id}`, unreached)
  of.unreached = new Set(unreached.map((one) => one.user_id))
  if (members.length < 100) return
  const audience = await of.made('custom_audiences', { name: 'Customers' })
  await send(`accounts/${of.account}/custom_audiences/${audience.id}`, members)
  of.audience = { id: audience.id, members: new Set(members.map((one) => one.user_id)) }
}

/** The moments that flights begin and end at: before, within and after what the test lives. */
export interface Times {
  early: string
  within: string[]
  late: string
}

/** Adds a campaign with some line items, all of it random. */
export async function addCampaign(
  server: TestServer,
  of: Advertiser,
  random: SeededRandom,
  people: readonly Person[],
  times: Times,
): Promise<void> {
  const dollar = DOLLAR[of.currency]!
  const least = LEAST[of.currency]!
  const budget = (from: number, to: number) =>
    Math.max(1, Math.round(((from + (to - from) * (random.below(100) / 100)) * dollar) / least)) * least
  const campaign: string = (
    await of.made('campaigns', {
      funding_instrument_id: random.pick(of.fundings),
      name: `Campaign ${of.campaigns.length}`,
      daily_budget_amount_local_micro: budget(0.02, 1),
      total_budget_amount_local_micro: random.chance(300) ? 3 * dollar : undefined,
      entity_status: random.chance(100) ? 'PAUSED' : 'ACTIVE',
      standard_delivery: random.chance(500),
    })
  ).id
  of.campaigns.push(campaign)
  for (let at = 0; at < 4; at++) await addItem(server, of, campaign, random, people, times, budget)
}

const flight = (random: SeededRandom, { early, within, late }: Times): Values =>
  random.pick<() => Values>([
    ...Array.from({ length: 6 }, () => () => ({ start_time: early, end_time: late })),
    () => ({ start_time: random.pick(within), end_time: late }),
    () => ({ start_time: early, end_time: random.pick(within) }),
    () => ({ start_time: early, end_time: early.replace('T00', 'T10') }),
  ])()

async function addItem(
  server: TestServer,
  of: Advertiser,
  campaign: string,
  random: SeededRandom,
  people: readonly Person[],
  times: Times,
  budget: (from: number, to: number) => number,
): Promise<void> {
  const dollar = DOLLAR[of.currency]!
  const bid = (dollars: number) => ({ bid_amount_local_micro: Math.ceil(dollars * (1 + random.below(8))) * dollar })
  const strategy = (...names: string[]) => random.pick(['AUTO', ...names])
  const kinds: Record<string, (() => Values)[]> = {
    REACH: [
      () => ({ bid_strategy: strategy('TARGET'), ...bid(5) }),
      () => ({
        bid_strategy: 'AUTO',
        frequency_cap: 1 + random.below(2),
        duration_in_days: random.pick([1, 7, 30]),
      }),
    ],
    ENGAGEMENTS: [() => ({ bid_strategy: strategy('MAX'), ...bid(1) })],
    WEBSITE_CLICKS: [
      () => ({ goal: 'LINK_CLICKS', pay_by: 'LINK_CLICK', bid_strategy: strategy('MAX', 'TARGET'), ...bid(2) }),
      () => ({ goal: 'LINK_CLICKS', pay_by: 'IMPRESSION', bid_strategy: strategy('MAX'), ...bid(2) }),
    ],
    FOLLOWERS: [() => ({ product_type: 'PROMOTED_ACCOUNT', bid_strategy: strategy('TARGET'), ...bid(3) })],
  }
  // The line items of a campaign have one objective.
  const objective = Object.keys(kinds)[of.campaigns.length % 4]!
  const kind: Values = { objective, ...random.pick(kinds[objective]!)() }
  const isAccount = kind.product_type === 'PROMOTED_ACCOUNT'
  const item: string = (
    await of.made('line_items', {
      campaign_id: campaign,
      product_type: 'PROMOTED_POSTS',
      placements: random.pick(['ALL_ON_TWITTER', 'PLATFORM_TIMELINE']),
      standard_delivery: random.chance(500),
      ...flight(random, times),
      daily_budget_amount_local_micro: random.chance(600) ? budget(0.01, 0.03) : undefined,
      total_budget_amount_local_micro: random.chance(300) ? budget(0.03, 0.08) : undefined,
      entity_status: random.pick([
        'ACTIVE',
        'ACTIVE',
        'ACTIVE',
        'ACTIVE',
        'ACTIVE',
        'ACTIVE',
        'ACTIVE',
        'PAUSED',
        'DRAFT',
      ]),
      ...kind,
    })
  ).id
  of.items.push(item)
  // Some combinations are refused: laws are about what is stored.
  for (const criterion of criteriaFor(of, random, people, server.userId('alice')))
    await of.call('POST', `accounts/${of.account}/targeting_criteria`, { line_item_id: item, ...criterion })
  if (isAccount) {
    const made = await of.made('promoted_accounts', { line_item_id: item, user_id: server.userId('alice') })
    of.promoted.accounts.push(made.id)
    return
  }
  const post = await makePost(server, 'alice', { text: `Offer ${item} with a link https://example.com/${item}` })
  const [made] = await of.made('promoted_posts', { line_item_id: item, post_ids: post })
  of.promoted.posts.push(made.id)
}

/** Criteria of several kinds, with values that some people have. */
function criteriaFor(of: Advertiser, random: SeededRandom, people: readonly Person[], alice: string): Values[] {
  const someone = () => random.pick(people)
  const criterion = (targeting_type: string, targeting_value: string | null, operator_type = 'EQ'): Values[] =>
    targeting_value === null ? [] : [{ targeting_type, targeting_value, operator_type }]
  const operator = () => (random.chance(300) ? 'NE' : 'EQ')
  const kinds: (() => Values[])[] = [
    () => criterion('GENDER', String(1 + random.below(2)), operator()),
    () => criterion('AGE', random.pick(['AGE_13_TO_34', 'AGE_25_TO_49', 'AGE_OVER_35', 'AGE_21_TO_54'])),
    () => criterion('LOCATION', random.pick(someone().locations), operator()),
    () => criterion('LANGUAGE', someone().language, operator()),
    () => criterion('PLATFORM', someone().platform, operator()),
    () => criterion('INTEREST', random.pick(someone().interests), operator()),
    () => criterion('NETWORK_OPERATOR', someone().network_operator, operator()),
    () => criterion('PLATFORM_VERSION', someone().platform_version, random.pick(['EQ', 'GTE', 'LT'])),
    () => [
      ...criterion('NETWORK_ACTIVATION_DURATION', String(6 + random.below(6)), 'GTE'),
      ...criterion('NETWORK_ACTIVATION_DURATION', String(20 + random.below(20)), 'LT'),
    ],
    () => criterion('WIFI_ONLY', '1'),
    () => criterion('FOLLOWERS_OF_USER', alice, operator()),
    () => (of.audience ? criterion('CUSTOM_AUDIENCE', of.audience.id, operator()) : []),
  ]
  const found = new Map<string, Values[]>()
  for (let count = random.below(4); count > 0; count--) {
    const at = random.below(kinds.length)
    found.set(String(at), kinds[at]!())
  }
  return [...found.values()].flat()
}
