import { openNatsLine } from '../events/nats-line.ts'
import { startSequencer } from '../events/sequencer.ts'
import { createLogger } from '../process/logger.ts'
import type { Settings } from '../settings.ts'
import { moveMediaAddresses } from '../social/media/move-addresses.ts'
import { type Credentials, keepCredentials, readCredentials, writeCredentials } from './credentials-file.ts'
import { hireCrew } from './crew.ts'
import { startHousekeeping } from './housekeeping.ts'
import { takeDataFolder } from './instance-lock.ts'
import { takeMachineNumbers } from './machine-numbers.ts'
import { prepare } from './prepare.ts'
import { probePort } from './probe-port.ts'
import { StartError } from './start-error.ts'
import { openWatchedStorage } from './watched-storage.ts'
import type { WorkerFacts } from './worker-facts.ts'

/** A running installation. */
export interface Running {
  settings: Settings
  credentials: Credentials
  credentialsFile: string
  isNew: boolean
  /** Resolves with the reason when it can not go on. */
  failed: Promise<Error>
  /** Ends everything in order. */
  stop(): Promise<void>
}

/** Starts the database, the workers and the upkeep, and restarts what dies. Resolves when every worker takes requests. */
export async function startSupervisor(given: Settings): Promise<Running> {
  const log = createLogger(given.logLevel, 'supervisor')
  const settings = { ...given, port: await findPort(given) }
  const folder = takeDataFolder(settings.dataDir)
  // Loading the product takes a worker longer than everything else here: it is done meanwhile.
  const crew = hireCrew(settings.workers, log)
  const closers: (() => Promise<void> | void)[] = [() => folder.release()]
  const closeAll = async () => {
    for (const close of [...closers, () => crew.stop()].reverse())
      await Promise.resolve(close()).catch((error: unknown) => log.error({ err: error }, 'while stopping'))
  }
  try {
    const storage = await openWatchedStorage(settings, log)
    closers.push(() => storage.close())
    const numbers = await takeMachineNumbers(settings, storage.connection, settings.workers + 1)
    closers.push(() => numbers.release())
    const prepared = await prepare(settings, storage, log, numbers.of(settings.workers))
    closers.push(() => prepared.runtime.close())
    await moveMediaAddresses(prepared.runtime.database, prepared.runtime.baseUrl)
    const credentials = await readCredentials(prepared.runtime)
    const credentialsFile = writeCredentials(settings.dataDir, credentials)
    const housekeeping = startHousekeeping(prepared.runtime)
    closers.push(() => housekeeping.stop())

    const facts = (index: number): WorkerFacts => ({
      settings,
      connection: storage.connection,
      machine: numbers.of(index),
      secretKey: prepared.secretKey,
      clockOffsetMs: prepared.runtime.clock.offsetMs(),
    })
    const { runtime } = prepared
    const line =
      settings.natsUrl === ''
        ? undefined
        : openNatsLine({ url: settings.natsUrl, db: runtime.database, secretBox: runtime.secretBox, log })
    closers.push(() => line?.close())
    const sequencer = startSequencer(() => storage.connection, log, line)
    closers.push(() => sequencer.stop())
    const keeper = keepCredentials(runtime, settings.dataDir)
    closers.push(() => keeper.stop())
    const ready = crew.begin(facts, {
      clockMoved: (offsetMs) => prepared.runtime.clock.setOffset(offsetMs),
      woken: (topic) => (topic === 'credentials' ? keeper.renew() : sequencer.wake()),
    })
    await ready
    folder.announce({ base_url: credentials.base_url, listen_url: listenUrl(settings), connection: storage.connection })
    const { isNew } = prepared
    const failed = Promise.race([storage.failed, numbers.lost])
    return { settings, credentials, credentialsFile, isNew, failed, stop: closeAll }
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

async function tryPort({ host }: Settings, port: number): Promise<number> {
  const error = await probePort(host, port)
  if (!error) return port
  const why: Record<string, string> = {
    EADDRINUSE: `Port ${port} is taken by another program. Stop it, or choose another port with --port or ROSTRA_PORT.`,
    EACCES: `This user may not listen on port ${port}. Choose one above 1023 with --port or ROSTRA_PORT.`,
    EADDRNOTAVAIL: `The address ${host} is not one of this machine. Choose another with --host.`,
    ENOTFOUND: `The address ${host} can not be resolved. Choose another with --host.`,
  }
  throw new StartError(why[error.code ?? ''] ?? `Rostra can not listen on ${host} port ${port}: ${error.message}`)
}
