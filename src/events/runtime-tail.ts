import type { Runtime } from '../api-kit/runtime.ts'
import { defineSingleton } from '../api-kit/singleton.ts'
import { type LogTail, startLogTail } from './log-tail.ts'
import { type NatsLine, openNatsLine } from './nats-line.ts'

/** The NATS connection of this process, where an address is set. */
export const natsLine = defineSingleton<NatsLine | undefined>({
  name: 'NATS line',
  create: ({ natsUrl, database, secretBox, log }) =>
    natsUrl === '' ? undefined : openNatsLine({ url: natsUrl, db: database, secretBox, log }),
  stop: (line) => line?.close(),
})

/** The log tail of this process, which starts on first use and is then shared. */
export const logTail = defineSingleton({ name: 'log tail', create: createSharedTail, stop: (tail) => tail.stop() })

/** The log tail of this process. */
export const tailOf = (runtime: Runtime): Promise<LogTail> => runtime.singleton(logTail).get()

function createSharedTail(runtime: Runtime): { get(): Promise<LogTail>; stop(): Promise<void> } {
  const { database, log } = runtime
  let tail: Promise<LogTail> | undefined
  return {
    get: () => {
      if (!tail) {
        tail = startLogTail(database, database.connection, log, runtime.singleton(natsLine))
        // The next caller tries again after a failure.
        tail.catch(() => {
          tail = undefined
        })
      }
      return tail
    },
    stop: async () => {
      await (await tail?.catch(() => undefined))?.stop()
    },
  }
}
