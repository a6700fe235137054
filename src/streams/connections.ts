import { defineOperation, type Operation } from '../api-kit/declaring/operation.ts'
import { csv, textParameter, wholeNumber } from '../api-kit/declaring/parameters.ts'
import { ErrorsSchema } from '../api-kit/declaring/reply.ts'
import { closed, component, DateTime, Type, words } from '../api-kit/declaring/schema.ts'
import type { Naming } from '../api-kit/naming/naming.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { invalidParameter } from '../api-kit/writing/problems.ts'
import { realNow } from '../process/clock.ts'
import {
  connectionsActive,
  connectionsInactive,
  connectionsKill,
  connectionsKillByEndpoint,
  connectionsKillById,
  connectionsOfApp,
} from './connection.statements.ts'
import { LOST_AFTER_MS } from './connection-rows.ts'
import { ENDPOINT_NAMES, endpointOf, namesOf } from './endpoint-names.ts'
import { hubOf } from './hub.ts'

const auth = { app: true }
const EndpointName = words(ENDPOINT_NAMES)
const Text = Type.String()

const connectionMembers = {
  client_ip: Type.Optional(Text),
  connected_at: DateTime,
  disconnect_reason: Type.Optional(Text),
  disconnected_at: Type.Optional(DateTime),
  endpoint_name: Text,
  id: Text,
}
const FIELDS = Object.keys(connectionMembers) as (keyof typeof connectionMembers)[]
// A client needs the id to end a connection.
const ALWAYS: readonly string[] = ['connected_at', 'endpoint_name', 'id']

const STATEMENTS = { all: connectionsOfApp, active: connectionsActive, inactive: connectionsInactive }
type ConnectionRow = Awaited<ReturnType<typeof connectionsOfApp.all>>[number]

const getConnectionHistory = defineOperation({
  id: 'getConnectionHistory',
  route: 'GET /2/connections',
  tag: 'Connections',
  summary: 'List the stream connections of the app',
  auth,
  query: {
    status: textParameter(
      Type.Unsafe<keyof typeof STATEMENTS>({ ...words(['active', 'inactive', 'all']), default: 'active' }),
      {
        initial: 'active',
      },
    ),
    endpoints: csv(EndpointName, { unique: true, required: false }),
    max_results: wholeNumber({ min: 1, max: 100 }, { initial: 10 }),
    pagination_token: textParameter(Text),
    'connection.fields': csv(words(FIELDS), { unique: true, required: false }),
  },
  reply: component(
    'Get2ConnectionsResponse',
    Type.Object({
      data: Type.Optional(Type.Array(component('Connection', Type.Object(connectionMembers)), { minItems: 1 })),
      errors: ErrorsSchema,
      meta: Type.Optional(
        Type.Object({
          next_token: Type.Optional(component('NextToken', Type.String({ minLength: 1 }))),
          result_count: Type.Optional(component('ResultCount', Type.Integer({ format: 'int32' }))),
        }),
      ),
    }),
  ),
  handle: async ({ query, caller, runtime, naming }) => {
    const status = query.status ?? 'active'
    const start = query.pagination_token === undefined ? NEWEST : readCursor(query.pagination_token)
    const lost = new Date(realNow() - LOST_AFTER_MS)
    const names = query.endpoints.length === 0 ? null : namesOf(query.endpoints)
    // One more than requested shows whether there is another page.
    const bounds = [caller.app.id, start.connectedAt, start.id, names, query.max_results + 1]
    const found = await STATEMENTS[status].all(runtime.database, ...bounds, ...(status === 'all' ? [] : [lost]))
    const rows = found.slice(0, query.max_results)
    const fields = new Set([...ALWAYS, ...query['connection.fields']])
    const data = rows.map((row) => {
      const members = Object.entries(connectionOf(row, lost, runtime, naming))
      return Object.fromEntries(members.filter(([name]) => fields.has(name)))
    })
    return {
      data: data.length === 0 ? undefined : data,
      meta: {
        next_token: found.length > rows.length ? writeCursor(rows.at(-1)!) : undefined,
        result_count: rows.length,
      },
    }
  },
})

/** A connection as answers show it. If its process stopped, it ended when it was last seen, which is stored in real time. */
function connectionOf(row: ConnectionRow, lost: Date, runtime: Runtime, naming: Naming) {
  const isLost = row.disconnected_at === null && (row.seen_at <= lost || !row.served)
  const endedAt = isLost ? new Date(row.seen_at.getTime() + runtime.clock.offsetMs()) : row.disconnected_at
  return {
    client_ip: row.client_ip,
    connected_at: row.connected_at.toISOString(),
    disconnect_reason: isLost ? 'UpstreamUncleanDisconnect' : row.disconnect_reason,
    disconnected_at: endedAt?.toISOString(),
    endpoint_name: naming.rename(endpointOf(row.endpoint_name)),
    id: row.id,
  }
}

/** The connection after which a page begins, newest first. */
interface ConnectionCursor {
  connectedAt: Date
  id: string
}

const LATEST_MS = 2 ** 47
const NEWEST: ConnectionCursor = { connectedAt: new Date(LATEST_MS), id: '00000000-0000-0000-0000-000000000000' }
const TIME_DIGITS = 12

const writeCursor = (row: { connected_at: Date; id: string }): string =>
  row.connected_at.getTime().toString(16).padStart(TIME_DIGITS, '0') + row.id.replaceAll('-', '')

function readCursor(token: string): ConnectionCursor {
  const ms = Number.parseInt(token.slice(0, TIME_DIGITS), 16)
  if (!/^[0-9a-f]{44}$/.test(token) || ms > LATEST_MS)
    throw invalidParameter(
      'pagination_token',
      token,
      `The \`pagination_token\` query parameter value [${token}] is not valid`,
    )
  return { connectedAt: new Date(ms), id: token.slice(TIME_DIGITS) }
}

const killReply = (name: string) =>
  component(
    name,
    Type.Object({
      data: Type.Optional(
        Type.Object({
          failed_kills: Type.Optional(Type.Integer()),
          results: Type.Optional(
            Type.Array(
              Type.Object({
                error_message: Type.Optional(Text),
                success: Type.Optional(Type.Boolean()),
                uuid: Type.Optional(Text),
              }),
            ),
          ),
          successful_kills: Type.Optional(Type.Integer()),
        }),
      ),
      errors: ErrorsSchema,
    }),
  )

interface KillResult {
  uuid: string
  success: boolean
  error_message?: string
}

const killAnswer = (results: KillResult[]) => {
  const successful = results.filter((result) => result.success).length
  return { data: { successful_kills: successful, failed_kills: results.length - successful, results } }
}

/**
 * Ends connections by a statement. Processes of this machine disconnect the clients at once, other machines within seconds.
 * Returns the ids of the connections that were active.
 */
async function kill(
  runtime: Runtime,
  statement: typeof connectionsKill,
  appId: string,
  ...more: readonly string[][]
): Promise<string[]> {
  const lost = new Date(realNow() - LOST_AFTER_MS)
  const rows = await statement.all(runtime.database, appId, new Date(runtime.clock.now()), lost, ...more)
  const ids = rows.map((row) => row.id)
  if (ids.length > 0) {
    hubOf(runtime).closeById(ids)
    await runtime.bus.sendAll('streams.close', ids)
  }
  return rows.filter((row) => row.was_active).map((row) => row.id)
}

const allKilled = (ids: string[]) => killAnswer(ids.map((uuid) => ({ uuid, success: true })))

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const deleteConnectionsByUuids = defineOperation({
  id: 'deleteConnectionsByUuids',
  route: 'DELETE /2/connections',
  tag: 'Connections',
  summary: 'End connections of the app by id',
  auth,
  body: component('KillConnectionsByUuidsRequest', closed({ uuids: Type.Array(Text, { minItems: 1, maxItems: 100 }) })),
  reply: killReply('KillConnectionsByUuidsResponse'),
  handle: async ({ body, caller, runtime }) => {
    const asked = [...new Set(body.uuids)]
    const killed = new Set(
      await kill(
        runtime,
        connectionsKillById,
        caller.app.id,
        asked.filter((uuid) => UUID.test(uuid)),
      ),
    )
    return killAnswer(
      asked.map((uuid) =>
        killed.has(uuid.toLowerCase())
          ? { uuid, success: true }
          : { uuid, success: false, error_message: 'The app has no active connection with this uuid.' },
      ),
    )
  },
})

const deleteAllConnections = defineOperation({
  id: 'deleteAllConnections',
  route: 'DELETE /2/connections/all',
  tag: 'Connections',
  summary: 'End all connections of the app',
  auth,
  limit: { app: '25/15m', user: '25/15m' },
  reply: killReply('KillAllConnectionsResponse'),
  handle: async ({ caller, runtime }) => allKilled(await kill(runtime, connectionsKill, caller.app.id)),
})

const deleteConnectionsByEndpoint = defineOperation({
  id: 'deleteConnectionsByEndpoint',
  route: 'DELETE /2/connections/{endpoint_id}',
  tag: 'Connections',
  summary: 'End the connections of the app to one stream',
  auth,
  path: { endpoint_id: EndpointName },
  reply: killReply('KillConnectionsByEndpointResponse'),
  handle: async ({ path, caller, runtime }) =>
    allKilled(await kill(runtime, connectionsKillByEndpoint, caller.app.id, namesOf([path.endpoint_id]))),
})

/** The operations on stream connections. */
export const connectionOperations: readonly Operation[] = [
  getConnectionHistory,
  deleteConnectionsByUuids,
  deleteAllConnections,
  deleteConnectionsByEndpoint,
]
