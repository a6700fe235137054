import type { RequestFacts } from '../api-kit/declaring/operation.ts'
import { readOwnQuery } from '../api-kit/reading/request-query.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { type EventStream, eventStreamAnswer } from '../api-kit/serving/event-stream.ts'
import { invalidParameter } from '../api-kit/writing/problems.ts'
import { controlEndpoint } from '../control/endpoints.ts'
import { type LiveTopic, TOPICS } from './live-topic.ts'
import { openDeliveries } from './topics/deliveries.ts'
import { openEvents } from './topics/events.ts'
import { openLife } from './topics/life.ts'
import { openRequests } from './topics/requests.ts'

const OPEN: Record<LiveTopic, typeof openRequests> = {
  requests: openRequests,
  events: openEvents,
  deliveries: openDeliveries,
  life: openLife,
}

function readTopics(request: RequestFacts): LiveTopic[] {
  const given = readOwnQuery(request.rawQuery, ['topics']).get('topics') ?? TOPICS.join()
  const topics = [...new Set(given.split(','))]
  const wrong = topics.find((topic) => !(TOPICS as readonly string[]).includes(topic))
  if (wrong !== undefined) throw invalidParameter('topics', wrong, `topics is not a list of [${TOPICS.join(',')}]`)
  return topics as LiveTopic[]
}

const MOST_ID_CHARACTERS = 16_000

/** Where a reader goes on, by topic. The header is `topic=cursor` for each, separated by dots. */
function readCursors({ headers }: RequestFacts): Map<string, string> {
  const text = String(headers['last-event-id'] ?? '').slice(0, MOST_ID_CHARACTERS)
  return new Map(
    text.split('.').flatMap((part) => {
      const cut = part.indexOf('=')
      return cut < 0 ? [] : [[part.slice(0, cut), part.slice(cut + 1)]]
    }),
  )
}

async function follow(
  runtime: Runtime,
  stream: EventStream,
  topics: LiveTopic[],
  given: Map<string, string>,
): Promise<void> {
  const cursors = new Map<LiveTopic, string>()
  const position = () => [...cursors].map(([topic, cursor]) => `${topic}=${cursor}`).join('.')
  await Promise.all(
    topics.map((topic) =>
      OPEN[topic](runtime, stream, given.get(topic), {
        at: (cursor) => cursors.set(topic, cursor),
        send: (json, cursor) => {
          cursors.set(topic, cursor)
          // The position of every topic, because a reader has one for all.
          stream.sendJson(topic, json, position())
        },
      }),
    ),
  )
  // A reader that gets nothing else before it is cut off still knows where it began.
  stream.sendJson('open', '{}', position())
}

/**
 * What happens on this server, as server-sent events: requests as they are answered, in all processes of this machine, events of
 * the log, deliveries as they change, and the life of a population as it goes on. `Last-Event-ID` resumes after the last event that a reader got.
 */
export const liveEndpoint = controlEndpoint('controlLive', 'GET /_rostra/live', async (request, runtime) => {
  const topics = readTopics(request)
  const cursors = readCursors(request)
  return eventStreamAnswer(runtime, (stream) => follow(runtime, stream, topics, cursors))
})
