import { createServer, disconnectStreams, singletons, startWork } from '../app.ts'
import { createLogger } from '../process/logger.ts'
import { createWorkerBus } from '../process/process-bus.ts'
import { openDatabase } from '../storage/database.ts'
import { createRuntime } from './create-runtime.ts'
import { HEARS, LOADED, type WorkerFacts } from './worker-facts.ts'

const facts = await new Promise<WorkerFacts>((resolve) => {
  if (!process.send) throw new Error('This process was not started as a worker.')
  // Nothing has begun yet that would have to be finished.
  process.once('disconnect', leave)
  process.once('message', (message) => {
    process.off('disconnect', leave)
    if (message === 'stop') leave()
    else resolve(message as WorkerFacts)
  })
  tell(LOADED)
})
function leave(): never {
  process.exit(0)
}
// A supervisor that has just died takes nothing any more, and its end is told by the channel.
function tell(message: unknown): void {
  process.send?.(message, undefined, undefined, () => {})
}

const { settings } = facts
const log = createLogger(settings.logLevel, 'worker')
const database = openDatabase(facts.connection, { connections: settings.databaseConnections, name: 'rostra worker' })
const bus = createWorkerBus({
  send: (message) => process.connected && tell(message),
  onMessage: (listener) => process.on('message', listener),
})
const { machine, secretKey } = facts
const runtime = createRuntime({ settings, database, bus, log, machine, secretKey, singletons })
runtime.clock.setOffset(facts.clockOffsetMs)
const server = createServer(runtime, settings)

const LAST_BYTES_MS = 500

let stopping = false
let work: ReturnType<typeof startWork> | undefined
async function stop(): Promise<void> {
  if (stopping) return
  stopping = true
  disconnectStreams(runtime)
  const closed = server.close()
  await work?.stop()
  await runtime.inFlight.settled()
  // A client that is stuck in half a request would be waited for.
  setTimeout(() => server.server.closeAllConnections(), LAST_BYTES_MS)
  await closed
  // A client that went away does not end its request: what it began is finished before the database is closed.
  await runtime.close()
  process.exit(0)
}

// The terminal sends Ctrl-C to every process; the supervisor alone decides, and says so over the channel.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => void stop())
process.on('disconnect', () => void stop())
process.on('message', (message) => {
  if (message === 'stop') void stop()
})

tell(HEARS)
await server.listen({ port: settings.port, host: settings.host })
tell('ready')
work = startWork(runtime)
