import path from 'node:path'
import type { Runtime } from '../api-kit/runtime.ts'
import { startFollowingClock } from '../events/follow-clock.ts'
import { type NatsLine, openNatsLine } from '../events/nats-line.ts'
import { startSequencer } from '../events/sequencer.ts'
import { openAuthority } from '../front/authority.ts'
import { writeTrustFiles } from '../front/trust-files.ts'
import type { Credentials } from '../process/credentials.ts'
import { Lifecycle } from '../process/lifecycle.ts'
import { createLogger } from '../process/logger.ts'
import { createLocalBus, type ProcessBus } from '../process/process-bus.ts'
import { outerEnvironment, type Settings } from '../settings.ts'
import { moveMediaAddresses } from '../social/media/move-addresses.ts'
import { startHousekeeping } from '../world/housekeeping.ts'
import { keepCredentials, readCredentials, writeCredentials } from './credentials-file.ts'
import { collectWhenIdle } from './idle-collection.ts'
import { takeDataFolder } from './instance-lock.ts'
import { takeMachineNumbers } from './machine-numbers.ts'
import { finishRestore, prepare } from './prepare.ts'
import { probePort } from './probe-port.ts'
import { keepReachedTime } from './reached-time.ts'
import { StartError } from './start-error.ts'
import { removingDataFolder } from './temporary-data.ts'
import { openWatchedStorage } from './watched-storage.ts'
import type { WorkerFacts } from './worker-facts.ts'
import { startWorkerPool } from './worker-pool.ts'

/** A running installation. */
export interface RunningServer {
  settings: Settings
  credentials: Credentials
  credentialsFile: string
  isNew: boolean
  /** Resolves with the reason when it cannot go on. */
  failed: Promise<Error>
  /** Stops everything in reverse order. */
  stop(): Promise<void>
}

// PostgreSQL writes all changed pages to the disk before it ends.
const DATABASE_STOPS_WITHIN_MS = 120_000

/**
 * Starts the database, the workers and the upkeep, and restarts what dies. Resolves when every worker takes requests. When
 * `stopping` aborts, at whatever moment, everything that was started is stopped.
 */
export async function startSupervisor(
  given: Settings,
  stopping: AbortSignal,
  onStep?: (name: string) => void,
): Promise<RunningServer> {
  const log = createLogger(given.logLevel, 'supervisor')
  const lifecycle = new Lifecycle(log, onStep)
  collectWhenIdle()
  stopping.addEventListener('abort', () => void lifecycle.stop(), { once: true })
  const settings = { ...given, port: await findPort(given) }
  if (settings.namesPort !== undefined) await tryPort(settings, settings.namesPort, 'names-port')
  if (settings.temporaryData === 'on') await lifecycle.start(removingDataFolder(settings))
  const folder = await lifecycle.start({
    name: 'data folder',
    start: () => takeDataFolder(settings.dataDir),
    stop: (taken) => taken.release(),
  })
  if (settings.namesPort !== undefined) {
    // Made before the workers read it.
    await lifecycle.start({ name: 'authority', start: () => prepareNames(settings) })
  }
  // Loading the product takes a worker longer than everything below: it happens meanwhile.
  const pool = await lifecycle.start({
    name: 'worker processes',
    start: () => startWorkerPool(settings.workers, log),
    stop: (started) => started.stop(),
  })
  const storage = await lifecycle.start({
    name: 'database',
    start: () => openWatchedStorage(settings, log),
    stop: (opened) => opened.close(),
    stopWithinMs: DATABASE_STOPS_WITHIN_MS,
  })
  const numbers = await lifecycle.start({
    name: 'machine numbers',
    start: () => takeMachineNumbers(settings, storage.connection, settings.workers + 1),
    stop: (taken) => taken.release(),
  })
  const bus: ProcessBus = {
    ...createLocalBus(),
    sendAll: async (topic, payload) => pool.announce(topic, payload),
  }
  const prepared = await lifecycle.start({
    name: 'runtime',
    start: () => prepare(settings, storage, log, numbers.of(settings.workers), bus),
    stop: ({ runtime }) => runtime.close(),
  })
  const { runtime, isNew, secretKey, determinism } = prepared
  const { credentials, credentialsFile } = await lifecycle.start({
    name: 'credentials',
    start: async () => {
      await moveMediaAddresses(runtime.database, runtime.baseUrl)
      const read = await readCredentials(runtime)
      return { credentials: read, credentialsFile: writeCredentials(settings.dataDir, read) }
    },
  })
  await lifecycle.start({
    name: 'reached time',
    start: () => keepReachedTime(runtime),
    stop: (started) => started.stop(),
  })
  await lifecycle.start({
    name: 'clock of other machines',
    start: () => startFollowingClock(runtime),
    stop: (started) => started.stop(),
  })
  await lifecycle.start({
    name: 'housekeeping',
    start: () => startHousekeeping(runtime),
    stop: (started) => started.stop(),
  })
  const line = await lifecycle.start({
    name: 'NATS',
    start: () => openLine(settings, runtime),
    stop: (opened) => opened?.close(),
  })
  const sequencer = await lifecycle.start({
    name: 'sequencer',
    start: () => startSequencer(() => storage.connection, log, line),
    stop: (started) => started.stop(),
  })
  const keeper = await lifecycle.start({
    name: 'credentials file',
    start: () => keepCredentials(runtime, settings.dataDir),
    stop: (started) => started.stop(),
  })
  let workerStarts = 0
  const facts = (index: number): WorkerFacts => ({
    settings,
    connection: storage.connection,
    machine: numbers.of(index),
    secretKey,
    clock: runtime.clock.state(),
    determinism: determinism && { ...determinism, starts: determinism.starts + workerStarts++ },
    clockReachedMs: runtime.clock.reached(),
    isFull: storage.isFull,
  })
  storage.onFullChange((isFull) => pool.announce('disk-full', isFull))
  await lifecycle.start({
    name: 'requests',
    start: (stopped) => {
      stopped.addEventListener('abort', () => void pool.stop(), { once: true })
      return pool.serve({
        facts,
        state: () => ({ clock: runtime.clock.state(), isFull: storage.isFull }),
        onClockMoved: (state) => runtime.clock.setState(state),
        onWake: (topic) => (topic === 'credentials' ? keeper.renew() : sequencer.wake()),
        onDeath: () =>
          void finishRestore(runtime).catch((error: unknown) =>
            log.error({ err: error }, 'a restore whose worker died could not be finished'),
          ),
      })
    },
    stop: () => pool.stop(),
  })
  const { base_url } = credentials
  await lifecycle.start({
    name: 'announcement',
    start: () =>
      folder.announce({
        base_url,
        listen_url: listenUrl(settings),
        names_port: settings.namesPort,
        connection: storage.connection,
      }),
  })
  const failed = Promise.race([storage.failed, numbers.lost])
  return { settings, credentials, credentialsFile, isNew, failed, stop: () => lifecycle.stop() }
}

/** The local authority, and the files by which programs trust it. */
function prepareNames({ dataDir }: Settings): void {
  writeTrustFiles(path.join(dataDir, 'trust'), openAuthority(dataDir), outerEnvironment())
}

const openLine = ({ natsUrl }: Settings, { database, secretBox, log }: Runtime): NatsLine | undefined =>
  natsUrl === '' ? undefined : openNatsLine({ url: natsUrl, db: database, secretBox, log })

const listenUrl = (settings: Settings): string => {
  const host = settings.host === '0.0.0.0' || settings.host === '::' ? 'localhost' : settings.host
  return `http://${host.includes(':') ? `[${host}]` : host}:${settings.port}`
}

/** Checks that the port is free, before anything else is started; port 0 becomes a free one. */
async function findPort(settings: Settings): Promise<number> {
  if (settings.port !== 0) return tryPort(settings, settings.port)
  for (let tries = 1; ; tries++) {
    try {
      return await tryPort(settings, FREE_FROM + Math.floor(Math.random() * FREE_COUNT))
    } catch (error) {
      if (tries === MOST_TRIES || !(error instanceof StartError && error.message.includes('is taken'))) throw error
    }
  }
}

// Below the ports that systems give to outgoing calls: one of those could be taken before the workers listen.
const FREE_FROM = 20_000
const FREE_COUNT = 12_000
const MOST_TRIES = 50

async function tryPort({ host }: Settings, port: number, flag: 'port' | 'names-port' = 'port'): Promise<number> {
  const error = await probePort(host, port)
  if (!error) return port
  const how = `--${flag} or ROSTRA_${flag.toUpperCase().replace('-', '_')}`
  const why: Record<string, string> = {
    EADDRINUSE: `Port ${port} is taken by another program. Stop it, or choose another port with ${how}.`,
    EACCES: `This user may not listen on port ${port}. Choose one above 1023 with ${how}.`,
    EADDRNOTAVAIL: `The address ${host} is not one of this machine. Choose another with --host.`,
    ENOTFOUND: `The address ${host} cannot be resolved. Choose another with --host.`,
  }
  throw new StartError(why[error.code ?? ''] ?? `Rostra cannot listen on ${host} port ${port}: ${error.message}`)
}
