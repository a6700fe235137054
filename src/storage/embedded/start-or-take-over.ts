import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectionTo, connectWhenReady, ensureDatabase } from './connect.ts'
import { EmbeddedPostgresError, explainOutput, OR_OWN_SERVER } from './plain-words.ts'
import { endPostmaster, IMPATIENTLY, lockFileIn, readLock, removeStaleLock } from './postmaster.ts'
import type { RunningPostgres, Setup } from './running.ts'
import { makeSocketFolder, SOCKET_PORT } from './socket-folder.ts'
import { startServer } from './start-server.ts'
import { refuseDataServedElsewhere, takeOver } from './take-over.ts'
import { findFreePort, startServerOnWindows } from './windows.ts'

const START_MS = 60_000
const RETRY_MS = 15_000
const RETRY_STEP_MS = 200

const LOCKED = /lock file .* already exists/
const STILL_IN_USE = /pre-existing shared memory block/

/** Takes over the living server of the data folder or starts one, however the last one ended. */
export async function startOrTakeOver(setup: Setup): Promise<RunningPostgres> {
  const starting = withoutRepeats(setup.log)
  let troubleSince: number | undefined
  for (;;) {
    const running = (await takeOver(setup)) ?? (await startAnew({ ...setup, log: starting.log }))
    if ('server' in running) {
      starting.end()
      return running
    }
    const { lastLines, socketFolder } = running
    const words = lastLines.join('\n')
    troubleSince ??= performance.now()
    const isPassing = LOCKED.test(words) || STILL_IN_USE.test(words)
    if (!isPassing || performance.now() - troubleSince > RETRY_MS) {
      throw explainOutput(lastLines, { doing: 'Starting PostgreSQL', folder: setup.dataFolder })
    }
    if (LOCKED.test(words)) {
      await removeStaleLock(lockFileIn(setup.dataFolder), setup.dataFolder)
      if (socketFolder) await removeStaleLock(socketLockIn(socketFolder), setup.dataFolder)
    }
    await sleep(RETRY_STEP_MS)
  }
}

async function startAnew(
  setup: Setup,
): Promise<RunningPostgres | { lastLines: string[]; socketFolder: string | undefined }> {
  await refuseDataServedElsewhere(setup)
  const onWindows = process.platform === 'win32'
  const socketFolder = onWindows ? undefined : await makeSocketFolder(setup.location)
  const listening = { port: onWindows ? await findFreePort() : SOCKET_PORT, socketFolder, settings: setup.settings }
  const server = await (onWindows ? startServerOnWindows : startServer)({ ...setup, listening })
  const connection = connectionTo({ port: listening.port, socketFolder: socketFolder ?? '' }, setup.password)

  const outcome = await connectWhenReady(connection, { silenceMs: START_MS, isGone: server.isGone })
  if (!('client' in outcome)) {
    if (outcome.failure === 'gone') return { lastLines: await server.lastLines(), socketFolder }
    await endPostmaster(server, IMPATIENTLY)
    throw new EmbeddedPostgresError(
      `PostgreSQL started, but cannot be connected to (${outcome.words}). ` +
        `Its last words: ${(await server.lastLines()).join(' | ')} ${OR_OWN_SERVER}`,
    )
  }
  try {
    const lock = await readLock(lockFileIn(setup.dataFolder))
    // Another server answered at the same socket, and ours is about to end over its lock.
    if (lock?.pid !== server.pid) {
      await endPostmaster(server, IMPATIENTLY)
      return { lastLines: await server.lastLines(), socketFolder }
    }
    await ensureDatabase(outcome.client)
  } catch (error) {
    await endPostmaster(server, IMPATIENTLY)
    const words = error instanceof Error ? error.message : String(error)
    throw explainOutput([words], { doing: 'Creating the database "rostra"', folder: setup.dataFolder })
  } finally {
    await outcome.client.end().catch(() => undefined)
  }
  return { server, connection, takenOver: false }
}

function socketLockIn(socketFolder: string): string {
  return path.join(socketFolder, `.s.PGSQL.${SOCKET_PORT}.lock`)
}

/** Failed attempts repeat the same lines: each is logged once until the server runs. */
function withoutRepeats(log: (line: string) => void): { log: (line: string) => void; end: () => void } {
  let seen: Set<string> | undefined = new Set()
  return {
    log: (line) => {
      if (seen?.has(line)) return
      seen?.add(line)
      log(line)
    },
    end: () => {
      seen = undefined
    },
  }
}
