import cluster, { type Worker } from 'node:cluster'
import path from 'node:path'
import type { ClockState } from '../process/clock.ts'
import type { Logger } from '../process/logger.ts'
import { type BusWorker, createBusRouter, payloadsSentTo } from '../process/process-bus.ts'
import { PROGRAM_FOLDER } from '../process/program-folder.ts'
import { StartError } from './start-error.ts'
import { closeUntaken } from './untaken-connections.ts'
import { LOADED, ON_BUS, READY, STOP, type WorkerFacts } from './worker-facts.ts'

const STOP_WITHIN_MS = 8_000
const RESTART_PAUSE_MS = 200
const READY_WITHIN_MS = 60_000
const ALIVE_EVERY_MS = 5_000

interface PoolOptions {
  facts(index: number): WorkerFacts
  /** What may have changed since a worker got its facts. */
  state(): Pick<WorkerFacts, 'clock' | 'isFull'>
  onClockMoved(state: ClockState): void
  onWake(topic: string): void
  /** A worker died, whatever it was doing. */
  onDeath(): void
}

/** The API processes. They load the product at once, and serve when they get the facts. */
export interface WorkerPool {
  /** Sends something to every worker that serves. */
  announce(topic: string, payload: unknown): void
  /** Resolves when every worker takes requests. */
  serve(options: PoolOptions): Promise<void>
  stop(): Promise<void>
}

export function startWorkerPool(count: number, log: Logger): WorkerPool {
  cluster.setupPrimary({ exec: path.join(PROGRAM_FOLDER, 'start', 'worker.js') })
  const workers = new Map<number, Worker>()
  const loaded = new Map<number, Worker>()
  let serving: PoolOptions | undefined
  const router = createBusRouter({
    onSilent: (silent) => {
      log.error(`worker ${silent.id} stood still for 30 s and is ended`)
      workers.get(silent.id)?.process.kill('SIGKILL')
    },
    onWake: (topic) => serving?.onWake(topic),
  })
  let isStopping = false
  let readyCount = 0
  let settle: { resolve(): void; reject(error: Error): void }
  const ready = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject }
  })
  // The caller of `serve()` sees the rejection; workers may fail or be stopped earlier.
  ready.catch(() => {})
  let readyTimer: NodeJS.Timeout | undefined

  const startWorker = (index: number) => {
    const worker = cluster.fork()
    const onBus: BusWorker = {
      id: worker.id,
      send: (message) => worker.isConnected() && worker.send(message as object),
    }
    let isReady = false
    workers.set(worker.id, worker)
    closeUntaken(worker)
    // A message to a worker that has just died is lost; its exit is handled below.
    worker.on('error', () => {})
    worker.on('message', (message: unknown) => {
      if (message === LOADED) {
        if (serving) worker.send(serving.facts(index))
        else loaded.set(index, worker)
      } else if (message === ON_BUS) {
        // It has read nothing yet, so none of its cached data is stale. Its clock may be, and what it knows about the disk.
        router.join(onBus)
        const { clock, isFull } = serving!.state()
        router.sendTo(onBus, 'clock', clock)
        router.sendTo(onBus, 'disk-full', isFull)
      } else if (message === READY) {
        isReady = true
        readyCount += 1
        if (readyCount === count) {
          clearTimeout(readyTimer)
          settle.resolve()
        }
      } else {
        // A worker that starts later must get the moved clock.
        for (const state of payloadsSentTo('clock', message)) serving?.onClockMoved(state as ClockState)
        router.received(onBus, message)
      }
    })
    worker.on('exit', (code, signal) => {
      workers.delete(worker.id)
      router.leave(onBus)
      if (isStopping) return
      const how = signal ?? `code ${code}`
      if (!isReady && readyCount < count)
        return settle.reject(new StartError(`A worker ended while starting (${how}). Its log above says why.`))
      log.error(`worker ${worker.id} ended (${how}) and is replaced`)
      // It may have committed a change without sending the invalidation.
      router.announce('invalidate-all', null)
      serving?.onDeath()
      setTimeout(() => !isStopping && startWorker(index), RESTART_PAUSE_MS)
    })
  }
  for (let index = 0; index < count; index++) startWorker(index)
  // Finds a worker that stands still also when no change has to be confirmed.
  const asking = setInterval(() => router.announce('alive', null), ALIVE_EVERY_MS)
  asking.unref()

  const kill = () => {
    for (const worker of workers.values()) worker.process.kill('SIGKILL')
  }
  const stop = async () => {
    isStopping = true
    clearTimeout(readyTimer)
    clearInterval(asking)
    settle.reject(new StartError('The workers were stopped before they were ready.'))
    const all = [...workers.values()]
    const ended = Promise.all(
      all.map(
        (worker) =>
          new Promise<void>((resolve) => (worker.isDead() ? resolve() : worker.once('exit', () => resolve()))),
      ),
    )
    // Workers that do not serve have nothing to finish.
    if (!serving) kill()
    else for (const worker of all) if (worker.isConnected()) worker.send(STOP)
    const late = setTimeout(kill, STOP_WITHIN_MS)
    await ended
    clearTimeout(late)
  }
  let stopped: Promise<void> | undefined

  return {
    announce: (topic, payload) => router.announce(topic, payload),
    serve(options) {
      serving = options
      for (const [index, worker] of loaded) if (worker.isConnected()) worker.send(options.facts(index))
      loaded.clear()
      readyTimer = setTimeout(
        () =>
          settle.reject(
            new StartError('The workers were not ready within a minute. Start with --log-level info to see why.'),
          ),
        READY_WITHIN_MS,
      )
      return ready
    },
    stop: () => {
      stopped ??= stop()
      return stopped
    },
  }
}
