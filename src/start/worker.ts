import { createHouse, createServer } from '../app.ts'
import { createLogger } from '../process/logger.ts'
import { createWorkerSwitchboard } from '../process/switchboard.ts'
import { readWorkerFacts, type Settings } from '../settings.ts'
import { type ConnectionOptions, openDatabase } from '../storage/database.ts'

/** What the supervisor hands to a worker. */
export interface WorkerFacts {
  settings: Settings
  connection: ConnectionOptions
  machine: number
  secretKey: string
  clockOffsetMs: number
}

const facts = readWorkerFacts<WorkerFacts>()
const { settings } = facts
const log = createLogger(settings.logLevel, 'worker')
const database = openDatabase(facts.connection, { connections: settings.databaseConnections, name: 'rostra worker' })
const switchboard = createWorkerSwitchboard({
  send: (message) => process.connected && process.send?.(message, undefined, undefined, () => {}),
  onMessage: (listener) => process.on('message', listener),
})
const house = createHouse({ settings, database, switchboard, log, machine: facts.machine, secretKey: facts.secretKey })
house.clock.setOffset(facts.clockOffsetMs)
const server = createServer(house, settings)

let stopping = false
async function stop(): Promise<void> {
  if (stopping) return
  stopping = true
  await server.close()
  // A client that went away does not end its request: what it began is finished before the database is closed.
  await house.underWay.settled()
  await database.close()
  process.exit(0)
}

// The terminal sends Ctrl-C to every process; the supervisor alone decides, and says so over the channel.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => void stop())
process.on('disconnect', () => void stop())
process.on('message', (message) => {
  if (message === 'stop') void stop()
})

await server.listen({ port: settings.port, host: settings.host })
process.send?.('ready')
