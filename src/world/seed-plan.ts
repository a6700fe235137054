import { idAt } from '../process/ids.ts'
import { type Phrase, phrase } from './seed-phrases.ts'
import { VOCABULARIES, type Vocabulary } from './seed-words.data.ts'
import { SeededRandom } from './seeded-random.ts'

/** What a seeded world is made from: the same order gives the same rows. */
export interface SeedOrder {
  seed: number
  users: number
  posts: number
  follows: number
  /** The last posts are just before this moment, in milliseconds; the first 30 days before it. */
  untilMs: number
  /** The address of the server, which the addresses of pictures begin with. */
  baseUrl?: string
}

export const LARGEST_SEED = 99_999
export const MOST_USERS = 10_000_000
export const MOST_POSTS = 1_000_000_000
const DAY_MS = 24 * 3600_000
const POSTS_SPAN_MS = 30 * DAY_MS
const USERS_SPAN_MS = 5 * 365 * DAY_MS

// No running process has a machine number this high, so seeded ids never equal other ids or those of another seed.
const FIRST_MACHINE = 512
const PICTURES_MACHINE = 640
const MACHINES_OF_SEEDS = 32
const LIKES_MACHINE = 1_000
/** How many pictures a step of posts can have. */
export const PICTURES_PER_STEP = 4

// Each purpose has its own stream of random numbers, so a change to one leaves the others unchanged.
export const STREAM = { traits: 1, profile: 2, follows: 3, posts: 4, text: 5, counts: 6, likes: 9 } as const

/** What is fixed about a seeded user. It depends only on the user's number. */
interface Traits {
  vocabulary: Vocabulary
  protected: boolean
  verifiedType: 'none' | 'blue' | 'business' | 'government'
  subscriptionType: 'None' | 'Basic' | 'Premium' | 'PremiumPlus'
}

/** Times, ids, names and traits of a seeded world, each computed from a number. Only recent values are cached. */
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

  random(stream: number, number: number): SeededRandom {
    return new SeededRandom(this.order.seed, stream, number)
  }

  username(user: number): string {
    return `seed${this.order.seed}_${user.toString(36)}`
  }

  /** A user's name as texts mention it. */
  mention(user: number): Phrase {
    return this.#mentions.of(user, () => phrase(`@${this.username(user)}`))
  }

  /** When a user joined: at least a month before the last post. */
  joinedMs(user: number): number {
    const slot = Math.floor(USERS_SPAN_MS / this.order.users)
    return this.order.untilMs - POSTS_SPAN_MS - USERS_SPAN_MS + user * slot + this.#jitter(user, 7, slot)
  }

  userId(user: number): string {
    return this.#ids.of(user, () => this.#id(this.joinedMs(user)))
  }

  postMs(post: number): number {
    const slot = Math.floor(POSTS_SPAN_MS / this.order.posts)
    return this.order.untilMs - POSTS_SPAN_MS + post * slot + this.#jitter(post, 8, slot)
  }

  postId(post: number): string {
    return this.#id(this.postMs(post))
  }

  /** The id of picture `number` of the step that begins with a post. */
  pictureId(firstPost: number, number: number): string {
    const { seed } = this.order
    const machine = PICTURES_MACHINE + number * MACHINES_OF_SEEDS + (seed >> 12)
    return idAt(this.postMs(firstPost), machine, seed & 0xfff)
  }

  /** The id of a like; `number` distinguishes likes of the same moment. */
  likeId(ms: number, number: number): string {
    return idAt(ms, LIKES_MACHINE, number & 0xfff)
  }

  /** The address of a post, which the addresses of its pictures begin with. */
  postUrl(user: number, id: string): string {
    return `${this.baseUrl}/${this.username(user)}/status/${id}`
  }

  get baseUrl(): string {
    return this.order.baseUrl ?? 'http://localhost'
  }

  /** Follows are numbered by follower but happen in another order, each at its own moment. */
  followId(number: number): string {
    const slot = Math.floor(POSTS_SPAN_MS / this.order.follows)
    return this.#id(this.order.untilMs - POSTS_SPAN_MS + this.#scatterFollows(number) * slot)
  }

  /** The follows of others, shortly before the last post. */
  lateFollowId(number: number): string {
    return this.#id(this.order.untilMs - 3600_000 + number * 1_000)
  }

  /** The most popular users whom everybody may follow. */
  popularUsers(): number[] {
    const ranks = Array.from({ length: Math.min(this.order.users, 30) }, (_, rank) => this.userOfRank(rank))
    return ranks.filter((user) => !this.traits(user).protected).slice(0, 20)
  }

  /** The user with a popularity rank. Rank does not depend on when a user joined. */
  userOfRank(rank: number): number {
    return this.#scatterUsers(rank)
  }

  traits(user: number): Traits {
    return this.#traits.of(user, () => this.#chooseTraits(user))
  }

  #chooseTraits(user: number): Traits {
    const random = this.random(STREAM.traits, user)
    const vocabulary = SPEAKERS[random.below(SPEAKERS.length)]!
    const isProtected = random.chance(50)
    const mark = random.below(1_000)
    const verifiedType = mark < 80 ? 'blue' : mark < 95 ? 'business' : mark < 100 ? 'government' : 'none'
    const subscriptionType = verifiedType === 'none' ? (random.chance(30) ? 'Basic' : 'None') : random.pick(PAID)
    return { vocabulary, protected: isProtected, verifiedType, subscriptionType }
  }

  /** How many users each user follows. A few follow far more than the others. */
  followCounts(): Int32Array {
    const { users, follows } = this.order
    const counts = new Int32Array(users)
    if (follows === 0) return counts
    const random = this.random(STREAM.counts, 0)
    let sum = 0
    for (let user = 0; user < users; user++) {
      counts[user] = 1 + random.below(2 ** random.below(7))
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
    return this.random(stream, number).below(Math.min(slot, 0xffff_ffff))
  }
}

// Popular users are looked up often.
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

// Each language occurs as many times as its share in percent.
const SPEAKERS = VOCABULARIES.flatMap((item) => Array<Vocabulary>(item.share).fill(item))
const PAID = ['Basic', 'Premium', 'Premium', 'PremiumPlus'] as const

/** A permutation of the numbers below `size`. */
function scatter(size: number, seed: number): (number: number) => number {
  if (size < 2) return () => 0
  const start = new SeededRandom(seed, size).below(size)
  let step = Math.max(1, Math.floor(size * 0.618) + (seed % 1_000))
  while (greatestDivisor(step, size) !== 1) step++
  // Sizes and steps reach 10^9, so the product is computed in two parts that each stay exact.
  const high = Math.floor(step / 65_536)
  const low = step % 65_536
  return (number) => (((((number * high) % size) * 65_536) % size) + number * low + start) % size
}

function greatestDivisor(left: number, right: number): number {
  return right === 0 ? left : greatestDivisor(right, left % right)
}
