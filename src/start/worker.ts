import { createServer, disconnectStreams, singletons, startWork } from '../app.ts'
import { serveNames } from '../front/serve-names.ts'
import { Lifecycle, StoppedWhileStarting } from '../process/lifecycle.ts'
import { createLogger } from '../process/logger.ts'
import { createWorkerBus } from '../process/process-bus.ts'
import { seedRandom } from '../process/random.ts'
import { openDatabase } from '../storage/database.ts'
import { createRuntime } from './create-runtime.ts'
import { credentialsEndpoint } from './credentials-endpoint.ts'
import { collectWhenIdle } from './idle-collection.ts'
import { snippetsEndpoint } from './snippets-endpoint.ts'
import { LOADED, ON_BUS, READY, STOP, type WorkerFacts } from './worker-facts.ts'

const LAST_BYTES_MS = 500
// The supervisor ends a worker earlier; this bounds a worker whose supervisor is gone.
const WORK_STOPS_WITHIN_MS = 30_000

await serve(await receiveFacts())

function receiveFacts(): Promise<WorkerFacts> {
  if (!process.send) throw new Error('This process was not started as a worker.')
  return new Promise((resolve) => {
    // Nothing has started yet that would have to be finished.
    const exit = () => process.exit(0)
    process.once('disconnect', exit)
    process.once('message', (message) => {
      process.off('disconnect', exit)
      if (message === STOP) exit()
      else resolve(message as WorkerFacts)
    })
    send(LOADED)
  })
}

// A supervisor that has just died takes no messages; the disconnect event reports its end.
function send(message: unknown): void {
  process.send?.(message, undefined, undefined, () => {})
}

async function serve({
  settings,
  connection,
  machine,
  secretKey,
  clock,
  determinism,
  clockReachedMs,
  isFull,
}: WorkerFacts): Promise<void> {
  const log = createLogger(settings.logLevel, 'worker')
  collectWhenIdle()
  const lifecycle = new Lifecycle(log)
  const stop = () => void lifecycle.stop().then(() => process.exit(0))
  // The terminal sends Ctrl-C to every process; only the supervisor decides, and says so over the channel.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', stop)
  process.on('disconnect', stop)
  process.on('message', (message) => {
    if (message === STOP) stop()
  })
  try {
    const runtime = await lifecycle.start({
      name: 'runtime',
      start: () => {
        const database = openDatabase(connection, { connections: settings.databaseConnections, name: 'rostra worker' })
        const bus = createWorkerBus({
          send: (message) => process.connected && send(message),
          onMessage: (listener) => process.on('message', listener),
        })
        if (determinism) seedRandom(`${determinism.seed} ${machine} ${determinism.starts}`)
        return createRuntime({
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
      },
      // A client that went away does not end its request: what it started is finished before the database is closed.
      stop: (created) => created.close(),
      stopWithinMs: WORK_STOPS_WITHIN_MS,
    })
    runtime.clock.setState(clock)
    runtime.diskIsFull = isFull
    let closed: PromiseLike<unknown> | undefined
    const server = await lifecycle.start({
      name: 'HTTP server',
      start: async () => {
        const created = createServer(runtime, settings, [credentialsEndpoint, snippetsEndpoint(settings)])
        send(ON_BUS)
        await created.listen({ port: settings.port, host: settings.host })
        return created
      },
      stop: async (listening) => {
        closed ??= listening.close()
        await runtime.inFlight.settled()
        // Otherwise a client that is stuck in half a request would be waited for.
        setTimeout(() => listening.server.closeAllConnections(), LAST_BYTES_MS)
        await closed
      },
      stopWithinMs: WORK_STOPS_WITHIN_MS,
    })
    if (settings.namesPort !== undefined) {
      const { dataDir, host, namesPort: port } = settings
      await lifecycle.start({
        name: 'platform names',
        start: () => serveNames(server.server, { dataDir, host, port }),
        stop: (names) => names.close(),
      })
    }
    send(READY)
    await lifecycle.start({
      name: 'background work',
      start: () => startWork(runtime),
      stop: (work) => work.stop(),
      stopWithinMs: WORK_STOPS_WITHIN_MS,
    })
    // Stops first: no new requests, and open streams end, while the rest still works.
    await lifecycle.start({
      name: 'new requests',
      start: () => {},
      stop: () => {
        disconnectStreams(runtime)
        closed = server.close()
      },
    })
  } catch (error) {
    if (!(error instanceof StoppedWhileStarting)) throw error
  }
}
