import { setTimeout as sleep } from 'node:timers/promises'
import { connectionTo, connectWhenReady, ensureDatabase, isAnswered, servesData } from './connect.ts'
import { EmbeddedPostgresError, OR_OWN_SERVER } from './plain-words.ts'
import {
  endPostmaster,
  findPostmaster,
  IMPATIENTLY,
  type LockFile,
  lockFileIn,
  type Postmaster,
  readLock,
} from './postmaster.ts'
import type { RunningPostgres, Setup } from './running.ts'
import { signalOnWindows } from './windows.ts'

const ANSWER_MS = 5000
const STEP_MS = 20

/** Takes over the living server of the data folder. One that cannot be used is stopped. */
export async function takeOver(setup: Setup): Promise<RunningPostgres | undefined> {
  const { dataFolder, binaries, log } = setup
  const found = await findPostmaster(dataFolder)
  if (!found) return undefined
  const server = process.platform === 'win32' ? { ...found, signal: signalOnWindows(binaries, dataFolder) } : found

  const lock = await completeLock(dataFolder, server)
  const outcome = lock
    ? await connectWhenReady(connectionTo(lock, setup.password), { silenceMs: ANSWER_MS, isGone: server.isGone })
    : ({ failure: 'silent', words: 'it listens nowhere' } as const)
  let trouble = 'it is of another version'
  if ('client' in outcome) {
    try {
      if (lock && (await servesData(outcome.client, { dataFolder, version: binaries.version }))) {
        await ensureDatabase(outcome.client)
        log(`Taking over the PostgreSQL of an earlier run (process ${server.pid})`)
        return { server, connection: connectionTo(lock, setup.password), takenOver: true }
      }
    } finally {
      await outcome.client.end()
    }
  } else {
    if (outcome.failure === 'gone') return undefined
    trouble = outcome.words
  }
  log(`The PostgreSQL of an earlier run (process ${server.pid}) cannot be used (${trouble}): stopping it`)
  if (await endPostmaster(server, IMPATIENTLY)) return undefined
  throw new EmbeddedPostgresError(
    `The PostgreSQL of an earlier run (process ${server.pid}) on ${dataFolder} neither answers nor stops. ` +
      `End that process by hand and start again. ${OR_OWN_SERVER}`,
  )
}

/** Refuses data that a server uses which is not a process of this system, but answers at its socket. */
export async function refuseDataServedElsewhere({ dataFolder, password }: Setup): Promise<void> {
  const lock = await readLock(lockFileIn(dataFolder))
  if (!lock || !listens(lock) || !(await isAnswered(connectionTo(lock, password)))) return
  throw new EmbeddedPostgresError(
    `A PostgreSQL that this system cannot see, perhaps in another container, is using the data in ${dataFolder}. ` +
      `Stop it first, or give this Rostra a data folder of its own with ROSTRA_DATA_DIR. ${OR_OWN_SERVER}`,
  )
}

/** Waits until a server that is just starting has noted where it listens. */
async function completeLock(dataFolder: string, server: Postmaster): Promise<LockFile | undefined> {
  const begun = performance.now()
  while (performance.now() - begun < ANSWER_MS) {
    const lock = await readLock(lockFileIn(dataFolder))
    if (lock?.pid === server.pid && listens(lock)) return lock
    if (await server.isGone()) return undefined
    await sleep(STEP_MS)
  }
  return undefined
}

function listens(lock: LockFile): boolean {
  return lock.port > 0 && (lock.socketFolder !== '' || process.platform === 'win32')
}
