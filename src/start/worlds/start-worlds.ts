import { mkdirSync } from 'node:fs'
import { Lifecycle } from '../../process/lifecycle.ts'
import { createLogger, type Logger } from '../../process/logger.ts'
import { randomText } from '../../process/secret-box.ts'
import type { Settings } from '../../settings.ts'
import type { ConnectionOptions } from '../../storage/database.ts'
import { openStorage } from '../open-storage.ts'
import { prepare } from '../prepare.ts'
import { removingDataFolder } from '../temporary-data.ts'
import { createTemplate } from './databases.ts'
import { serveWorlds } from './serve-worlds.ts'
import { createWorldServers } from './world-servers.ts'

/** Worlds that can be asked for. */
export interface RunningWorlds {
  url: string
  key: string
  /** Resolves with the reason when it cannot go on. */
  failed: Promise<Error>
  stop(): Promise<void>
}

// Every world has a few connections, and machines have many cores.
const MANY_CONNECTIONS = { max_connections: '1000' }
const DATABASE_STOPS_WITHIN_MS = 30_000

/**
 * Starts one PostgreSQL with a template, and serves worlds made from it: each has a database and a server of its own, all have the same
 * credentials. Everything is temporary.
 */
export async function startWorlds(given: Settings, flags: string[], stopping: AbortSignal): Promise<RunningWorlds> {
  const settings: Settings = { ...given, temporaryData: 'on' }
  const log = createLogger(settings.logLevel, 'worlds')
  const lifecycle = new Lifecycle(log)
  stopping.addEventListener('abort', () => void lifecycle.stop(), { once: true })
  await lifecycle.start(removingDataFolder(settings))
  mkdirSync(settings.dataDir, { recursive: true, mode: 0o711 })
  const storage = await lifecycle.start({
    name: 'database',
    start: () => openStorage(settings, log, MANY_CONNECTIONS),
    stop: (opened) => opened.close(),
    stopWithinMs: DATABASE_STOPS_WITHIN_MS,
  })
  const databases = await lifecycle.start({
    name: 'template',
    start: () => createTemplate(storage.connection, `rostra_worlds_${process.pid}`),
    stop: async (created) => {
      // An embedded database is removed with its folder.
      if (!storage.embedded) await created.drop()
      await created.close()
    },
  })
  const secretKey = await lifecycle.start({
    name: 'first world',
    start: () => fillTemplate(settings, databases.template, log),
  })
  const worlds = await lifecycle.start({
    name: 'worlds',
    start: () => createWorldServers({ databases, folder: settings.dataDir, secretKey, flags }),
    stop: (started) => started.endAll(),
    stopWithinMs: DATABASE_STOPS_WITHIN_MS,
  })
  const key = randomText(40)
  const { url } = await lifecycle.start({
    name: 'requests',
    start: () => serveWorlds(worlds, key),
    stop: (served) => served.close(),
  })
  const failed = storage.embedded
    ? storage.embedded.died.then(({ reason }) => new Error(`PostgreSQL ended: ${reason}`))
    : new Promise<Error>(() => {})
  return { url, key, failed, stop: () => lifecycle.stop() }
}

async function fillTemplate(settings: Settings, connection: ConnectionOptions, log: Logger): Promise<string> {
  const storage = { connection, embedded: undefined, close: async () => {} }
  const { runtime, secretKey } = await prepare(settings, storage, log, 0)
  await runtime.close()
  return secretKey
}
