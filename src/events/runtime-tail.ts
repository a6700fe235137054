import type { Runtime } from '../api-kit/runtime.ts'
import { type LogTail, startLogTail } from './log-tail.ts'
import { type NatsLine, openNatsLine } from './nats-line.ts'

const tails = new WeakMap<Runtime, Promise<LogTail>>()
const lines = new WeakMap<Runtime, NatsLine>()

/** Lets the tail of this process follow by NATS too, where an address is set. */
export function openLine(runtime: Runtime, url: string): void {
  if (url !== '')
    lines.set(runtime, openNatsLine({ url, db: runtime.database, secretBox: runtime.secretBox, log: runtime.log }))
}

/** The tail of this process: begun when something first wants to follow the log, and then shared. */
export function tailOf(runtime: Runtime): Promise<LogTail> {
  let tail = tails.get(runtime)
  if (!tail) {
    tail = startLogTail(runtime.database, runtime.database.connection, runtime.log, lines.get(runtime))
    // A tail that could not begin is tried again by whoever asks next.
    tail.catch(() => tails.delete(runtime))
    tails.set(runtime, tail)
  }
  return tail
}

/** Ends the tail, and the line to NATS, where there is one. */
export async function stopTail(runtime: Runtime): Promise<void> {
  const tail = tails.get(runtime)
  tails.delete(runtime)
  await (await tail?.catch(() => undefined))?.stop()
  await lines.get(runtime)?.close()
}
