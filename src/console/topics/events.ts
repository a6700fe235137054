import type { LoggedEvent } from '../../events/catalog.ts'
import { readEvents, readHead } from '../../events/log-tail.ts'
import { tailOf } from '../../events/runtime-tail.ts'
import { isStorableId } from '../../process/ids.ts'
import type { OpenTopic } from '../live-topic.ts'

const PAGE = 500

/** Events of the log, in its order and without gaps. */
export const openEvents: OpenTopic = async (runtime, stream, given, writer) => {
  const { database } = runtime
  const tail = await tailOf(runtime)
  const head = await readHead(database)
  // A log that was begun again ends before the cursor.
  let sequence = given !== undefined && isStorableId(given) && BigInt(given) <= BigInt(head) ? given : head
  writer.at(sequence)
  const send = (events: LoggedEvent[]) => {
    const fresh = events.filter((event) => BigInt(event.sequence) > BigInt(sequence))
    if (fresh.length === 0) return
    sequence = fresh.at(-1)!.sequence
    writer.send(JSON.stringify(fresh.map(({ sequence: place, ...event }) => ({ place, ...event }))), sequence)
  }
  let isBehind = true
  let delivered = 0n
  stream.onClose(
    tail.listen((events) => {
      // The pages that are being read have these, or the next page does.
      if (isBehind) delivered = BigInt(events.at(-1)!.sequence)
      else send(events)
    }),
  )
  while (isBehind && !stream.isClosed) {
    const page = await readEvents(database, sequence, PAGE)
    send(page)
    await stream.drained()
    isBehind = page.length === PAGE || delivered > BigInt(sequence)
  }
}
