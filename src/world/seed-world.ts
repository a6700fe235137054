import { sortTerms } from '../search/slices/keep-slices.ts'
import { type Database, type Db, repeatingDeadlock, sqlState, type Tx, transaction } from '../storage/database.ts'
import { readFact, writeFact } from '../storage/instance-facts.ts'
import { LOCK } from '../storage/lock-numbers.ts'
import { statement } from '../storage/statement.ts'
import { postMaker } from './seed-maker.ts'
import { type SeedOrder, SeedPlan } from './seed-plan.ts'
import { seedFollows, seedUsers } from './seed-rows.ts'
import { prepareSlices } from './seed-slices.ts'
import { addPostCounts, followPopular, type PackedPosts, storeFollows, storePosts, storeUsers } from './seed-store.ts'
import { shareWorld } from './world-lock.ts'

// Posts of one step refer only to each other, so a different step size would give a different world.
const POSTS_PER_STEP = 4_000
const USERS_PER_STEP = 4_000
const FOLLOWS_PER_STEP = 8_000
const ANALYZE_FROM_ROWS = 10_000
const LANES = 2
const LOCK_NOT_AVAILABLE = '55P03'

/** The world cannot be made as requested. The command line shows the message. */
export class SeedError extends Error {}

/** The progress of a seed, stored in the same transactions as its rows. */
export interface SeedProgress {
  users: number
  /** Users whose follows are stored. */
  followers: number
  follows: number
  posts: number
}

export interface SeedResult {
  /** `made` in this run, `completed` after an earlier stop, `present` before the run, or `stopped` by the caller. */
  outcome: 'made' | 'completed' | 'present' | 'stopped'
  order: SeedOrder
  progress: SeedProgress
  run: { users: SeedTiming; follows: SeedTiming; posts: SeedTiming }
}

/** How many rows one run stored, and how long that took. */
export interface SeedTiming {
  rows: number
  ms: number
}

const factRenew = statement('seed_fact_renew', {}, 'update instance_fact set value = $2 where name = $1')
const userExists = statement(
  'seed_user_exists',
  { found: 'bool' },
  'select exists (select from user_account where id = $1) as found',
)

const DISAPPEARED =
  'Seeded users disappeared while their follows and posts were being written, for example because of a reset. Run the same command again.'

interface Watch {
  /** Called after each step. */
  progress(progress: SeedProgress, order: SeedOrder): void
  /** True when the run must end after the current step. */
  stopped(): boolean
}

type Fact = SeedOrder & { progress: SeedProgress }

/** Fills the database with the world of an order, or continues where an earlier run of the same order ended. */
export async function seedWorld(
  database: Database,
  order: SeedOrder,
  watch: Watch,
  options: { anyMoment: boolean },
): Promise<SeedResult> {
  const lock = await database.pool.connect()
  try {
    const { rows } = await lock.query('select pg_try_advisory_lock($1, $2) as taken', [LOCK.seed, order.seed])
    if (!rows[0].taken)
      throw new SeedError(`Another process is seeding --seed ${order.seed} on this database. Wait for it to end.`)
    const earlier = await readSeed(database, order.seed)
    if (earlier) refuseOther(earlier, order, options.anyMoment)
    return await new Seeding(database, earlier ?? { ...order, progress: NOTHING }, watch).run(earlier !== undefined)
  } catch (error) {
    throw toSeedError(error, order)
  } finally {
    await lock.query('select pg_advisory_unlock($1, $2)', [LOCK.seed, order.seed]).catch(() => {})
    lock.release()
  }
}

const NOTHING: SeedProgress = { users: 0, followers: 0, follows: 0, posts: 0 }
const factName = (seed: number) => `seed_${seed}`

// After a reset the stored progress may describe users that no longer exist.
async function readSeed(db: Db, seed: number): Promise<Fact | undefined> {
  const value = await readFact(db, factName(seed))
  if (value === undefined) return undefined
  const fact = JSON.parse(value) as Fact
  return (await userExists.first(db, new SeedPlan(fact).userId(0)))?.found ? fact : undefined
}

function refuseOther(earlier: Fact, order: SeedOrder, anyMoment: boolean): void {
  const same =
    earlier.users === order.users &&
    earlier.posts === order.posts &&
    earlier.follows === order.follows &&
    (anyMoment || earlier.untilMs === order.untilMs)
  if (same) return
  throw new SeedError(
    `Seed ${order.seed} was used on this database with --users ${earlier.users} --posts ${earlier.posts} --follows ${earlier.follows} --until ${new Date(earlier.untilMs).toISOString()}${isDone(earlier) ? '' : ' and is not complete; use these values to complete it'}. Choose another --seed, or empty the database with \`rostra reset --yes\`.`,
  )
}

const isDone = ({ users, posts, progress }: Fact) =>
  progress.users === users && progress.followers === users && progress.posts === posts

class Seeding {
  readonly #database: Database
  readonly #plan: SeedPlan
  readonly #order: SeedOrder
  readonly #watch: Watch
  #progress: SeedProgress
  readonly #run = { users: { rows: 0, ms: 0 }, follows: { rows: 0, ms: 0 }, posts: { rows: 0, ms: 0 } }

  constructor(database: Database, fact: Fact, watch: Watch) {
    const { progress, ...order } = fact
    this.#database = database
    this.#order = order
    this.#plan = new SeedPlan(order)
    this.#progress = progress
    this.#watch = watch
  }

  async run(isContinued: boolean): Promise<SeedResult> {
    const answer = (outcome: SeedResult['outcome']): SeedResult => ({
      outcome,
      order: this.#order,
      progress: this.#progress,
      run: this.#run,
    })
    if (isDone({ ...this.#order, progress: this.#progress })) return answer('present')
    // Starts now, so the first posts are ready when users and follows are stored.
    const supply = this.#supplyPosts()
    try {
      await this.#phase('users', () => this.#addUsers())
      await this.#phase('follows', () => this.#addFollows())
      await this.#phase('posts', () => this.#addPosts(supply.next))
    } finally {
      await supply.close()
    }
    if (!isDone({ ...this.#order, progress: this.#progress })) return answer('stopped')
    const rows = Object.values(this.#run).reduce((sum, timing) => sum + timing.rows, 0)
    if (rows >= ANALYZE_FROM_ROWS) await this.#database.query({ text: 'analyze' })
    return answer(isContinued ? 'completed' : 'made')
  }

  async #phase(kind: 'users' | 'follows' | 'posts', work: () => Promise<void>): Promise<void> {
    const before = this.#progress[kind]
    const started = performance.now()
    if (!this.#watch.stopped()) await work()
    this.#run[kind] = { rows: this.#progress[kind] - before, ms: Math.round(performance.now() - started) }
  }

  async #addUsers(): Promise<void> {
    const { users } = this.#order
    while (this.#progress.users < users && !this.#watch.stopped()) {
      const to = Math.min(users, this.#progress.users + USERS_PER_STEP)
      const made = seedUsers(this.#plan, this.#progress.users, to)
      await this.#step({ users: to }, (tx) => storeUsers(tx, made))
    }
    // The planner has no statistics about the new rows yet, and each later row looks up its user.
    if (users >= ANALYZE_FROM_ROWS) await this.#database.query({ text: 'analyze user_account, user_metrics' })
  }

  async #addFollows(): Promise<void> {
    const { users } = this.#order
    if (this.#progress.users < users || this.#progress.followers === users) return
    const counts = this.#plan.followCounts()
    while (this.#progress.followers < users && !this.#watch.stopped()) {
      const sources: { user: number; count: number; firstNumber: number }[] = []
      let { followers: user, follows: number } = this.#progress
      for (; user < users && number - this.#progress.follows < FOLLOWS_PER_STEP; user++) {
        sources.push({ user, count: counts[user]!, firstNumber: number })
        number += counts[user]!
      }
      const made = seedFollows(this.#plan, sources)
      const isFirst = this.#progress.followers === 0
      await this.#step({ followers: user, follows: number }, async (tx) => {
        if (isFirst) await followPopular(tx, this.#plan)
        await storeFollows(tx, this.#plan, made)
      })
    }
  }

  /** Makes the missing posts step by step, some steps ahead of the writer. */
  #supplyPosts(): { next(): Promise<PackedPosts>; close(): Promise<void> } {
    const { posts } = this.#order
    const maker = postMaker(this.#order)
    const ahead: Promise<PackedPosts>[] = []
    let from = this.#progress.posts
    const fill = () => {
      for (; from < posts && ahead.length < maker.ahead; from += POSTS_PER_STEP)
        ahead.push(maker.make(from, Math.min(posts, from + POSTS_PER_STEP)))
    }
    fill()
    return {
      next() {
        const made = ahead.shift()!
        fill()
        return made
      },
      close: () => maker.close(),
    }
  }

  // Several steps are written at the same time, one per lane, but they commit in order. So the stored posts are always the
  // first posts of the world.
  async #addPosts(next: () => Promise<PackedPosts>): Promise<void> {
    const { users, posts } = this.#order
    if (this.#progress.followers < users) return
    if (this.#progress.posts < posts) await transaction(this.#database, (tx) => prepareSlices(tx, this.#plan))
    let from = this.#progress.posts
    let before: Promise<void> = Promise.resolve()
    const lane = async () => {
      while (from < posts && !this.#watch.stopped()) {
        const to = Math.min(posts, from + POSTS_PER_STEP)
        from = to
        const earlier = before
        before = next().then((made) =>
          this.#step(
            { posts: to },
            (tx) => storePosts(tx, made),
            async (tx) => {
              await earlier
              await addPostCounts(tx, made)
            },
          ),
        )
        await before
      }
    }
    const lanes = await Promise.allSettled(Array.from({ length: LANES }, lane))
    for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason
    await sortTerms(this.#database)
  }

  /** Stores a step; `last` runs what must wait for the previous step. */
  async #step(
    add: Partial<SeedProgress>,
    work: (tx: Tx) => Promise<void>,
    last: (tx: Tx) => Promise<void> = async () => {},
  ): Promise<void> {
    const progress = { ...this.#progress, ...add }
    const fact = JSON.stringify({ ...this.#order, progress } satisfies Fact)
    // Requests to the running server change the same counters.
    await repeatingDeadlock(() =>
      transaction(this.#database, async (tx) => {
        await shareWorld(tx)
        await work(tx)
        await last(tx)
        await this.#writeFact(tx, fact)
      }),
    )
    this.#progress = progress
    this.#watch.progress(progress, this.#order)
  }

  // A reset deletes the stored progress with all rows. Later rows would refer to users that no longer exist.
  async #writeFact(tx: Tx, fact: string): Promise<void> {
    const name = factName(this.#order.seed)
    if (this.#progress === NOTHING) await writeFact(tx, name, fact)
    else if ((await factRenew.count(tx, name, fact)) === 0) throw new SeedError(DISAPPEARED)
  }
}

/** An error of the database as a sentence about the seed, if it has a known cause. */
function toSeedError(error: unknown, order: SeedOrder): unknown {
  const code = sqlState(error)
  if (code === '23505')
    return new SeedError(
      `Rows of --seed ${order.seed} conflict with existing rows: a username begins with seed${order.seed}_, or an id is taken. Choose another --seed.`,
    )
  if (code === '23503') return new SeedError(DISAPPEARED)
  if (code === LOCK_NOT_AVAILABLE)
    return new SeedError(
      'The tables are locked, for example by a reset or an upgrade. Run the same command again to complete the world.',
    )
  if (code === '53100')
    return new SeedError(
      'The disk of the database is full. Free some space, then run the same command again to complete the world.',
    )
  return error
}
