import type { House } from '../api-kit/house.ts'
import { type LogTail, startLogTail } from './log-tail.ts'
import { type NatsLine, openNatsLine } from './nats-line.ts'

const tails = new WeakMap<House, Promise<LogTail>>()
const lines = new WeakMap<House, NatsLine>()

/** Lets the tail of this process follow by NATS too, where an address is set. */
export function openLine(house: House, url: string): void {
  if (url !== '') lines.set(house, openNatsLine({ url, db: house.database, sealer: house.sealer, log: house.log }))
}

/** The tail of this process: begun when something first wants to follow the log, and then shared. */
export function tailOf(house: House): Promise<LogTail> {
  let tail = tails.get(house)
  if (!tail) {
    tail = startLogTail(house.database, house.database.connection, house.log, lines.get(house))
    // A tail that could not begin is tried again by whoever asks next.
    tail.catch(() => tails.delete(house))
    tails.set(house, tail)
  }
  return tail
}

/** Ends the tail, and the line to NATS, where there is one. */
export async function stopTail(house: House): Promise<void> {
  const tail = tails.get(house)
  tails.delete(house)
  await (await tail?.catch(() => undefined))?.stop()
  await lines.get(house)?.close()
}
