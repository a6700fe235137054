import { closed, Type } from '../../api-kit/declaring/schema.ts'
import { DISCONNECT_TYPES } from '../../api-kit/writing/problem-words.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { realNow } from '../../process/clock.ts'
import { isStorableId, LARGEST_ID } from '../../process/ids.ts'
import { statement } from '../../storage/statement.ts'
import { connectionsOpen } from '../../streams/connection.statements.ts'
import { LOST_AFTER_MS } from '../../streams/connection-rows.ts'
import { ENDPOINT_NAMES } from '../../streams/endpoint-names.ts'
import { ruleMatches } from '../../streams/filtered/rule-matches.ts'
import { hubOf } from '../../streams/hub.ts'
import type { StreamFacts } from '../../streams/open-stream.ts'
import { STREAM_ACTIONS, STREAM_FACTS } from '../../streams/stream-fault.ts'
import { type Command, defineCommand, findApp, NameOrId } from '../command.ts'
import { streamMatches } from './matches-command.ts'
import { pageOf } from './webhook-commands.ts'

const optional = Type.Optional
const Limit = Type.Integer({ minimum: 1, maximum: 500 })
const PAGE = 100
const CURSOR = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) ([0-9a-f-]{36})$/
const FIRST = ['9999-01-01T00:00:00.000Z', '00000000-0000-0000-0000-000000000000'] as const

function readCursor(text: string | undefined): readonly [string, string] {
  if (text === undefined) return FIRST
  const [, at, id] = CURSOR.exec(text) ?? []
  if (at === undefined || Number.isNaN(Date.parse(at)) || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id!))
    throw invalidParameter('before', text, 'before must be the next of an earlier answer.')
  return [at, id!]
}

/** The open streams of all processes. What was sent is known of those on this machine. */
export const streamsList = defineCommand(
  'streams.list',
  closed({
    app: optional(NameOrId),
    before: optional(Type.String({ maxLength: 100 })),
    limit: optional(Limit),
  }),
  async (runtime, { app, before, limit = PAGE }) => {
    const appId = app === undefined ? null : (await findApp(runtime, app)).id
    const [at, id] = readCursor(before)
    const alive = new Date(realNow() - LOST_AFTER_MS)
    const found = await connectionsOpen.all(runtime.database, at, id, appId, alive, limit + 1)
    const { rows, next } = pageOf(found, limit, (row) => `${row.connected_at.toISOString()} ${row.id}`)
    const ids = rows.map((row) => row.id)
    const others = await runtime.bus.askAll<StreamFacts[] | null>(STREAM_FACTS, ids)
    const facts = new Map(
      [hubOf(runtime).factsOf(ids), ...others].flatMap((items) => items ?? []).map((item) => [item.id, item]),
    )
    return {
      streams: rows.map((row) => ({ ...row, sent: facts.get(row.id) ?? null })),
      next,
      actions: STREAM_ACTIONS,
      disconnect_types: DISCONNECT_TYPES,
      endpoints: ENDPOINT_NAMES,
    }
  },
)

const rulesWithMatches = statement(
  'control_stream_rules',
  {
    id: 'int8',
    app_id: 'int8',
    app: 'text',
    product: 'text',
    value: 'text',
    tag: 'text?',
    created_at: 'timestamptz',
    matches: 'int8',
    first_match_at: 'timestamptz?',
    last_match_at: 'timestamptz?',
  },
  `select r.id, r.app_id, a.name as app, r.product, r.value, r.tag, r.created_at, coalesce(m.matches, 0) as matches,
          m.first_at as first_match_at, m.last_at as last_match_at
     from stream_rule r join client_app a on a.id = r.app_id left join stream_rule_match m on m.rule_id = r.id
    where r.id > $1 and ($2::bigint is null or r.app_id = $2) order by r.id limit $3`,
)

/** The rules of all apps with the number of posts that each has matched. Posts count while the app has a stream or linked webhook. */
export const streamsRules = defineCommand(
  'streams.rules',
  closed({
    app: optional(NameOrId),
    after: optional(Type.String({ pattern: '^[0-9]{1,19}$' })),
    limit: optional(Limit),
  }),
  async (runtime, { app, after = '0', limit = PAGE }) => {
    const appId = app === undefined ? null : (await findApp(runtime, app)).id
    await runtime.singleton(ruleMatches).store()
    const start = isStorableId(after) ? after : LARGEST_ID
    const found = await rulesWithMatches.all(runtime.database, start, appId, limit + 1)
    const { rows, next } = pageOf(found, limit, (row) => row.id)
    return { rules: rows.map((row) => ({ ...row, matches: Number(row.matches) })), next }
  },
)

/** Commands that show open streams and rules of all apps. */
export const streamListCommands: Command[] = [streamsList, streamsRules, streamMatches]
