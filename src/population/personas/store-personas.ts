import { idAt } from '../../process/ids.ts'
import { storeLinks } from '../../social/links/short-link.ts'
import { profileText } from '../../social/users/profile-text.ts'
import { countedUserTermsStored, octavesMoved } from '../../social/users/user-terms.ts'
import { CopyRows, copyInto } from '../../storage/copy.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { columns } from '../../world/seed-columns.ts'
import type { Row } from '../../world/seed-rows.ts'
import { FOLLOW_COLUMNS, USERS_MADE } from '../../world/seed-store.ts'
import { SeededRandom } from '../../world/seeded-random.ts'
import { STREAM, type Traits, traitsOf } from './persona-traits.ts'
import type { PlannedTies } from './planned-ties.ts'

const DAY_MS = 24 * 3600_000
export const JOIN_SPAN_MS = 5 * 365 * DAY_MS
// A prime above the number of personas: multiplication scatters them over the slots.
const SLOTS = 1_000_003
const SLOT_MS = Math.floor(JOIN_SPAN_MS / SLOTS)
// No running process has such machine numbers; see process/ids.ts.
const USER_MACHINE = 510
const FOLLOW_MACHINE = 509

const VIEWERS = `ads_viewer (number, user_id, language, locations, metro, age, gender, platform, platform_version, device,
  network_operator, network_months, wifi_only, interests, app_categories, device_hash)`
const PERSONAS = 'persona (user_id, viewer, seed, position, zone, later, looks_per_day, activity, topics)'

// With the counts that they will have: changing the number of followers later would write all their search terms again.
const usersAdd = statement(
  'population_users_add',
  {},
  `${USERS_MADE}, metrics as (
     insert into user_metrics (user_id, followers_count, following_count, verified_followers_count)
     select * from unnest($1::bigint[], $13::int[], $14::int[], $15::int[])
   ), counted as (select * from unnest($1::bigint[], $13::int[]) as c (user_id, followers_count)),
   terms as (${countedUserTermsStored('select id, username, search from made', 'counted')})
   insert into user_sign_in (user_id) select id from made`,
)
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
const countsRaise = statement(
  'population_counts_raise',
  {},
  `with counted as (
     update user_metrics m set followers_count = m.followers_count + d.followers, following_count = m.following_count + d.following,
       verified_followers_count = m.verified_followers_count + d.verified
     from unnest($1::bigint[], $2::int[], $3::int[], $4::int[]) as d (user_id, followers, following, verified)
     where m.user_id = d.user_id returning m.user_id, m.followers_count as followers, d.followers as added
   )
   ${octavesMoved('select * from counted')}`,
)
const followsLock = statement('population_follows_lock', {}, 'lock table follow in share mode')
const countsRenew = statement(
  'population_counts_renew',
  {},
  `with current as materialized (
     select p.user_id, (select count(*) from follow f where f.target_id = p.user_id and not f.pending)::int as followers,
            (select count(*) from follow f where f.source_id = p.user_id and not f.pending)::int as following,
            (select count(*) from follow f join user_account u on u.id = f.source_id
              where f.target_id = p.user_id and not f.pending and u.verified_type <> 'none')::int as verified
       from persona p where p.seed = $1 and p.position >= $2 and p.position < $3
   ), counted as (
     update user_metrics m set followers_count = c.followers, following_count = c.following, verified_followers_count = c.verified
       from current c join user_metrics b using (user_id)
      where m.user_id = c.user_id returning m.user_id, c.followers, c.followers - b.followers_count as added
   )
   ${octavesMoved('select * from counted')}`,
)

/** When a persona joined: each has a slot of its own in the five years before the first life. */
const joinedMs = (baseMs: number, seed: number, position: number): number => {
  const random = new SeededRandom(seed, STREAM.profile, position, 1)
  return baseMs + ((position * 618_033) % SLOTS) * SLOT_MS + random.below(SLOT_MS)
}
export const userIdOf = (baseMs: number, seed: number, position: number): string =>
  idAt(joinedMs(baseMs, seed, position), USER_MACHINE, seed & 0xfff)

export const personaName = (seed: number, position: number): string => `live${seed}_${position.toString(36)}`

/** The personas of a seed, as far as they are planned. */
export interface PlannedPersonas {
  seed: number
  baseMs: number
  userIds: readonly string[]
  ties: PlannedTies
}

/** Stores personas from a position to below another, with all that belongs to them except the follows. */
export async function storePersonas(tx: Tx, plan: PlannedPersonas, from: number, to: number): Promise<void> {
  const users: Row[] = []
  const links: string[] = []
  const viewers = new CopyRows((to - from) * 400)
  const personas = new CopyRows((to - from) * 100)
  const { last } = (await viewersTaken.first(tx))!
  for (let position = from; position < to; position++) {
    const traits = traitsOf(plan.seed, position)
    const id = plan.userIds[position]!
    const { row, links: own } = userRow(plan, position, traits)
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
    personas.add(id, viewer, plan.seed, position, home.zone, later, looksPerDay, activity, array(topics))
  }
  await usersAdd.count(tx, ...columns(users))
  await storeLinks(tx, links)
  await copyInto(tx, VIEWERS, viewers.bytes)
  await copyInto(tx, PERSONAS, personas.bytes)
  await viewersCounted.count(tx, last + to - from)
}

/** An array literal of targeting values, which have no special signs. */
const array = (values: readonly (string | number)[]): string => `{${values.join()}}`

function userRow({ seed, baseMs, userIds, ties }: PlannedPersonas, position: number, traits: Traits) {
  const random = new SeededRandom(seed, STREAM.profile, position)
  const { vocabulary: words, home } = traits
  const name = [random.pick(words.firstNames), random.pick(words.lastNames)]
  const profile = profileText({ description: random.chance(850) ? random.pick(words.bios) : '', url: '' })
  const row: Row = [
    userIds[position]!,
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
    ...ties.countsOf(position),
  ]
  return { row, links: profile.links }
}

/** The follows of some personas in the form of COPY. */
export function followRows({ baseMs, userIds, ties }: PlannedPersonas, positions: readonly number[]): Uint8Array {
  const rows = new CopyRows(positions.length * 27 * 64)
  for (const position of positions) {
    const followMs = baseMs + JOIN_SPAN_MS + (position % 1_000) * 60_000 + Math.floor(position / 1_000)
    let number = 0
    for (const target of ties.followedBy(position))
      rows.add(userIds[position]!, userIds[target]!, idAt(followMs, FOLLOW_MACHINE, number++), false)
  }
  return rows.bytes
}

export const storeFollowRows = (tx: Tx, rows: Uint8Array): Promise<void> => copyInto(tx, FOLLOW_COLUMNS, rows)

/** Adds what the planned follows give to personas that were there before. */
export async function raiseCounts(tx: Tx, { userIds, ties }: PlannedPersonas, from: number, to: number): Promise<void> {
  const rows: Row[] = []
  for (let position = from; position < to; position++) {
    const counts = ties.countsOf(position)
    if (counts.some((count) => count > 0)) rows.push([userIds[position]!, ...counts])
  }
  if (rows.length > 0) await countsRaise.count(tx, ...columns(rows))
}

/** Counts the follows of personas again, as they are stored. */
export async function renewCounts(tx: Tx, seed: number, from: number, to: number): Promise<void> {
  await followsLock.count(tx)
  await countsRenew.count(tx, seed, from, to)
}
