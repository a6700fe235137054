import cluster, { type Worker } from 'node:cluster'
import net from 'node:net'
import path from 'node:path'
import { openNatsLine } from '../events/nats-line.ts'
import { startSequencer } from '../events/sequencer.ts'
import { startHousekeeping } from '../jobs/housekeeping.ts'
import type { Logger } from '../process/logger.ts'
import { createLogger } from '../process/logger.ts'
import { createExchange, type Extension } from '../process/switchboard.ts'
import { type Settings, workerEnvironment } from '../settings.ts'
import { type Credentials, readCredentials, writeCredentials } from './credentials-file.ts'
import { takeDataFolder } from './instance-lock.ts'
import { takeMachineNumbers } from './machine-numbers.ts'
import { openStorage } from './open-storage.ts'
import { prepare } from './prepare.ts'
import { StartError } from './start-error.ts'
import type { WorkerFacts } from './worker.ts'

const STOP_WITHIN_MS = 8_000
const RESTART_PAUSE_MS = 200
const READY_WITHIN_MS = 60_000

/** A running installation. */
export interface Running {
  settings: Settings
  credentials: Credentials
  credentialsFile: string
  isNew: boolean
  /** Ends everything in order. */
  stop(): Promise<void>
}

/** Starts the database, the workers and the upkeep, and restarts what dies. Resolves when every worker takes requests. */
export async function startSupervisor(given: Settings): Promise<Running> {
  const log = createLogger(given.logLevel, 'supervisor')
  const settings = { ...given, port: await findPort(given) }
  const folder = takeDataFolder(settings.dataDir)
  const closers: (() => Promise<void> | void)[] = [() => folder.release()]
  const closeAll = async () => {
    for (const close of closers.reverse())
      await Promise.resolve(close()).catch((error: unknown) => log.error({ err: error }, 'while stopping'))
  }
  try {
    let storage = await openStorage(settings, log)
    closers.push(() => storage.close())
    const numbers = await takeMachineNumbers(settings, storage.connection)
    closers.push(() => numbers.release())
    const prepared = await prepare(settings, storage, log, numbers.of(settings.workers))
    closers.push(() => prepared.house.database.close())
    const credentials = await readCredentials(prepared.house)
    const credentialsFile = writeCredentials(settings.dataDir, credentials)
    closers.push(startHousekeeping(prepared.house))

    const facts = (index: number): WorkerFacts => ({
      settings,
      connection: storage.connection,
      machine: numbers.of(index),
      secretKey: prepared.secretKey,
      clockOffsetMs: prepared.house.clock.offsetMs(),
    })
    const { house } = prepared
    const line =
      settings.natsUrl === ''
        ? undefined
        : openNatsLine({ url: settings.natsUrl, db: house.database, sealer: house.sealer, log })
    closers.push(() => line?.close())
    const sequencer = startSequencer(() => storage.connection, log, line)
    closers.push(() => sequencer.stop())
    const crew = startCrew(settings.workers, facts, log, {
      clockMoved: (offsetMs) => prepared.house.clock.setOffset(offsetMs),
      nudged: (topic) => topic === 'outbox' && sequencer.nudge(),
    })
    closers.push(() => crew.stop())
    const watch = () =>
      storage.embedded?.died.then(async ({ reason }) => {
        if (crew.stopping) return
        log.error(`PostgreSQL ended (${reason}) and is started again`)
        storage = await openStorage(settings, log)
        watch()
      })
    watch()
    await crew.ready
    folder.announce({ base_url: credentials.base_url, listen_url: listenUrl(settings), connection: storage.connection })
    return { settings, credentials, credentialsFile, isNew: prepared.isNew, stop: closeAll }
  } catch (error) {
    await closeAll()
    throw error
  }
}

const listenUrl = (settings: Settings): string => {
  const host = settings.host === '0.0.0.0' || settings.host === '::' ? 'localhost' : settings.host
  return `http://${host.includes(':') ? `[${host}]` : host}:${settings.port}`
}

/** Checks before anything else is made that the port can be had; port 0 becomes a free one. */
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

// Below those that systems give to outgoing calls: one of these could be gone before the workers listen.
const FREE_FROM = 20_000
const FREE_COUNT = 12_000
const MOST_TRIES = 50

function tryPort(settings: Settings, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = net.createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const why: Record<string, string> = {
        EADDRINUSE: `Port ${port} is taken by another program. Stop it, or choose another port with --port or ROSTRA_PORT.`,
        EACCES: `This user may not listen on port ${port}. Choose one above 1023 with --port or ROSTRA_PORT.`,
        EADDRNOTAVAIL: `The address ${settings.host} is not one of this machine. Choose another with --host.`,
        ENOTFOUND: `The address ${settings.host} can not be resolved. Choose another with --host.`,
      }
      reject(
        new StartError(
          why[error.code ?? ''] ?? `Rostra can not listen on ${settings.host} port ${port}: ${error.message}`,
        ),
      )
    })
    probe.listen(port, settings.host, () => probe.close(() => resolve(port)))
  })
}

interface Crew {
  ready: Promise<void>
  readonly stopping: boolean
  stop(): Promise<void>
}

function startCrew(
  count: number,
  facts: (index: number) => WorkerFacts,
  log: Logger,
  hears: { clockMoved(offsetMs: number): void; nudged(topic: string): void },
): Crew {
  cluster.setupPrimary({ exec: path.join(import.meta.dirname, 'worker.js') })
  const workers = new Map<number, Worker>()
  const exchange = createExchange((silent) => {
    log.error(`worker ${silent.id} does not answer and is ended`)
    workers.get(silent.id)?.process.kill('SIGKILL')
  }, hears.nudged)
  let stopping = false
  let firstReady = 0
  let settle: { resolve(): void; reject(error: Error): void }
  const ready = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject }
  })
  const timer = setTimeout(
    () =>
      settle.reject(
        new StartError('The workers were not ready within a minute. Start with --log-level info to see why.'),
      ),
    READY_WITHIN_MS,
  )

  const hire = (index: number) => {
    const worker = cluster.fork(workerEnvironment(facts(index)))
    const extension: Extension = {
      id: worker.id,
      send: (message) => worker.isConnected() && worker.send(message as object),
    }
    let isReady = false
    workers.set(worker.id, worker)
    worker.on('message', (message: unknown) => {
      if (message === 'ready') {
        isReady = true
        exchange.join(extension)
        // What was changed while it started may be remembered wrongly nowhere: it knew nothing yet. Its clock may be old.
        worker.send({ rostra: 'question', call: 0, topic: 'clock', payload: facts(index).clockOffsetMs })
        firstReady += 1
        if (firstReady === count) {
          clearTimeout(timer)
          settle.resolve()
        }
        return
      }
      watchClock(message, hears.clockMoved)
      exchange.received(extension, message)
    })
    worker.on('exit', (code, signal) => {
      workers.delete(worker.id)
      exchange.leave(extension)
      if (stopping) return
      if (!isReady && firstReady < count)
        return settle.reject(
          new StartError(`A worker ended while starting (${signal ?? `code ${code}`}). Its log above says why.`),
        )
      log.error(`worker ${worker.id} ended (${signal ?? `code ${code}`}) and is replaced`)
      // It may have committed a change without telling the others.
      exchange.announce('forget-all', null)
      setTimeout(() => !stopping && hire(index), RESTART_PAUSE_MS)
    })
  }
  for (let index = 0; index < count; index++) hire(index)

  return {
    ready,
    get stopping() {
      return stopping
    },
    stop: async () => {
      stopping = true
      clearTimeout(timer)
      const all = [...workers.values()]
      const gone = Promise.all(
        all.map(
          (worker) =>
            new Promise<void>((resolve) => (worker.isDead() ? resolve() : worker.once('exit', () => resolve()))),
        ),
      )
      for (const worker of all) if (worker.isConnected()) worker.send('stop')
      const late = setTimeout(() => {
        for (const worker of workers.values()) worker.process.kill('SIGKILL')
      }, STOP_WITHIN_MS)
      await gone
      clearTimeout(late)
    },
  }
}

// A worker that starts later must get the moved clock: the supervisor listens to what the workers tell each other.
function watchClock(message: unknown, moved: (offsetMs: number) => void): void {
  const ask = message as { rostra?: string; topic?: string; payload?: unknown }
  if (ask?.rostra !== 'ask' || ask.topic !== 'several') return
  for (const item of ask.payload as { topic: string; payload: unknown }[])
    if (item.topic === 'clock') moved(item.payload as number)
}
