import { profileText } from '../social/users/profile-text.ts'
import { CopyRows } from '../storage/copy.ts'
import { type SeedPlan, STREAM } from './seed-plan.ts'
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
  likes: number
  /** Posts with a picture. */
  media: number
  /** Id of the latest post of the step. */
  latest: string | null
}

export class Tally {
  readonly counts = new Map<number, CountChanges>()

  of(user: number): CountChanges {
    let found = this.counts.get(user)
    if (!found) {
      found = { followers: 0, following: 0, verifiedFollowers: 0, posts: 0, likes: 0, media: 0, latest: null }
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
