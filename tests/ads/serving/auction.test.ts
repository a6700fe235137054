import { expect, test } from 'vitest'
import { armOf } from '../../../src/ads/ab-tests/arms.ts'
import { compileTargeting } from '../../../src/ads/serving/audience/compile-targeting.ts'
import { InterestLists } from '../../../src/ads/serving/audience/interest-lists.ts'
import { reaches, type Targeting, TargetingIndex } from '../../../src/ads/serving/audience/targeting-index.ts'
import { bidOf } from '../../../src/ads/serving/bids.ts'
import { CappedSights } from '../../../src/ads/serving/capped-sights.ts'
import { chooseAds, type Floor } from '../../../src/ads/serving/choose-ads.ts'
import type { Contender } from '../../../src/ads/serving/contender.ts'
import type { ServedItem } from '../../../src/ads/serving/inventory.ts'
import type { Look } from '../../../src/ads/serving/look.ts'
import { OUTCOME } from '../../../src/ads/serving/outcomes.ts'
import { newPace, setPace, Traffic } from '../../../src/ads/serving/pacing.ts'
import { appeal, predicted, respond } from '../../../src/ads/serving/response-model.ts'
import { SightCounts } from '../../../src/ads/serving/sight-counts.ts'
import { plainValue, ValueBounds } from '../../../src/ads/serving/value-bounds.ts'
import { VERSION_OPTIONS } from '../../../src/ads/targeting-options/device-options.ts'
import { hashText } from '../../../src/process/hash.ts'
import { SeededRandom } from '../../../src/world/seeded-random.ts'

const NOON = Date.parse('2026-11-20T12:00:00Z')
const random = new SeededRandom(14)
const below = (bound: number): number => random.below(bound)
const share = (): number => below(2 ** 30) / 2 ** 30
const some = (count: number, bound: number): number[] => Array.from({ length: count }, () => below(bound))

const randomTargeting = (): Targeting => ({
  groups: Array.from({ length: below(4) }, () => some(1 + below(5), 60)),
  excluded: some(below(3), 60),
})

const CREATIVE = {
  postId: '1',
  userId: '1',
  sightNumber: 1,
  isAccount: false,
  hasLink: true,
  hasCard: false,
  hasAppCard: false,
  hasCarousel: false,
  videoSeconds: 0,
}

function randomItem(number: number, bid = 100_000 + 10_000 * below(100)): ServedItem {
  const id = String(number)
  const goal = ['ENGAGEMENT', 'LINK_CLICKS', 'MAX_REACH'][below(3)]!
  const pay_by = goal === 'ENGAGEMENT' ? 'ENGAGEMENT' : 'IMPRESSION'
  return {
    id,
    accountId: '1',
    campaignId: '1',
    fundingId: '1',
    creditId: '1',
    timezone: 'UTC',
    hash: hashText(id),
    bid: bidOf({
      currency: 'USD',
      bid_strategy: 'MAX',
      bid_amount: goal === 'MAX_REACH' ? 20 * bid : bid,
      goal,
      pay_by,
    }),
    isPaced: false,
    startsAt: 0,
    endsAt: Number.POSITIVE_INFINITY,
    cap: null,
    placements: 31,
    creatives: [
      {
        ...CREATIVE,
        promotedId: id,
        hash: hashText(`creative ${id}`),
        quality: share() - 0.5,
        interests: some(below(4), 12).map(String),
      },
    ],
    limits: { itemDaily: null, itemTotal: null, campaignDaily: null, campaignTotal: null, funding: null },
    targeting: { groups: [], excluded: [] },
  }
}

/** A floor on which every item takes part. */
function floorOf(given: readonly ServedItem[], targetings: ReadonlyMap<ServedItem, Targeting>): Floor {
  const items = [...given].sort((one, other) => plainValue({ item: other }, 12) - plainValue({ item: one }, 12))
  const spent = { day: '', today: 0, inAll: 0 }
  const contenders: Contender[] = items.map((item) => ({
    item,
    pace: { ...newPace(), theta: 1, lambda: 0.5 + share() / 2 },
    campaignPace: { ...newPace(), theta: 1 },
    kappa: 1,
    arms: [],
    spent: { item: spent, campaign: spent, funding: spent },
    day: '2026-11-20',
  }))
  const bounds = new ValueBounds(items.length)
  bounds.update(contenders, 12)
  return {
    contenders,
    index: new TargetingIndex(
      items.map((item) => targetings.get(item) ?? { groups: [], excluded: [] }),
      () => 1,
    ),
    interests: new InterestLists(items),
    bounds,
    sights: new SightCounts(),
    capped: new CappedSights(),
  }
}

const lookOf = (number: number, slots: number, interests: string[]): Look => ({
  id: String(10_000 + number),
  at: NOON,
  viewer: { number, userId: `viewer ${number}`, interests } as unknown as Look['viewer'],
  placement: 'PLATFORM_TIMELINE',
  slots,
})

test('the index finds what the rule by itself finds, for every viewer', () => {
  const items = Array.from({ length: 400 }, randomTargeting)
  const index = new TargetingIndex(items, (term) => term % 7)
  for (let viewer = 0; viewer < 300; viewer++) {
    const terms = some(below(25), 60)
    const has = new Set(terms)
    const expected = items.flatMap((item, at) => (reaches(item, (term) => has.has(term)) ? [at] : []))
    const found: number[] = []
    index.begin(terms)
    for (let at = index.next(); at >= 0; at = index.next()) found.push(at)
    expect(found).toEqual(expected)
    expect(items.flatMap((_, at) => (index.fits(at) ? [at] : []))).toEqual(expected)
  }
})

test('two bounds of one kind make a range, for each operating system by itself', () => {
  const bound = (type: string, value: string, operator: string) => ({ type, value, id: null, operator })
  const months = compileTargeting(
    [bound('NETWORK_ACTIVATION_DURATION', '6', 'GTE'), bound('NETWORK_ACTIVATION_DURATION', '9', 'LT')],
    '1',
  )
  expect(months.groups).toEqual([['months:6', 'months:7', 'months:8']])
  const [, low, high] = VERSION_OPTIONS.filter(({ os }) => os === 'Platform_A')
  const other = VERSION_OPTIONS.findLast(({ os }) => os === 'Platform_B')!
  const versions = compileTargeting(
    [
      bound('PLATFORM_VERSION', low!.value, 'GTE'),
      bound('PLATFORM_VERSION', high!.value, 'LT'),
      bound('PLATFORM_VERSION', other.value, 'EQ'),
    ],
    '1',
  )
  expect(versions.groups).toEqual([[`version:${other.value}`, `version:${low!.value}`]])
})

test('ending the search early finds the same winners at the same prices as looking at everything', () => {
  const items = Array.from({ length: 300 }, (_, number) => randomItem(number))
  const targetings = new Map(items.map((item) => [item, randomTargeting()]))
  const floor = floorOf(items, targetings)
  const all: Floor = { ...floor, bounds: new ValueBounds(items.length) }
  all.bounds.from.fill(Number.POSITIVE_INFINITY)
  all.bounds.of.fill(Number.POSITIVE_INFINITY)
  let wins = 0
  for (let number = 0; number < 400; number++) {
    const look = lookOf(number, 1 + below(3), some(below(6), 12).map(String))
    const terms = [some(below(25), 60)]
    const found = chooseAds(floor, look, terms).map(({ contender, price }) => [contender.item.id, price])
    expect(found).toEqual(chooseAds(all, look, terms).map(({ contender, price }) => [contender.item.id, price]))
    wins += found.length
  }
  expect(wins).toBeGreaterThan(200)
})

test('a price is never above the bid, and bids change prices only as in a second-price auction', () => {
  for (let round = 0; round < 200; round++) {
    const items = Array.from({ length: 5 }, (_, number) => randomItem(1_000 * round + number))
    const everyone = new Map<ServedItem, Targeting>()
    const calm = (floor: Floor): Floor => {
      for (const contender of floor.contenders) contender.pace.lambda = 1
      floor.bounds.update(floor.contenders, 12)
      return floor
    }
    const look = lookOf(round, 1, [])
    const win = (given: readonly ServedItem[]) => chooseAds(calm(floorOf(given, everyone)), look, [[]])[0]
    const first = win(items)
    if (!first) continue
    const { bid } = first.contender.item
    expect(first.price).toBeLessThanOrEqual(bid.amount * bid.share)
    const raised = (id: string, factor: number) =>
      items.map((item) => (item.id === id ? { ...item, bid: { ...item.bid, amount: item.bid.amount * factor } } : item))
    const winner = first.contender.item.id
    expect(win(raised(winner, 2))).toMatchObject({ price: first.price })
    const loser = items.find((item) => item.id !== winner)!.id
    const afterwards = win(raised(loser, 1.3))!
    if (afterwards.contender.item.id === winner) expect(afterwards.price).toBeGreaterThanOrEqual(first.price)
  }
})

test('people respond less the more often they have seen it, and more to what is good and what interests them', () => {
  const creative = { ...CREATIVE, hash: 1, quality: 0, interests: ['a'] }
  const chance = (seen: number, affinity: number, quality: number) => {
    const shown = { ...creative, quality }
    return predicted('engagement', shown, appeal(shown, { affinity, position: 0, seen, hour: 12 }))
  }
  for (let seen = 1; seen < 20; seen++) expect(chance(seen, 0.2, 0)).toBeLessThan(chance(seen - 1, 0.2, 0))
  expect(chance(0, 0.5, 0)).toBeGreaterThan(chance(0, 0, 0))
  expect(chance(0, 0, 0.5)).toBeGreaterThan(chance(0, 0, 0))
})

test('what people do has the predicted chance, and is the same when it is drawn again', () => {
  const creative = { ...CREATIVE, hash: 77, quality: 0.4, interests: [] }
  const sight = { affinity: 0, position: 0, seen: 0, hour: 12 }
  const draws = 40_000
  let engaged = 0
  for (let viewer = 1; viewer <= draws; viewer++) {
    const outcomes = respond(1, viewer, creative, sight)
    expect(respond(1, viewer, creative, sight)).toBe(outcomes)
    if (outcomes & 2) engaged += 1
  }
  const expected = draws * predicted('engagement', creative, appeal(creative, sight))
  expect(engaged / expected).toBeGreaterThan(0.85)
  // People differ, and those who respond readily weigh more than the others.
  expect(engaged / expected).toBeLessThan(1.3)
})

test('an A/B test finds a difference of equal ads as often as chance does, and that of a better ad nearly always', () => {
  const sight = { affinity: 0, position: 0, seen: 0, hour: 12 }
  const ads = (quality: number) =>
    [1, 2].map((hash, at) => ({ ...CREATIVE, hash, interests: [], quality: at === 0 ? 0 : quality }))
  /** Whether a test with so many people finds a difference at the level of 5 %. */
  const finds = (id: number, people: number, [first, second]: ReturnType<typeof ads>): boolean => {
    const groups = [0.5, 1].map((upTo) => ({ upTo, entityIds: new Set<string>() }))
    const running = { id: String(id), entityType: 'CAMPAIGN' as const, groups }
    const counts = [0, 1].map(() => ({ people: 0, engaged: 0 }))
    for (let viewer = 1; viewer <= people; viewer++) {
      const arm = armOf(running, viewer)
      counts[arm]!.people += 1
      if (respond(id, viewer, arm === 0 ? first! : second!, sight) & OUTCOME.engagements) counts[arm]!.engaged += 1
    }
    const [a, b] = counts as [(typeof counts)[0], (typeof counts)[0]]
    const all = (a.engaged + b.engaged) / (a.people + b.people)
    const deviation = Math.sqrt(all * (1 - all) * (1 / a.people + 1 / b.people))
    return Math.abs(a.engaged / a.people - b.engaged / b.people) > 1.96 * deviation
  }
  const found = (quality: number, tests: number, people: number) =>
    Array.from({ length: tests }, (_, id) => id).filter((id) => finds(id, people, ads(quality))).length
  const byChance = found(0, 200, 2_000)
  expect(byChance).toBeGreaterThan(3)
  expect(byChance).toBeLessThan(18)
  expect(found(1, 10, 20_000)).toBeGreaterThan(8)
})

test('a paced budget follows the traffic of the day within a quarter of an hour’s plan, and does not end early', () => {
  const traffic = new Traffic()
  const looksOf = (hour: number) => Math.round(400 * (1.2 + Math.sin(((hour - 9) / 24) * 2 * Math.PI)))
  const pace = newPace()
  const budget = 2_000
  const start = Date.parse('2026-11-16T00:00:00Z')
  const spentOf: number[] = []
  for (let minute = 0; minute < 3 * 1440; minute++) {
    const at = start + minute * 60_000
    const day = Math.floor(minute / 1440)
    const from = start + day * 1440 * 60_000
    const whole = traffic.weight(from, from + 1440 * 60_000)
    const spent = spentOf.slice(24 * day).reduce((sum, one) => sum + one, 0)
    setPace(pace, {
      budget,
      spent,
      gone: traffic.weight(from, at) / whole,
      next: traffic.weight(at, at + 60_000) / whole,
      mostLambda: 1,
    })
    const hour = Math.floor(minute / 60)
    spentOf[hour] ??= 0
    for (let look = 0; look < looksOf(hour % 24) / 60; look++) {
      traffic.add(at, 1)
      // Every auction that it takes part in is won at a price of one.
      if (share() >= pace.theta || spentOf.slice(24 * day).reduce((sum, one) => sum + one, 0) >= budget) continue
      pace.expected += 1
      spentOf[hour]! += 1
    }
  }
  const looks = Array.from({ length: 24 }, (_, hour) => looksOf(hour))
  const all = looks.reduce((sum, one) => sum + one, 0)
  for (const day of [1, 2]) {
    const ofDay = spentOf.slice(24 * day, 24 * day + 24)
    const deviation =
      ofDay.reduce((sum, spent, hour) => sum + Math.abs(spent - (budget * looks[hour]!) / all), 0) / budget
    expect(deviation).toBeLessThan(0.25)
    expect(ofDay.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(0.9 * budget)
    expect(ofDay.at(-1)).toBeGreaterThan(0)
  }
})
