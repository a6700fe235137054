import { postTerms } from '../search/post-terms.ts'
import { profileText } from '../social/users/profile-text.ts'
import { CopyRows } from '../storage/copy.ts'
import { FIRST_PLACES } from './first-world.data.ts'
import { type SeedPlan, STREAM } from './seed-plan.ts'
import { writeSeedText } from './seed-text.ts'
import { SOURCES } from './seed-words.data.ts'
import type { SeededRandom } from './seeded-random.ts'

/** Rows of one step, column by column in the order of the statement that stores them. */
export type Row = (string | number | boolean | null)[]

/** Users from number `from` to below `to`. */
export function seedUsers(plan: SeedPlan, from: number, to: number): { users: Row[]; links: string[] } {
  const users: Row[] = []
  const links: string[] = []
  for (let user = from; user < to; user++) {
    const traits = plan.traits(user)
    const random = plan.random(STREAM.profile, user)
    const words = traits.vocabulary
    const name = [random.pick(words.firstNames), random.pick(words.lastNames)]
    const profile = profileText({
      description: random.chance(850) ? random.pick(words.bios) : '',
      url: random.chance(200) ? `https://example.com/people/${plan.username(user)}` : '',
    })
    links.push(...profile.links)
    users.push([
      plan.userId(user),
      plan.username(user),
      // In these languages the family name comes first.
      words.lang === 'ja' || words.lang === 'ko' ? name.reverse().join(words.gap) : name.join(' '),
      profile.description ?? '',
      profile.descriptionEntities,
      random.chance(600) ? random.pick(words.places) : '',
      profile.url ?? '',
      profile.urlEntities,
      traits.protected,
      traits.verifiedType,
      traits.subscriptionType,
      new Date(plan.joinedMs(user)).toISOString(),
    ])
  }
  return { users, links }
}

/** What a step adds to the counters of a user. */
export interface CountChanges {
  followers: number
  following: number
  verifiedFollowers: number
  posts: number
  /** Id of the latest post of the step. */
  latest: string | null
}

class Tally {
  readonly counts = new Map<number, CountChanges>()

  of(user: number): CountChanges {
    let found = this.counts.get(user)
    if (!found) {
      found = { followers: 0, following: 0, verifiedFollowers: 0, posts: 0, latest: null }
      this.counts.set(user, found)
    }
    return found
  }
}

/** Follows by these users; `firstNumber` is how many follows come before a user's own. Some follows of protected users are pending. */
export function seedFollows(
  plan: SeedPlan,
  sources: { user: number; count: number; firstNumber: number }[],
): { follows: CopyRows; counts: Map<number, CountChanges> } {
  const follows = new CopyRows()
  const tally = new Tally()
  for (const { user, count, firstNumber } of sources) {
    const random = plan.random(STREAM.follows, user)
    const sourceId = plan.userId(user)
    const isVerified = plan.traits(user).verifiedType !== 'none'
    let number = firstNumber
    for (const target of followed(plan, random, user, count)) {
      const pending = plan.traits(target).protected && random.chance(150)
      follows.add(sourceId, plan.userId(target), plan.followId(number++), pending)
      if (pending) continue
      tally.of(user).following += 1
      const counts = tally.of(target)
      counts.followers += 1
      if (isVerified) counts.verifiedFollowers += 1
    }
  }
  return { follows, counts: tally.counts }
}

function followed(plan: SeedPlan, random: SeededRandom, user: number, count: number): Set<number> {
  const { users } = plan.order
  const targets = new Set<number>()
  for (let tries = 0; targets.size < count && tries < count * 4; tries++) {
    const target = plan.userOfRank(random.rank(users))
    if (target !== user) targets.add(target)
  }
  // A user who follows nearly all popular users follows the next numbers too.
  for (let target = (user + 1) % users; targets.size < count; target = (target + 1) % users)
    if (target !== user) targets.add(target)
  return targets
}

/** The posts of one step. They refer only to each other, so each step is complete in itself. */
export interface SeededPosts {
  posts: CopyRows
  /** The terms of each post. */
  terms: CopyRows
  mentions: CopyRows
  metrics: CopyRows
  counts: Map<number, CountChanges>
  links: string[]
}

interface SeededPost {
  id: string
  author: number
  authorId: string
  conversationId: string
  replies: number
  quotes: number
}

/** Posts from number `from` to below `to`. */
export function seedPosts(plan: SeedPlan, from: number, to: number): SeededPosts {
  const made: SeededPosts = {
    posts: new CopyRows((to - from) * BYTES_PER_POST),
    terms: new CopyRows((to - from) * BYTES_PER_POST),
    mentions: new CopyRows(),
    metrics: new CopyRows(),
    counts: new Map(),
    links: [],
  }
  const tally = new Tally()
  // `open` has the posts that anyone may answer. `talkedAbout` has a post once per answer, so popular posts get more answers.
  const open: SeededPost[] = []
  const talkedAbout: SeededPost[] = []
  const all: SeededPost[] = []
  const random = plan.random(STREAM.posts, from)
  for (let number = from; number < to; number++) {
    const author = plan.userOfRank(random.rank(plan.order.users))
    const traits = plan.traits(author)
    const kind = open.length === 0 ? 1_000 : random.below(1_000)
    const answered = kind < 320 ? chooseTarget(random, open, talkedAbout) : undefined
    const quoted = kind >= 320 && kind < 400 ? chooseTarget(random, open, talkedAbout) : undefined
    const text = writeSeedText(
      plan,
      plan.random(STREAM.text, number),
      traits.vocabulary,
      answered && { user: answered.author, isSelf: answered.author === author },
    )
    const id = plan.postId(number)
    const post: SeededPost = {
      id,
      author,
      authorId: plan.userId(author),
      conversationId: answered?.conversationId ?? id,
      replies: 0,
      quotes: 0,
    }
    if (answered) answered.replies += 1
    if (quoted) quoted.quotes += 1
    all.push(post)
    if (!traits.protected) open.push(post)
    made.links.push(...text.links)
    const place = random.chance(30) ? random.pick(FIRST_PLACES) : undefined
    text.searchable.replyToUserId = answered?.authorId
    text.searchable.place = place && { id: place.id, name: place.full_name, countryCode: place.country_code }
    made.posts.add(
      id,
      post.authorId,
      text.text,
      text.entities,
      text.range[0],
      text.range[1],
      text.lang,
      post.conversationId,
      answered?.id ?? null,
      answered?.authorId ?? null,
      quoted?.id ?? null,
      place?.id ?? null,
      `{${text.mentionedIds.join(',')}}`,
      random.pick(SOURCES),
      id,
    )
    made.terms.add(id, postTerms(text.searchable))
    for (const userId of text.mentionedIds) made.mentions.add(userId, id)
    const counts = tally.of(author)
    counts.posts += 1
    counts.latest = id
  }
  for (const { id, replies, quotes } of all) if (replies + quotes > 0) made.metrics.add(id, replies, quotes)
  made.counts = tally.counts
  return made
}

const BYTES_PER_POST = 512
const RECENT = 200

function chooseTarget(random: SeededRandom, open: SeededPost[], talkedAbout: SeededPost[]): SeededPost {
  const isPopular = talkedAbout.length > 0 && random.chance(450)
  const target = isPopular
    ? random.pick(talkedAbout)
    : open[open.length - 1 - Math.min(open.length - 1, random.rank(RECENT))]!
  talkedAbout.push(target)
  return target
}
