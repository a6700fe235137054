import type { Readable } from 'node:stream'
import { defineEndpoint, defineStreamingEndpoint, type Endpoint, withHead } from '../api-kit/declaring/endpoint.ts'
import type { RequestFacts } from '../api-kit/declaring/operation.ts'
import { bodyTooLarge, parseJsonBody } from '../api-kit/reading/body.ts'
import { readLimit, readOwnQuery, readWord } from '../api-kit/reading/request-query.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import type { RecordedRequest, RequestLogFilter } from '../api-kit/serving/request-log.ts'
import type { Answer, BytesAnswer, StreamAnswer } from '../api-kit/writing/answer.ts'
import { jsonAnswer } from '../api-kit/writing/answer.ts'
import { blank, invalidParameter, unavailable } from '../api-kit/writing/problems.ts'
import { readEvents, readHead } from '../events/log-tail.ts'
import { storeUsage } from '../identity/usage/usage-meter.ts'
import { isStorableId } from '../process/ids.ts'
import { sameText } from '../process/secret-box.ts'
import { readFirstWorld, resetWorld } from '../world/reset-world.ts'
import { adminKey } from './admin-key.ts'
import { type Actor, audited } from './audit/audited.ts'
import { commands } from './commands.ts'
import { hasConsoleSession } from './console-access.ts'
import { readDeliveries } from './deliveries.ts'
import { executeCommand } from './execute-command.ts'
import { readExport } from './export.ts'
import { readCalls, readRequest } from './request-detail.ts'

type Handler = (
  request: RequestFacts,
  runtime: Runtime,
  path: Record<string, string>,
  stream: Readable,
) => Promise<Answer | BytesAnswer | StreamAnswer>

/** An endpoint for holders of the admin key, and for the console. */
export function controlEndpoint(
  id: string,
  route: `${'GET' | 'POST'} /_rostra/${string}`,
  handler: Handler,
  define = defineEndpoint,
): Endpoint {
  const endpoint = define(id, route, async (request, runtime, { path, stream }) => {
    const given = /^Bearer\s+(\S+)\s*$/i.exec(String(request.headers.authorization ?? ''))?.[1] ?? ''
    const isAllowed =
      given === '' ? await hasConsoleSession(request, runtime) : sameText(given, adminKey(runtime.secretBox))
    if (!isAllowed)
      throw blank(401, 'The control interface requires the admin key from credentials.json as a bearer token.')
    return handler(request, runtime, path, stream)
  })
  return { ...endpoint, unrecorded: endpoint.method === 'GET' }
}

const MAX_REQUESTS = 1_000

async function readRequests(request: RequestFacts, runtime: Runtime): Promise<Answer> {
  const query = readOwnQuery(request.rawQuery, ['app', 'after', 'refused', 'limit'])
  const limit = readLimit(query, MAX_REQUESTS)
  const refused = readWord(query, 'refused', ['true', 'false']) === 'true'
  const filter: RequestLogFilter = { app: query.get('app'), after: query.get('after'), refused, limit }
  return jsonAnswer({ requests: await findRequests(runtime, filter) })
}

/** The last requests of all workers that fit a filter, oldest first. */
export async function findRequests(runtime: Runtime, filter: RequestLogFilter): Promise<RecordedRequest[]> {
  // The cost of a request is known when what it read is stored. The log can be read while the database is away too.
  await storeUsage(runtime).catch(() => {})
  const others = await runtime.bus.askAll<RecordedRequest[]>('requests', filter)
  const all = [runtime.requestLog.read(filter), ...others].flat().sort((left, right) => (left.seq < right.seq ? -1 : 1))
  return all.slice(-filter.limit)
}

const MAX_EVENTS = 1_000

/** Lists the event log after a sequence, oldest first. Streams and webhooks report these events. */
async function readLog(request: RequestFacts, runtime: Runtime): Promise<Answer> {
  const query = readOwnQuery(request.rawQuery, ['after', 'limit'])
  const after = query.get('after') ?? '0'
  const limit = readLimit(query, MAX_EVENTS)
  if (!isStorableId(after)) throw invalidParameter('after', after, 'after must be a sequence of the event log')
  const events = await readEvents(runtime.database, after, limit)
  return jsonAnswer({
    head: await readHead(runtime.database),
    events: events.map(({ sequence, ...event }) => ({ place: sequence, ...event })),
  })
}

// Sessions of the console send no key.
const actorOf = ({ headers }: RequestFacts): Actor =>
  headers.authorization === undefined ? 'console session' : 'admin key'

const MOST_BYTES = 1024 * 1024

/** The body of a command. It is read after the admin key was checked: only its holders may send large ones. */
async function readBody(stream: Readable, mostBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  // Not destroyed after a refusal, which the client could not read then.
  for await (const piece of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > mostBytes) throw bodyTooLarge()
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

async function runCommand(
  request: RequestFacts,
  runtime: Runtime,
  path: Record<string, string>,
  stream: Readable,
): Promise<Answer> {
  const command = commands.find((item) => item.name === path.name)
  if (!command)
    throw blank(
      404,
      `There is no command with this name. The commands are: ${commands.map((item) => item.name).join(', ')}.`,
    )
  const body = await readBody(stream, command.mostBytes ?? MOST_BYTES)
  const json = parseJsonBody(body, request.headers['content-type'] as string | undefined) ?? {}
  return jsonAnswer(await executeCommand(runtime, actorOf(request), command, json))
}

/** Puts the world back to the first one. */
export async function reset(runtime: Runtime, actor: Actor): Promise<{ reset: true }> {
  // Read while the audit entry is written.
  const snapshot = readFirstWorld(runtime)
  await audited(runtime, { actor, name: 'reset', args: {} }, (noteDone) => resetWorld(runtime, { snapshot, noteDone }))
  runtime.bus.wake('credentials')
  return { reset: true }
}

// Health checks give up after a few seconds: an answer must come before that.
const HEALTH_WITHIN_MS = 3_000

async function answersInTime(query: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const slow = unavailable(`the database did not answer within ${HEALTH_WITHIN_MS} ms`, 5)
    timer = setTimeout(() => reject(slow), HEALTH_WITHIN_MS)
  })
  try {
    await Promise.race([query, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The control interface, and the health check, which requires no key. */
export const controlEndpoints: Endpoint[] = [
  withHead(
    defineEndpoint('health', 'GET /health', async (_request, runtime) => {
      const started = performance.now()
      await answersInTime(runtime.database.query({ text: 'select 1' }))
      return jsonAnswer({
        status: 'ok',
        database_ms: runtime.isDeterministic ? 0 : Math.round((performance.now() - started) * 100) / 100,
        time: new Date(runtime.clock.now()).toISOString(),
      })
    }),
  ),
  controlEndpoint('controlRequests', 'GET /_rostra/requests', readRequests),
  controlEndpoint('controlRequest', 'GET /_rostra/requests/{seq}', (_request, runtime, { seq }) =>
    readRequest(runtime, seq ?? ''),
  ),
  controlEndpoint('controlCalls', 'GET /_rostra/calls', (_request, runtime) => readCalls(runtime)),
  controlEndpoint('controlEvents', 'GET /_rostra/events', readLog),
  controlEndpoint('controlDeliveries', 'GET /_rostra/deliveries', readDeliveries),
  controlEndpoint('controlExport', 'GET /_rostra/export/{what}', readExport),
  controlEndpoint('controlReset', 'POST /_rostra/reset', async (request, runtime) =>
    jsonAnswer(await reset(runtime, actorOf(request))),
  ),
  controlEndpoint('controlCommand', 'POST /_rostra/commands/{name}', runCommand, defineStreamingEndpoint),
]
