import cluster, { type Worker } from 'node:cluster'
import path from 'node:path'
import type { Logger } from '../process/logger.ts'
import { createExchange, type Extension } from '../process/process-bus.ts'
import { StartError } from './start-error.ts'
import { closeUntaken } from './untaken-connections.ts'
import { HEARS, LOADED, type WorkerFacts } from './worker-facts.ts'

const STOP_WITHIN_MS = 8_000
const RESTART_PAUSE_MS = 200
const READY_WITHIN_MS = 60_000

interface Hears {
  clockMoved(offsetMs: number): void
  woken(topic: string): void
}

/** The workers of an installation. They load the product at once, and begin when they are told the facts. */
interface Crew {
  /** Resolves when every worker takes requests. */
  begin(facts: (index: number) => WorkerFacts, hears: Hears): Promise<void>
  readonly stopping: boolean
  stop(): Promise<void>
}

export function hireCrew(count: number, log: Logger): Crew {
  cluster.setupPrimary({ exec: path.join(import.meta.dirname, 'worker.js') })
  const workers = new Map<number, Worker>()
  let begun: { facts: (index: number) => WorkerFacts; hears: Hears } | undefined
  const exchange = createExchange(
    (silent) => {
      log.error(`worker ${silent.id} does not answer and is ended`)
      workers.get(silent.id)?.process.kill('SIGKILL')
    },
    (topic) => begun?.hears.woken(topic),
  )
  let stopping = false
  let firstReady = 0
  let settle: { resolve(): void; reject(error: Error): void }
  const ready = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject }
  })
  // Whoever begins hears of it; a crew may fail, or be sent home, before that.
  ready.catch(() => {})
  let timer: NodeJS.Timeout | undefined
  const loaded = new Map<number, Worker>()

  const hire = (index: number) => {
    const worker = cluster.fork()
    const extension: Extension = {
      id: worker.id,
      send: (message) => worker.isConnected() && worker.send(message as object),
    }
    let isReady = false
    workers.set(worker.id, worker)
    closeUntaken(worker)
    // What is sent to one that has just died is lost; its exit is told too.
    worker.on('error', () => {})
    worker.on('message', (message: unknown) => {
      if (message === LOADED) {
        if (begun) worker.send(begun.facts(index))
        else loaded.set(index, worker)
        return
      }
      if (message === HEARS) {
        // What was changed before can be remembered wrongly nowhere: it has read nothing yet. Its clock may be old.
        exchange.join(extension)
        worker.send({ rostra: 'question', call: 0, topic: 'clock', payload: begun!.facts(index).clockOffsetMs })
        return
      }
      if (message === 'ready') {
        isReady = true
        firstReady += 1
        if (firstReady === count) {
          clearTimeout(timer)
          settle.resolve()
        }
        return
      }
      watchClock(message, (offsetMs) => begun?.hears.clockMoved(offsetMs))
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
      exchange.announce('invalidate-all', null)
      setTimeout(() => !stopping && hire(index), RESTART_PAUSE_MS)
    })
  }
  for (let index = 0; index < count; index++) hire(index)

  return {
    begin(facts, hears) {
      begun = { facts, hears }
      for (const [index, worker] of loaded) if (worker.isConnected()) worker.send(facts(index))
      loaded.clear()
      timer = setTimeout(
        () =>
          settle.reject(
            new StartError('The workers were not ready within a minute. Start with --log-level info to see why.'),
          ),
        READY_WITHIN_MS,
      )
      return ready
    },
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
      const end = () => {
        for (const worker of workers.values()) worker.process.kill('SIGKILL')
      }
      // Who has not begun has nothing to finish.
      if (!begun) end()
      else for (const worker of all) if (worker.isConnected()) worker.send('stop')
      const late = setTimeout(end, STOP_WITHIN_MS)
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
