import type { RecordedRequest } from '../../api-kit/serving/request-log.ts'
import { realNow } from '../../process/clock.ts'
import type { OpenTopic } from '../live-topic.ts'
import { RequestCursor } from '../request-cursor.ts'
import { requestFeed } from '../request-feed.ts'

const AT_ONCE = 200

/** Requests as they are answered. */
export const openRequests: OpenTopic = async (runtime, stream, given, writer) => {
  const cursor = (given === undefined ? undefined : RequestCursor.parse(given)) ?? RequestCursor.at(realNow())
  writer.at(cursor.text)
  const send = (requests: RecordedRequest[]) => {
    const fresh = cursor.take(requests)
    if (fresh.length > 0) writer.send(JSON.stringify(fresh), cursor.text)
  }
  // What arrives while the missed ones are collected is sent after them.
  let held: RecordedRequest[] | undefined = []
  const feed = runtime.singleton(requestFeed)
  const { missed, end } = await feed.listen(cursor, (requests) => {
    if (held) held.push(...requests)
    else send(requests)
  })
  stream.onClose(end)
  const all = [...missed, ...held].sort((left, right) => (left.seq < right.seq ? -1 : 1))
  for (let from = 0; from < all.length && !stream.isClosed; from += AT_ONCE) {
    send(all.slice(from, from + AT_ONCE))
    await stream.drained()
  }
  const late = held
  held = undefined
  send(late)
}
