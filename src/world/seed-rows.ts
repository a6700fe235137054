import { postTerms } from '../search/post-terms.ts'
import { profileText } from '../social/users/profile-text.ts'
import { CopyRows } from '../storage/copy.ts'
import { FIRST_PLACES } from './first-world.data.ts'
import type { Dice } from './seed-dice.ts'
import { type SeedPlan, STREAM } from './seed-plan.ts'
import { writeSeedText } from './seed-text.ts'
import { SOURCES } from './seed-words.data.ts'

/** Rows of one step, column by column in the order of the statement that stores them. */
export type Row = (string | number | boolean | null)[]

/** Users from number `from` to below `to`. */
export function seedUsers(plan: SeedPlan, from: number, to: number): { users: Row[]; links: string[] } {
  const users: Row[] = []
  const links: string[] = []
  for (let user = from; user < to; user++) {
    const traits = plan.traits(user)
    const dice = plan.dice(STREAM.profile, user)
    const words = traits.vocabulary
    const name = [dice.pick(words.firstNames), dice.pick(words.lastNames)]
    const profile = profileText({
      description: dice.chance(850) ? dice.pick(words.bios) : '',
      url: dice.chance(200) ? `https://example.com/people/${plan.username(user)}` : '',
    })
    links.push(...profile.links)
    users.push([
      plan.userId(user),
      plan.username(user),
      // Family name first where it is the custom.
      words.lang === 'ja' || words.lang === 'ko' ? name.reverse().join(words.gap) : name.join(' '),
      profile.description ?? '',
      profile.descriptionEntities,
      dice.chance(600) ? dice.pick(words.places) : '',
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
export interface UserCounts {
  followers: number
  following: number
  verifiedFollowers: number
  posts: number
  /** Id of the latest post of the step. */
  latest: string | null
}

class Tally {
  readonly counts = new Map<number, UserCounts>()

  of(user: number): UserCounts {
    let found = this.counts.get(user)
    if (!found) {
      found = { followers: 0, following: 0, verifiedFollowers: 0, posts: 0, latest: null }
      this.counts.set(user, found)
    }
    return found
  }
}

/** Follows by these users; `firstNumber` is how many follows come before a user's own. Some follows of protected users still wait. */
export function seedFollows(
  plan: SeedPlan,
  sources: { user: number; count: number; firstNumber: number }[],
): { follows: CopyRows; counts: Map<number, UserCounts> } {
  const follows = new CopyRows()
  const tally = new Tally()
  for (const { user, count, firstNumber } of sources) {
    const dice = plan.dice(STREAM.follows, user)
    const sourceId = plan.userId(user)
    const isVerified = plan.traits(user).verifiedType !== 'none'
    let number = firstNumber
    for (const target of followed(plan, dice, user, count)) {
      const pending = plan.traits(target).protected && dice.chance(150)
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

function followed(plan: SeedPlan, dice: Dice, user: number, count: number): Set<number> {
  const { users } = plan.order
  const targets = new Set<number>()
  for (let tries = 0; targets.size < count && tries < count * 4; tries++) {
    const target = plan.userOfRank(dice.rank(users))
    if (target !== user) targets.add(target)
  }
  // Who follows nearly all of the popular ones goes on with the neighbours.
  for (let target = (user + 1) % users; targets.size < count; target = (target + 1) % users)
    if (target !== user) targets.add(target)
  return targets
}

/** Posts that are stored together refer only to each other, so that each step is exact on its own. */
export interface SeededPosts {
  posts: CopyRows
  mentions: CopyRows
  metrics: CopyRows
  counts: Map<number, UserCounts>
  links: string[]
}

interface Told {
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
    posts: new CopyRows((to - from) * BYTES_A_POST),
    mentions: new CopyRows(),
    metrics: new CopyRows(),
    counts: new Map(),
    links: [],
  }
  const tally = new Tally()
  // Posts that may be answered by anyone, and those that were, once per answer: what is talked about attracts more talk.
  const open: Told[] = []
  const talkedAbout: Told[] = []
  const all: Told[] = []
  const dice = plan.dice(STREAM.posts, from)
  for (let number = from; number < to; number++) {
    const author = plan.userOfRank(dice.rank(plan.order.users))
    const traits = plan.traits(author)
    const kind = open.length === 0 ? 1_000 : dice.below(1_000)
    const answered = kind < 320 ? chooseTarget(dice, open, talkedAbout) : undefined
    const quoted = kind >= 320 && kind < 400 ? chooseTarget(dice, open, talkedAbout) : undefined
    const text = writeSeedText(
      plan,
      plan.dice(STREAM.text, number),
      traits.vocabulary,
      answered && { user: answered.author, isSelf: answered.author === author },
    )
    const id = plan.postId(number)
    const told: Told = {
      id,
      author,
      authorId: plan.userId(author),
      conversationId: answered?.conversationId ?? id,
      replies: 0,
      quotes: 0,
    }
    if (answered) answered.replies += 1
    if (quoted) quoted.quotes += 1
    all.push(told)
    if (!traits.protected) open.push(told)
    made.links.push(...text.links)
    const place = dice.chance(30) ? dice.pick(FIRST_PLACES) : undefined
    text.searchable.replyToUserId = answered?.authorId
    text.searchable.place = place && { id: place.id, name: place.full_name, countryCode: place.country_code }
    made.posts.add(
      id,
      told.authorId,
      text.text,
      text.entities,
      text.range[0],
      text.range[1],
      text.lang,
      told.conversationId,
      answered?.id ?? null,
      answered?.authorId ?? null,
      quoted?.id ?? null,
      place?.id ?? null,
      `{${text.mentionedIds.join(',')}}`,
      dice.pick(SOURCES),
      postTerms(text.searchable),
      id,
    )
    for (const userId of text.mentionedIds) made.mentions.add(userId, id)
    const counts = tally.of(author)
    counts.posts += 1
    counts.latest = id
  }
  for (const { id, replies, quotes } of all) if (replies + quotes > 0) made.metrics.add(id, replies, quotes)
  made.counts = tally.counts
  return made
}

const BYTES_A_POST = 512
const RECENT = 200

function chooseTarget(dice: Dice, open: Told[], talkedAbout: Told[]): Told {
  const isPopular = talkedAbout.length > 0 && dice.chance(450)
  const target = isPopular
    ? dice.pick(talkedAbout)
    : open[open.length - 1 - Math.min(open.length - 1, dice.rank(RECENT))]!
  talkedAbout.push(target)
  return target
}
