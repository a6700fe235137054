import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { RecordedRequest } from '../../api-kit/serving/request-log.ts'
import type { Target } from '../../front/front.ts'
import { startOwnedServer } from '../../front/owned-server.ts'
import type { Settings } from '../../settings.ts'
import { type RunningInstance, runningInstance } from '../../start/instance-lock.ts'
import { UsageError, without } from '../command-line.ts'
import { callRunning } from '../reach-runtime.ts'
import { showSteps } from '../server/start-steps.ts'

/** The server that a program is run against. */
export interface ExecServer {
  target: Target
  credentialsFile: string
  /** Resolves with its last lines when a server of ours ends on its own. */
  failed: Promise<string>
  /** The number of the newest request in its log. */
  newestRequest(): Promise<string>
  stop(): Promise<void>
}

interface ExecServerOptions {
  settings: Settings
  world: string | undefined
  /** Settings that the user has given as flags. */
  settingFlags: string[]
  /** Whether the data folder goes with the server. */
  isTemporary: boolean
  environment: NodeJS.ProcessEnv
  stopping: AbortSignal
}

/** The server that runs on the data folder, or a new one that ends with this process. */
export async function execServer(options: ExecServerOptions): Promise<ExecServer> {
  const { settings, world, settingFlags, isTemporary, environment, stopping } = options
  const running = await readyInstance(settings.dataDir, stopping)
  if (running && world !== undefined)
    throw new UsageError(
      `A server is already running on the data folder ${settings.dataDir}, so --world cannot choose what it has. Use --fresh for a server of its own.`,
    )
  const flags = [
    ...settingFlags,
    ...(world === undefined ? [] : ['--world', world]),
    ...(isTemporary ? ['--temporary-data', 'on'] : []),
  ]
  const steps = showSteps(process.stderr)
  if (!running) steps.step('server')
  const owned = running
    ? undefined
    : await startOwnedServer({
        dataDir: settings.dataDir,
        flags,
        environment: without(environment, OF_THE_PROGRAM),
        stopping,
      }).finally(steps.end)
  const listenUrl = (await runningInstance(settings.dataDir))?.listen_url ?? owned?.baseUrl
  return {
    target: targetOf(listenUrl!),
    credentialsFile: path.join(settings.dataDir, 'credentials.json'),
    failed: owned?.failed ?? new Promise(() => {}),
    newestRequest: () => newestRequest(settings),
    stop: async () => owned?.stop(),
  }
}

/** These belong to the program in most projects: a server that took them would write its tables into the program's database. */
export const OF_THE_PROGRAM = ['DATABASE_URL', 'NATS_URL', 'PORT']

const READY_WITHIN_MS = 60_000
const POLL_MS = 200

/** The instance that runs on a data folder. One that is just starting is waited for. */
async function readyInstance(dataDir: string, stopping: AbortSignal): Promise<RunningInstance | undefined> {
  const begun = performance.now()
  for (;;) {
    const found = await runningInstance(dataDir)
    if (!found || found.listen_url || stopping.aborted) return found
    if (performance.now() - begun > READY_WITHIN_MS)
      throw new UsageError(`The server on the data folder ${dataDir} did not become ready within a minute.`)
    await pause(POLL_MS)
  }
}

function targetOf(url: string): Target {
  const { hostname, port } = new URL(url)
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 80 }
}

async function newestRequest(settings: Settings): Promise<string> {
  const answer = (await callRunning(settings, 'GET', '/_rostra/requests?limit=1').catch(() => undefined)) as
    | { requests: RecordedRequest[] }
    | undefined
  return answer?.requests.at(-1)?.seq ?? ''
}
