import { realNow } from '../../process/clock.ts'
import { baseUrl, outerEnvironment } from '../../settings.ts'
import { runningInstance } from '../../start/instance-lock.ts'
import { readClockState } from '../../storage/clock-facts.ts'
import { type ConnectionOptions, type Database, openDatabase } from '../../storage/database.ts'
import { readFact } from '../../storage/instance-facts.ts'
import { LARGEST_SEED, MOST_POSTS, MOST_USERS, type SeedOrder } from '../../world/seed-plan.ts'
import type { SeedProgress, SeedResult, SeedTiming } from '../../world/seed-world.ts'
import { type Call, type CliCommand, numberFlag, UsageError } from '../command-line.ts'
import { loadProduct } from '../load-product.ts'
import { callRunning } from '../reach-runtime.ts'
import { requireData, sayWhere } from '../where.ts'

const FOLLOWS_PER_USER = 10
const EARLIEST_UNTIL_MS = Date.UTC(2016, 0, 1)
const STOPPED_BY_SIGNAL = 130

export const seedCommand: CliCommand = {
  name: 'seed',
  summary:
    'Fills the database with users, follows, posts, likes and pictures. The same seed, sizes and moment give the same rows.',
  flags: {
    seed: {
      value: '<number>',
      help: `which world, 0 to ${LARGEST_SEED}, default 1; its users are named seed<number>_0 and so on`,
    },
    users: { value: '<number>', help: 'how many users; default 1000' },
    posts: {
      value: '<number>',
      help: 'how many posts, default 20000; about a third are replies, some are quotes and reposts',
    },
    follows: { value: '<number>', help: `how many follows; default ${FOLLOWS_PER_USER} for each user` },
    until: {
      value: '<moment>|now',
      help: 'the posts are of the 30 days before this moment (ISO 8601), default now; the same moment gives the same rows on every day',
    },
    progress: { help: 'show how far it is, also when standard error is not a terminal' },
  },
  run: async (call) => {
    const { order, anyMoment } = readOrder(call)
    const watch = watchRun(call)
    const { SeedError, seedWorld } = await loadProduct(() => import('../../world/seed-world.ts'))
    try {
      const result = await withDatabase(call, async (database) => {
        const { offsetMs, frozen } = await readClockState(database)
        const now = frozen?.atMs ?? realNow() + offsetMs
        if (anyMoment) order.untilMs = now
        order.baseUrl = (await readFact(database, 'base_url')) ?? baseUrl(call.settings)
        if (order.untilMs > now) throw new UsageError('--until is in the future, but posts cannot be.')
        return seedWorld(database, order, watch, { anyMoment })
      })
      watch.end()
      if (result.outcome !== 'present') {
        // A running server may have counted the new users while they were being created. Its command says where.
        const told = await callRunning(call.settings, 'POST', '/_rostra/commands/cache.forget', {})
        if (told === undefined) sayWhere(call.settings)
      }
      if (result.outcome === 'stopped') process.exitCode = STOPPED_BY_SIGNAL
      call.print(inJson(result), () => inWords(result))
    } catch (error) {
      watch.end()
      throw error instanceof SeedError ? new UsageError(error.message) : error
    }
  },
}

function readOrder(call: Call): { order: SeedOrder; anyMoment: boolean } {
  const seed = numberFlag(call, 'seed', 0, LARGEST_SEED) ?? 1
  const users = numberFlag(call, 'users', 1, MOST_USERS) ?? 1_000
  const posts = numberFlag(call, 'posts', 0, MOST_POSTS) ?? 20_000
  const most = Math.min(MOST_POSTS, users * (users - 1))
  const usual = Math.min(users * FOLLOWS_PER_USER, Math.floor(most / 2))
  const follows = numberFlag(call, 'follows', 0, most) ?? usual
  return {
    order: { seed, users, posts, follows, untilMs: readUntil(call) },
    anyMoment: (call.flags.until ?? 'now') === 'now',
  }
}

function readUntil(call: Call): number {
  const { until } = call.flags
  if (typeof until !== 'string' || until === 'now') return realNow()
  const ms = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.test(until)
    ? Date.parse(until)
    : Number.NaN
  if (!(ms >= EARLIEST_UNTIL_MS))
    throw new UsageError(
      `--until is ${JSON.stringify(until)}, but must be now, or a moment since 2016 such as 2026-01-01 or 2026-01-01T12:00:00Z.`,
    )
  return ms
}

/** The database of the running instance, or that of the data folder if none is running. */
async function withDatabase<T>({ settings, flags }: Call, work: (database: Database) => Promise<T>): Promise<T> {
  const instance = await runningInstance(settings.dataDir)
  if (!instance?.connection) {
    // Whoever names the place wants it filled. In a folder that nobody named, this would be a second world.
    const isNamed = flags['data-dir'] !== undefined || flags['database-url'] !== undefined
    const mayCreate = isNamed || outerEnvironment().ROSTRA_DATA_DIR !== undefined
    if (!mayCreate) await requireData(settings)
    const { withRuntime } = await import('../open-runtime.ts')
    return withRuntime(settings, (runtime) => work(runtime.database), { mayCreate })
  }
  const database = openDatabase(instance.connection as ConnectionOptions, { connections: 3, name: 'rostra seed' })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** Ctrl-C stops after the step in progress; progress goes to standard error. */
function watchRun(call: Call) {
  let stopped = false
  const stop = () => {
    // A second one means now; at most the uncommitted part of a step is lost.
    if (stopped) process.exit(STOPPED_BY_SIGNAL)
    stopped = true
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  const isTerminal = process.stderr.isTTY === true
  const isShown = isTerminal || call.flags.progress === true
  return {
    stopped: () => stopped,
    progress: (done: SeedProgress, order: SeedOrder) => {
      if (!isShown) return
      const line = `users ${done.users}/${order.users}  follows ${done.follows}/${order.follows}  posts ${done.posts}/${order.posts}`
      process.stderr.write(isTerminal ? `\r${line}` : `${line}\n`)
    },
    end: () => {
      process.off('SIGINT', stop)
      process.off('SIGTERM', stop)
      if (isTerminal) process.stderr.write('\r\u001b[K')
    },
  }
}

const perSecond = ({ rows, ms }: SeedTiming): number => Math.round((rows * 1_000) / Math.max(1, ms))

function inJson({ outcome, order, progress, run }: SeedResult) {
  const { untilMs, baseUrl: _address, ...sizes } = order
  return {
    outcome,
    ...sizes,
    until: new Date(untilMs).toISOString(),
    stored: { users: progress.users, follows: progress.follows, posts: progress.posts },
    added: { users: run.users.rows, follows: run.follows.rows, posts: run.posts.rows },
    per_second: { users: perSecond(run.users), follows: perSecond(run.follows), posts: perSecond(run.posts) },
    seconds: (run.users.ms + run.follows.ms + run.posts.ms) / 1_000,
  }
}

function inWords({ outcome, order, progress, run }: SeedResult): string {
  const world = `seed ${order.seed} (${order.users} users, ${order.follows} follows, ${order.posts} posts until ${new Date(order.untilMs).toISOString()})`
  if (outcome === 'present') return `This database has ${world} already. Nothing was changed.`
  const paces = (['users', 'follows', 'posts'] as const).map(
    (kind) =>
      `  ${kind.padEnd(8)} ${run[kind].rows} in ${(run[kind].ms / 1_000).toFixed(1)} s, ${perSecond(run[kind])}/s`,
  )
  const first =
    outcome === 'stopped'
      ? `Stopped with ${progress.users} users, ${progress.follows} follows and ${progress.posts} posts of ${world}. What is stored is consistent; run the same command again to complete it.`
      : `Created ${world}${outcome === 'completed' ? ', which an earlier run had started' : ''}.`
  return [first, ...paces].join('\n')
}
