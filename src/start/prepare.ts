import type { Runtime } from '../api-kit/runtime.ts'
import { usageMeter } from '../identity/usage/usage-meter.ts'
import type { Determinism } from '../process/deterministic.ts'
import type { Logger } from '../process/logger.ts'
import { createLocalBus, type ProcessBus } from '../process/process-bus.ts'
import { seedRandom } from '../process/random.ts'
import type { Settings } from '../settings.ts'
import { postQueue } from '../social/posts/insert-posts.ts'
import { readClockState, storeFrozen } from '../storage/clock-facts.ts'
import { type Database, openDatabase } from '../storage/database.ts'
import { readFact, writeFact } from '../storage/instance-facts.ts'
import { MigrationError, migrate } from '../storage/migrate.ts'
import { followingWorld } from '../world/drop-old-world.ts'
import { WorldFileError } from '../world/files/world-file-error.ts'
import { hasFirstWorld } from '../world/first-facts.ts'
import { giveFirstOauth2Pairs } from '../world/first-oauth2.ts'
import { worldRestorer } from '../world/snapshots/restore-snapshot.ts'
import { createRuntime, type ProcessRuntime } from './create-runtime.ts'
import type { OpenStorage } from './open-storage.ts'
import { readReachedTime } from './reached-time.ts'
import { checkSecretKey, readSecretKey } from './secret-key.ts'
import { StartError } from './start-error.ts'

/** A database that is migrated and has its first world, with a runtime on it. */
interface Prepared {
  runtime: ProcessRuntime
  secretKey: string
  determinism: Determinism | undefined
  /** True when the first world was created now. */
  isNew: boolean
}

/** Migrates the database and creates the first world. */
export async function prepare(
  settings: Settings,
  storage: OpenStorage,
  log: Logger,
  machine: number,
  bus: ProcessBus = createLocalBus(),
): Promise<Prepared> {
  const database = openDatabase(storage.connection, { connections: 3, name: 'rostra supervisor' })
  try {
    await migrate(database)
    const secretKey = readSecretKey(settings)
    await checkSecretKey(database, secretKey)
    const singletons = [postQueue, usageMeter, worldRestorer]
    const clockReachedMs = await readReachedTime(database)
    const determinism = await readDeterminism(database, settings)
    if (determinism) seedRandom(`${determinism.seed} ${machine} ${determinism.starts}`)
    const runtime = createRuntime({
      settings,
      database,
      bus,
      log,
      machine,
      secretKey,
      singletons,
      clockReachedMs,
      determinism,
    })
    runtime.clock.setState(await readClockState(database, runtime.clock.home))
    // Nobody else writes to a database in the data folder.
    await finishRestore(runtime, storage.embedded ? Infinity : undefined)
    if (determinism?.starts === 0) await storeFrozen(database, runtime.clock.now(), runtime.clock.reached())
    const isNew = !(await hasFirstWorld(database)) && (await makeFirstWorld(runtime, settings))
    // A world of an earlier version has none.
    if (!isNew) await giveFirstOauth2Pairs(database, runtime)
    return { runtime, secretKey, isNew, determinism }
  } catch (error) {
    await database.close().catch(() => {})
    if (error instanceof MigrationError || error instanceof WorldFileError) throw new StartError(error.message)
    throw error
  }
}

// Longer than it takes to notice that a process died, and too short for anybody to rely on the restored world.
const UNFINISHED_SECONDS = 10

/** Repeats a reset or restore whose process died before it could see whether somebody wrote meanwhile, and tell the others. */
export const finishRestore = (runtime: Runtime, mostSeconds = UNFINISHED_SECONDS): Promise<void> =>
  runtime.singleton(worldRestorer).finish(mostSeconds, followingWorld(runtime))

// A process that starts on the same data must not repeat ids and tokens.
async function readDeterminism(
  database: Database,
  { deterministic: seed }: Settings,
): Promise<Determinism | undefined> {
  if (seed === '') return undefined
  const starts = Number((await readFact(database, 'deterministic_starts')) ?? 0)
  await writeFact(database, 'deterministic_starts', String(starts + STARTS_OF_WORKERS))
  return { seed, starts }
}

// Workers that are replaced count on from the start of the server.
const STARTS_OF_WORKERS = 20

// Creating posts and apps loads most of the product, which an existing world does not need here.
async function makeFirstWorld(runtime: Runtime, { world: kind }: Settings): Promise<boolean> {
  const world = await import('../world/first-world.ts')
  if (kind === 'first' || kind === 'empty') return world.makeFirstWorld(runtime, kind)
  const { startFromFile } = await import('../world/files/start-from-file.ts')
  return startFromFile(runtime, kind)
}
