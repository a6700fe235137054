import { readFile, rmdir } from 'node:fs/promises'
import path from 'node:path'
import { readyBinaries } from './binaries.ts'
import { prepareDataFolder } from './data-folder.ts'
import { type DatabaseLocation, findDatabaseLocation } from './location.ts'
import { takePidFile } from './pid-file.ts'
import { EmbeddedPostgresError, inPlainWords } from './plain-words.ts'
import { endPostmaster, PATIENTLY } from './postmaster.ts'
import type { Connection, RunningPostgres } from './running.ts'
import { startOrTakeOver } from './start-or-take-over.ts'
import { passwordFileIn } from './windows.ts'

export interface EmbeddedPostgres {
  /** Connection facts for the `pg` library: unix socket folder as host; on Windows 127.0.0.1 and a password. */
  connection: Connection
  /** The folder that contains the data, on the disk that the server fills. */
  folder: string
  /** Whether the server of an earlier run still ran and is used. */
  takenOver: boolean
  /** Resolves when the server process ends on its own (not through stop). */
  died: Promise<{ reason: string }>
  /** Shuts the server down and waits until it has ended. */
  stop(): Promise<void>
}

const OWNER_ENDS_WITHIN_MS = 5_000

interface LaunchOptions {
  folder: string
  log: (line: string) => void
  packageFolder: string
  /** Settings that differ from those of the product: tests of other things need no durability. */
  settings?: Readonly<Record<string, string>>
}

const turns = new Map<string, Promise<unknown>>()

/** Starts the server from the binaries in `packageFolder`; starts of the same folder take turns. */
export async function launch(options: LaunchOptions): Promise<EmbeddedPostgres> {
  const previous = turns.get(options.folder) ?? Promise.resolve()
  const turn = previous.then(
    () => launchInTurn(options),
    () => launchInTurn(options),
  )
  turns.set(options.folder, turn)
  try {
    return await turn
  } finally {
    if (turns.get(options.folder) === turn) turns.delete(options.folder)
  }
}

async function launchInTurn({ folder, log, packageFolder, settings }: LaunchOptions): Promise<EmbeddedPostgres> {
  let release = async () => {}
  try {
    const location = await findDatabaseLocation(folder, log)
    release = await takeOwnership(location.folder)
    const binaries = await readyBinaries(packageFolder, location, log)
    const passwordFile = process.platform === 'win32' ? await passwordFileIn(location.folder) : undefined
    const password = passwordFile && (await readFile(passwordFile, 'utf8')).trim()
    const dataFolder = await prepareDataFolder(location, binaries, { passwordFile })
    const running = await startOrTakeOver({ binaries, location, dataFolder, password, log, settings })
    return embeddedPostgres(running, location, release)
  } catch (error) {
    await release()
    throw inPlainWords(error, folder)
  }
}

// A location belongs to one living process. An owner that is about to end is waited for.
async function takeOwnership(folder: string): Promise<() => Promise<void>> {
  const held = await takePidFile(path.join(folder, 'owner'), {
    mode: 0o644,
    waitMs: OWNER_ENDS_WITHIN_MS,
    shared: true,
    inUse: (owner) =>
      new EmbeddedPostgresError(
        `Another Rostra (process ${owner?.pid}) is using the database in ${folder}. ` +
          `Stop it first, or give this one a data folder of its own with ROSTRA_DATA_DIR.`,
      ),
  })
  return () => held.release()
}

function embeddedPostgres(
  running: RunningPostgres,
  location: DatabaseLocation,
  release: () => Promise<void>,
): EmbeddedPostgres {
  const { server, connection, takenOver } = running
  let stopWatching = () => {}
  const died = new Promise<{ reason: string }>((resolve) => {
    stopWatching = server.whenGone(async () => resolve({ reason: await server.describeEnd() }))
  })
  let stopping: Promise<void> | undefined
  const stop = async () => {
    stopWatching()
    const ended = await endPostmaster(server, PATIENTLY)
    if (!ended) throw new EmbeddedPostgresError(`PostgreSQL (process ${server.pid}) does not stop; end it by hand.`)
    await removeSocketFolder(connection, location)
    await release()
  }
  return {
    connection,
    folder: location.folder,
    takenOver,
    died,
    stop: () => {
      stopping ??= stop()
      return stopping
    },
  }
}

/** Removes a socket folder in the system's temporary folder. */
async function removeSocketFolder({ host }: Connection, location: DatabaseLocation): Promise<void> {
  if (!path.isAbsolute(host) || path.dirname(host) === location.folder) return
  await rmdir(host).catch(() => undefined)
}
