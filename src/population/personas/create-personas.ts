import { setImmediate as turn } from 'node:timers/promises'
import type { Runtime } from '../../api-kit/runtime.ts'
import { idAt } from '../../process/ids.ts'
import { profileText } from '../../social/users/profile-text.ts'
import { CopyRows, copyInto } from '../../storage/copy.ts'
import { repeatingDeadlock, type Tx, transaction } from '../../storage/database.ts'
import { readFact, writeFact } from '../../storage/instance-facts.ts'
import { statement } from '../../storage/statement.ts'
import { invalidateAll } from '../../world/invalidate-all.ts'
import { type Row, Tally } from '../../world/seed-rows.ts'
import { storeFollows, storeUsers } from '../../world/seed-store.ts'
import { SeededRandom } from '../../world/seeded-random.ts'
import { claimWorld } from '../../world/world-lock.ts'
import { Communities } from './persona-ties.ts'
import { STREAM, type Traits, traitsOf } from './persona-traits.ts'

const USERS_PER_STEP = 2_000
// Each step updates the counters of popular users once.
const FOLLOWS_PER_STEP = 40_000
const DAY_MS = 24 * 3600_000
const JOIN_SPAN_MS = 5 * 365 * DAY_MS
export const MOST_PERSONAS = 1_000_000
// A prime above the number of personas: multiplication scatters them over the slots.
const SLOTS = 1_000_003
const SLOT_MS = Math.floor(JOIN_SPAN_MS / SLOTS)
// No running process has such a machine number; see process/ids.ts.
const USER_MACHINE = 510
const FOLLOW_MACHINE = 509

const VIEWERS = `ads_viewer (number, user_id, language, locations, metro, age, gender, platform, platform_version, device,
  network_operator, network_months, wifi_only, interests, app_categories, device_hash)`
const PERSONAS = 'persona (user_id, viewer, seed, position, zone, later, looks_per_day, activity, topics)'

const viewersTaken = statement(
  'population_viewers_taken',
  { last: 'int4' },
  'select coalesce(max(number), 0) as last from ads_viewer',
)
// The next viewer that is not a persona gets the number after these.
const viewersCounted = statement(
  'population_viewers_counted',
  {},
  `select setval(pg_get_serial_sequence('ads_viewer', 'number'), $1::int)`,
)

/** How far the making of a seed's personas is. It is stored with the rows. */
interface Progress {
  /** Since the first step: ids of users follow from it. */
  baseMs: number
  made: number
  /** Personas whose follows are stored. */
  tied: number
}

const factName = (seed: number): string => `population_${seed}`

async function readProgress(runtime: Runtime, seed: number): Promise<Progress> {
  const fact = await readFact(runtime.database, factName(seed))
  if (fact !== undefined) return JSON.parse(fact) as Progress
  return { baseMs: Math.floor(runtime.clock.now() / DAY_MS) * DAY_MS - 30 * DAY_MS - JOIN_SPAN_MS, made: 0, tied: 0 }
}

/** Makes the personas of a seed up to a number, as far as they do not exist. False when it was stopped; it can go on later. */
export async function createPersonas(
  runtime: Runtime,
  { seed, personas }: { seed: number; personas: number },
  watch: { stopped(): boolean; progress(made: number, tied: number): Promise<void> },
): Promise<boolean> {
  let progress = await readProgress(runtime, seed)
  const step = async (next: Progress, work: (tx: Tx) => Promise<void>) => {
    await repeatingDeadlock(() =>
      transaction(runtime.database, async (tx) => {
        await claimWorld(tx)
        await work(tx)
        await writeFact(tx, factName(seed), JSON.stringify(next))
      }),
    )
    progress = next
    await watch.progress(progress.made, progress.tied)
  }
  while (progress.made < personas) {
    if (watch.stopped()) return false
    const to = Math.min(personas, progress.made + USERS_PER_STEP)
    await step({ ...progress, made: to }, (tx) => addUsers(tx, progress.baseMs, seed, progress.made, to))
    await turn()
  }
  if (progress.tied >= progress.made) return true
  await runtime.database.query({ text: 'analyze user_account, user_metrics, persona' })
  const traits = await allTraits(seed, progress.made)
  const communities = new Communities()
  for (const [position, item] of traits.entries()) communities.add(position, item)
  while (progress.tied < progress.made) {
    if (watch.stopped()) return false
    const made = tieSome(progress, seed, traits, communities)
    const plan = { userId: (position: number) => userIdOf(progress.baseMs, seed, position) }
    await step({ ...progress, tied: made.to }, (tx) => storeFollows(tx, plan, made))
    await turn()
  }
  await invalidateAll(runtime)
  await runtime.database.query({ text: 'analyze follow, ads_viewer' })
  return true
}

const TURN = 500

async function allTraits(seed: number, count: number): Promise<Traits[]> {
  const traits: Traits[] = []
  for (let position = 0; position < count; position++) {
    traits.push(traitsOf(seed, position))
    if (position % TURN === 0) await turn()
  }
  return traits
}

/** When a persona joined: each has a slot of its own in the five years before the first life. */
const joinedMs = (baseMs: number, seed: number, position: number): number => {
  const random = new SeededRandom(seed, STREAM.profile, position, 1)
  return baseMs + ((position * 618_033) % SLOTS) * SLOT_MS + random.below(SLOT_MS)
}
const userIdOf = (baseMs: number, seed: number, position: number): string =>
  idAt(joinedMs(baseMs, seed, position), USER_MACHINE, seed & 0xfff)

export const personaName = (seed: number, position: number): string => `live${seed}_${position.toString(36)}`

async function addUsers(tx: Tx, baseMs: number, seed: number, from: number, to: number): Promise<void> {
  const users: Row[] = []
  const links: string[] = []
  const viewers = new CopyRows(USERS_PER_STEP * 400)
  const personas = new CopyRows(USERS_PER_STEP * 100)
  const { last } = (await viewersTaken.first(tx))!
  for (let position = from; position < to; position++) {
    const traits = traitsOf(seed, position)
    const id = userIdOf(baseMs, seed, position)
    const { row, links: own } = userRow(baseMs, seed, position, id, traits)
    users.push(row)
    links.push(...own)
    const viewer = last + 1 + position - from
    const { home } = traits
    viewers.add(
      viewer,
      id,
      traits.vocabulary.lang,
      array(home.locations),
      home.metro,
      traits.age,
      traits.gender,
      traits.platform,
      traits.platformVersion,
      traits.device,
      traits.networkOperator,
      traits.networkMonths,
      traits.wifiOnly,
      array(traits.interests),
      array(traits.appCategories),
      traits.deviceHash,
    )
    const { later, looksPerDay, activity, topics } = traits
    personas.add(id, viewer, seed, position, home.zone, later, looksPerDay, activity, array(topics))
  }
  await storeUsers(tx, { users, links })
  await copyInto(tx, VIEWERS, viewers.bytes)
  await copyInto(tx, PERSONAS, personas.bytes)
  await viewersCounted.count(tx, last + to - from)
}

/** An array literal of targeting values, which have no special signs. */
const array = (values: readonly (string | number)[]): string => `{${values.join()}}`

function userRow(baseMs: number, seed: number, position: number, id: string, traits: Traits) {
  const random = new SeededRandom(seed, STREAM.profile, position)
  const { vocabulary: words, home } = traits
  const name = [random.pick(words.firstNames), random.pick(words.lastNames)]
  const profile = profileText({ description: random.chance(850) ? random.pick(words.bios) : '', url: '' })
  const row: Row = [
    id,
    personaName(seed, position),
    // In these languages the family name comes first.
    words.lang === 'ja' || words.lang === 'ko' ? name.reverse().join(words.gap) : name.join(' '),
    profile.description ?? '',
    profile.descriptionEntities,
    random.chance(600) ? home.city : '',
    profile.url ?? '',
    profile.urlEntities,
    traits.isProtected,
    traits.isVerified ? 'blue' : 'none',
    traits.isVerified ? 'Premium' : 'None',
    new Date(joinedMs(baseMs, seed, position)).toISOString(),
  ]
  return { row, links: profile.links }
}

/** The follows of the next personas, with what they add to counters. */
function tieSome(progress: Progress, seed: number, traits: readonly Traits[], communities: Communities) {
  const follows = new CopyRows()
  const tally = new Tally()
  let to = progress.tied
  for (let count = 0; to < progress.made && count < FOLLOWS_PER_STEP; to++) {
    const own = traits[to]!
    const sourceId = userIdOf(progress.baseMs, seed, to)
    let number = 0
    for (const target of communities.followed(seed, to, own)) {
      const followMs = progress.baseMs + JOIN_SPAN_MS + (to % 1_000) * 60_000 + Math.floor(to / 1_000)
      follows.add(sourceId, userIdOf(progress.baseMs, seed, target), idAt(followMs, FOLLOW_MACHINE, number++), false)
      tally.of(to).following += 1
      const counts = tally.of(target)
      counts.followers += 1
      if (own.isVerified) counts.verifiedFollowers += 1
      count += 1
    }
  }
  return { follows, counts: tally.counts, to }
}
