import { idAt } from '../process/ids.ts'
import { Dice } from './seed-dice.ts'
import { type Phrase, phrase } from './seed-phrases.ts'
import { VOCABULARIES, type Vocabulary } from './seed-words.data.ts'

/** What a seeded world is made from: the same order gives the same rows. */
export interface SeedOrder {
  seed: number
  users: number
  posts: number
  follows: number
  /** The last posts are just before this moment, in milliseconds; the first 30 days before it. */
  untilMs: number
}

export const LARGEST_SEED = 99_999
export const MOST_USERS = 10_000_000
export const MOST_POSTS = 1_000_000_000
/** The end of the posts when none is given: one moment for all, so that worlds are the same on any day. */
export const DEFAULT_UNTIL_MS = Date.UTC(2026, 0, 1)

const DAY_MS = 24 * 3600_000
const POSTS_SPAN_MS = 30 * DAY_MS
const USERS_SPAN_MS = 5 * 365 * DAY_MS

// No running process has such a high number, so seeded ids meet neither living ones nor those of another seed.
const FIRST_MACHINE = 512

// One stream of chance per matter: a change of one leaves the others as they are.
export const STREAM = { traits: 1, profile: 2, follows: 3, posts: 4, text: 5, counts: 6 } as const

/** What is fixed about a seeded user, found from the number alone. */
export interface Traits {
  vocabulary: Vocabulary
  protected: boolean
  verifiedType: 'none' | 'blue' | 'business' | 'government'
  subscriptionType: 'None' | 'Basic' | 'Premium' | 'PremiumPlus'
}

/** Times, ids, names and traits of a seeded world, each a function of a number: only some recent ones are kept. */
export class SeedPlan {
  readonly order: SeedOrder
  readonly #scatterUsers: (rank: number) => number
  readonly #scatterFollows: (number: number) => number
  readonly #ids = new Recent<string>()
  readonly #traits = new Recent<Traits>()
  readonly #mentions = new Recent<Phrase>()

  constructor(order: SeedOrder) {
    this.order = order
    this.#scatterUsers = scatter(order.users, order.seed)
    this.#scatterFollows = scatter(order.follows, order.seed)
  }

  dice(stream: number, number: number): Dice {
    return new Dice(this.order.seed, stream, number)
  }

  username(user: number): string {
    return `seed${this.order.seed}_${user.toString(36)}`
  }

  /** A user's name as texts mention it. */
  mention(user: number): Phrase {
    return this.#mentions.of(user, () => phrase(`@${this.username(user)}`))
  }

  /** When a user joined: at the latest a month before the last post. */
  joinedMs(user: number): number {
    const slot = Math.floor(USERS_SPAN_MS / this.order.users)
    return this.order.untilMs - POSTS_SPAN_MS - USERS_SPAN_MS + user * slot + this.#jitter(user, 7, slot)
  }

  userId(user: number): string {
    return this.#ids.of(user, () => this.#id(this.joinedMs(user)))
  }

  postId(post: number): string {
    const slot = Math.floor(POSTS_SPAN_MS / this.order.posts)
    return this.#id(this.order.untilMs - POSTS_SPAN_MS + post * slot + this.#jitter(post, 8, slot))
  }

  /** Follows are numbered by who follows, and happen in another order; no two at the same moment. */
  followId(number: number): string {
    const slot = Math.floor(POSTS_SPAN_MS / this.order.follows)
    return this.#id(this.order.untilMs - POSTS_SPAN_MS + this.#scatterFollows(number) * slot)
  }

  /** The user of a popularity rank: the popular ones are of any age. */
  userOfRank(rank: number): number {
    return this.#scatterUsers(rank)
  }

  traits(user: number): Traits {
    return this.#traits.of(user, () => this.#throwTraits(user))
  }

  #throwTraits(user: number): Traits {
    const dice = this.dice(STREAM.traits, user)
    const vocabulary = SPEAKERS[dice.below(SPEAKERS.length)]!
    const isProtected = dice.chance(50)
    const mark = dice.below(1_000)
    const verifiedType = mark < 80 ? 'blue' : mark < 95 ? 'business' : mark < 100 ? 'government' : 'none'
    const subscriptionType = verifiedType === 'none' ? (dice.chance(30) ? 'Basic' : 'None') : dice.pick(PAID)
    return { vocabulary, protected: isProtected, verifiedType, subscriptionType }
  }

  /** How many follow requests each user makes, about `follows` in all with some users far above the others. */
  followCounts(): Int32Array {
    const { users, follows } = this.order
    const counts = new Int32Array(users)
    if (follows === 0) return counts
    const dice = this.dice(STREAM.counts, 0)
    let sum = 0
    for (let user = 0; user < users; user++) {
      counts[user] = 1 + dice.below(2 ** dice.below(7))
      sum += counts[user]!
    }
    let left = follows
    for (let user = 0; user < users; user++) {
      counts[user] = Math.min(users - 1, Math.floor((follows * counts[user]!) / sum))
      left -= counts[user]!
    }
    for (let user = 0; left > 0; user = (user + 1) % users) {
      if (counts[user]! === users - 1) continue
      counts[user]! += 1
      left -= 1
    }
    return counts
  }

  #id(ms: number): string {
    return idAt(ms, FIRST_MACHINE + (this.order.seed >> 12), this.order.seed & 0xfff)
  }

  #jitter(number: number, stream: number, slot: number): number {
    return this.dice(stream, number).below(Math.min(slot, 0xffff_ffff))
  }
}

// Popular users are asked for again and again.
class Recent<T> {
  readonly #numbers = new Int32Array(1 << 15).fill(-1)
  readonly #values: T[] = []

  of(number: number, make: () => T): T {
    const slot = number & 0x7fff
    if (this.#numbers[slot] === number) return this.#values[slot]!
    const value = make()
    this.#numbers[slot] = number
    this.#values[slot] = value
    return value
  }
}

// Each language as often as it has speakers of a hundred.
const SPEAKERS = VOCABULARIES.flatMap((item) => Array<Vocabulary>(item.share).fill(item))
const PAID = ['Basic', 'Premium', 'Premium', 'PremiumPlus'] as const

/** A mixed order of the numbers below `size`, each once. */
function scatter(size: number, seed: number): (number: number) => number {
  if (size < 2) return () => 0
  const start = new Dice(seed, size).below(size)
  let step = Math.max(1, Math.floor(size * 0.618) + (seed % 1_000))
  while (greatestDivisor(step, size) !== 1) step++
  // Sizes stay below 10^9 and the step near them, so that the product is taken in two exact parts.
  const high = Math.floor(step / 65_536)
  const low = step % 65_536
  return (number) => (((((number * high) % size) * 65_536) % size) + number * low + start) % size
}

function greatestDivisor(left: number, right: number): number {
  return right === 0 ? left : greatestDivisor(right, left % right)
}
