import { component, type TSchema, Type, words } from '../../api-kit/declaring/schema.ts'
import type { Naming } from '../../api-kit/naming/naming.ts'
import { statement } from '../../storage/statement.ts'
import { idCursor } from '../kit/cursor.ts'
import { allAdsEntities } from '../kit/define-entity.ts'
import { type AdsError, invalidParameter, windowErrors } from '../kit/errors.ts'
import { pageParams } from '../kit/list-records.ts'
import { defineAdsOperation, optional, required } from '../kit/operation.ts'
import { showTime } from '../kit/times.ts'
import { idKind, longKind, oneOfKind, timeKind, toBase36 } from '../kit/values.ts'

const historyPage = statement(
  'ads_history_page',
  {
    id: 'int8',
    change_type: 'text',
    change_time: 'timestamptz',
    user_id: 'int8',
    platform: 'text',
    changes: 'jsonb',
    entity_data: 'jsonb',
  },
  `select id, change_type, change_time, user_id, platform, changes, entity_data from ads_history
    where account_id = $1 and entity = $2 and entity_id = $3 and id > $4 and change_time >= $5 and change_time < $6
      and ($7::bigint is null or user_id = $7) order by id limit $8`,
)

const ENTITIES = ['CAMPAIGN', 'LINE_ITEM', 'PROMOTED_POST', 'TARGETING_CRITERIA', 'PROMOTED_ACCOUNT'] as const
const HOUR_MS = 3600_000
const cursor = idCursor('in time')

// The members depend on the kind of record, so they are spelled in the naming before the reply is written.
const AnyMembers = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })

const listAccountHistory = defineAdsOperation({
  id: 'listAccountHistory',
  route: 'GET /12/accounts/{account_id}/account_history',
  tag: 'Account History',
  summary: 'List the changes to a record',
  params: {
    entity_type: required(oneOfKind(ENTITIES), { echoAs: 'entity' }),
    entity_id: required(idKind),
    start_time: required(timeKind),
    end_time: required(timeKind),
    user_id: optional(longKind),
    ...pageParams(undefined, cursor),
  },
  data: component(
    'AccountHistory',
    Type.Object({
      entity: words(ENTITIES),
      entity_id: Type.String(),
      change_type: words(['CREATE', 'UPDATE', 'DELETE']),
      change_time: Type.String({ format: 'date-time' }),
      change_by: Type.Object({ user_id: Type.String({ pattern: '^[0-9]+$' }), platform: Type.String() }),
      changes: AnyMembers,
      entity_data: AnyMembers,
    }),
  ),
  envelope: 'list',
  may: 'see campaigns',
  allowlist: 'account_history',
  check: ({ start_time: start, end_time: end }) => [
    ...wholeHourErrors('start_time', start),
    ...wholeHourErrors('end_time', end),
    ...windowErrors(start, end),
  ],
  handle: async ({ params, runtime, account, naming }) => {
    const rows = await historyPage.all(
      runtime.database,
      account.id,
      params.entity_type,
      params.entity_id,
      params.cursor ?? '0',
      params.start_time,
      params.end_time,
      params.user_id ?? null,
      params.count! + 1,
    )
    const page = rows.slice(0, params.count)
    const spell = snapshotSpelling(params.entity_type, naming)
    return {
      data: page.map((row) => ({
        entity: params.entity_type,
        entity_id: toBase36(params.entity_id),
        change_type: row.change_type,
        change_time: showTime(row.change_time),
        change_by: { user_id: row.user_id, platform: row.platform },
        changes: spell(row.changes as Members, (value, spellValue) => {
          const { old: before, new: after } = value as { old: unknown; new: unknown }
          return { old: spellValue(before), new: spellValue(after) }
        }),
        entity_data: spell(row.entity_data as Members, (value, spellValue) => spellValue(value)),
      })),
      next_cursor: cursor.after(rows.length > page.length ? page.at(-1)?.id : undefined),
    }
  },
})

const wholeHourErrors = (parameter: string, time: Date): AdsError[] =>
  time.getTime() % HOUR_MS === 0 ? [] : [invalidParameter(parameter, 'must be on a whole hour', showTime(time))]

type Members = Record<string, unknown>
type Spell = (value: unknown) => unknown

/** Spells stored members as replies of that kind of record do: names and words, but never free text. */
function snapshotSpelling(history: string, naming: Naming) {
  const schema = allAdsEntities().find((entity) => entity.declared.history === history)?.schema
  const properties = (schema?.properties ?? {}) as Record<string, TSchema>
  return (members: Members, each: (value: unknown, spellValue: Spell) => unknown): Members =>
    Object.fromEntries(
      Object.entries(members).map(([name, value]) => [
        naming.rename(name),
        each(value, (item) => spellValue(properties[name], item, naming)),
      ]),
    )
}

function spellValue(schema: TSchema | undefined, value: unknown, naming: Naming): unknown {
  if (!schema || value === null) return value
  if (Array.isArray(value)) return value.map((item) => spellValue(schema.items as TSchema, item, naming))
  if (typeof value === 'string') return schema.enum ? naming.rename(value) : value
  if (typeof value !== 'object') return value
  const properties = (schema.properties ?? {}) as Record<string, TSchema>
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [naming.rename(name), spellValue(properties[name], item, naming)]),
  )
}

export const accountHistoryOperations = [listAccountHistory]
