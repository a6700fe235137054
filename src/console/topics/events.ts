import type { LoggedEvent } from '../../events/catalog.ts'
import { readHead } from '../../events/log-tail.ts'
import { tailOf } from '../../events/runtime-tail.ts'
import { isStorableId } from '../../process/ids.ts'
import { eventPages } from '../event-pages.ts'
import type { OpenTopic } from '../live-topic.ts'

/** Events of the log, in its order and without gaps. */
export const openEvents: OpenTopic = async (runtime, stream, given, writer) => {
  const pages = runtime.singleton(eventPages)
  const tail = await tailOf(runtime)
  const head = await readHead(runtime.database)
  // A log that was begun again ends before the cursor.
  let sequence = given !== undefined && isStorableId(given) && BigInt(given) <= BigInt(head) ? given : head
  writer.at(sequence)
  const send = (events: LoggedEvent[]) => {
    const isFresh = (event: LoggedEvent) => BigInt(event.sequence) > BigInt(sequence)
    const fresh = isFresh(events[0]!) ? events : events.filter(isFresh)
    if (fresh.length === 0) return
    sequence = fresh.at(-1)!.sequence
    writer.send(pages.write(fresh), sequence)
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
    const page = await pages.readAfter(sequence)
    sequence = page.sequence
    if (page.json !== undefined) writer.send(page.json, sequence)
    await stream.drained()
    isBehind = page.isFull || delivered > BigInt(sequence)
  }
}
