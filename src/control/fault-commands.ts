import { closed, type Static, Type, words } from '../api-kit/declaring/schema.ts'
import { FAILURE_NAMES } from '../api-kit/faults/failure.ts'
import { FAULT_COLUMNS, type FaultRow, faultAdd, faultsClear } from '../api-kit/faults/fault.statements.ts'
import { announceFaults } from '../api-kit/faults/fault-list.ts'
import {
  type FaultPattern,
  MOST_WILDCARDS,
  PATTERN_CHARACTERS,
  PATTERN_FORM,
  parsePattern,
} from '../api-kit/faults/fault-pattern.ts'
import { fitsNothing } from '../api-kit/faults/known-routes.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { blank, invalidParameter } from '../api-kit/writing/problems.ts'
import { isStorableId } from '../process/ids.ts'
import { randomText } from '../process/secret-box.ts'
import { statement } from '../storage/statement.ts'
import { type Command, defineCommand, findApp, findUser, NameOrId } from './command.ts'

const optional = Type.Optional
/** How many faults can be active at once; as many that are used up are kept for `fault.list`. */
const MOST_FAULTS = 100
const MOST_TIMES = 1_000_000
const LONGEST_WAIT_MS = 300_000
const LARGEST_PART_BYTES = 1024 * 1024

const Times = Type.Integer({ minimum: 1, maximum: MOST_TIMES })
const Wait = Type.Integer({ minimum: 1, maximum: LONGEST_WAIT_MS })
const FaultId = Type.String({ pattern: '^[0-9]{1,19}$' })

const AddArguments = closed({
  match: Type.String({ minLength: 1, maxLength: PATTERN_CHARACTERS }),
  app: optional(NameOrId),
  user: optional(NameOrId),
  times: optional(Times),
  rate: optional(Type.Number({ exclusiveMinimum: 0, maximum: 1 })),
  seed: optional(Type.String({ minLength: 1, maxLength: 100 })),
  status: optional(Type.Integer({ minimum: 400, maximum: 599 })),
  named: optional(words(FAILURE_NAMES)),
  delay_ms: optional(Wait),
  drop_after_bytes: optional(Type.Integer({ minimum: 0, maximum: LARGEST_PART_BYTES })),
  stall_ms: optional(Wait),
  malformed: optional(Type.Literal(true)),
})

const FailNextArguments = closed({
  webhook_id: optional(FaultId),
  times: optional(Times),
  status: optional(Type.Integer({ minimum: 300, maximum: 599 })),
  kind: optional(words(['timeout', 'connection'])),
})
const webhookFind = statement('control_webhook_find', { id: 'int8' }, 'select id from webhook where id = $1')

/** The argument that sets an effect, by effect. */
const ARGUMENTS = {
  status: 'status',
  named: 'named',
  delay: 'delay_ms',
  drop: 'drop_after_bytes',
  stall: 'stall_ms',
  malformed: 'malformed',
} as const
type Effect = keyof typeof ARGUMENTS

function effectOf(args: Static<typeof AddArguments>): { effect: Effect; value: string } {
  const given = (Object.keys(ARGUMENTS) as Effect[]).filter((effect) => args[ARGUMENTS[effect]] !== undefined)
  const all = Object.values(ARGUMENTS).join(', ')
  if (given.length === 0) throw invalidParameter('status', undefined, `One of ${all} must be given.`)
  const [effect, second] = given as [Effect, Effect?]
  if (second !== undefined) {
    const name = ARGUMENTS[second]
    throw invalidParameter(name, String(args[name]), `Only one of ${all} can be given.`)
  }
  return { effect, value: effect === 'malformed' ? '' : String(args[ARGUMENTS[effect]]) }
}

function readMatch(match: string): FaultPattern {
  const pattern = parsePattern(match)
  if (!pattern) throw invalidParameter('match', match, `match must be ${PATTERN_FORM}.`)
  if (pattern.path.split(/\*+/).length - 1 > MOST_WILDCARDS)
    throw invalidParameter('match', match, `match must have at most ${MOST_WILDCARDS} wildcards.`)
  return pattern
}

interface NewFault {
  target: 'request' | 'delivery'
  match?: string
  appId?: string
  userId?: string
  webhookId?: string
  effect: string
  value: string
  times?: number
  rate?: number
  seed?: string
}

async function addFault(runtime: Runtime, fault: NewFault): Promise<FaultRow> {
  const row = await faultAdd.first(
    runtime.database,
    fault.target,
    fault.match ?? null,
    fault.appId ?? null,
    fault.userId ?? null,
    fault.webhookId ?? null,
    fault.effect,
    fault.value,
    fault.times ?? null,
    fault.rate ?? null,
    fault.seed ?? randomText(12),
    MOST_FAULTS,
    new Date(runtime.clock.now()),
  )
  if (!row) throw blank(409, `There are ${MOST_FAULTS} faults, and there can be no more. fault.clear removes them.`)
  await announceFaults(runtime)
  return row
}

const faultsList = statement(
  'control_fault_list',
  { ...FAULT_COLUMNS, app: 'text?', username: 'text?' },
  `select ${Object.keys(FAULT_COLUMNS)
    .map((name) => `f.${name}`)
    .join(', ')}, a.name as app, u.username
     from fault f left join client_app a on a.id = f.app_id left join user_account u on u.id = f.user_id order by f.id`,
)

/** A fault in the words of the command that adds it. */
function shown(row: FaultRow, names: { app?: string | null; username?: string | null } = {}) {
  const isRequest = row.target === 'request'
  const argument = isRequest ? ARGUMENTS[row.effect as Effect] : row.effect === 'status' ? 'status' : 'kind'
  const value =
    row.effect === 'malformed'
      ? true
      : argument === 'kind'
        ? row.effect
        : argument === 'named'
          ? row.value
          : Number(row.value)
  return {
    id: row.id,
    target: row.target,
    match: row.match ?? undefined,
    app: names.app ?? undefined,
    app_id: row.app_id ?? undefined,
    user: names.username ?? undefined,
    user_id: row.user_id ?? undefined,
    webhook_id: row.webhook_id ?? undefined,
    [argument]: value,
    times: row.times ?? undefined,
    rate: row.rate ?? undefined,
    seed: row.rate === null ? undefined : row.seed,
    used: row.used,
    active: row.times === null || row.used < row.times,
    created_at: row.created_at.toISOString(),
  }
}

export const listFaults = async (runtime: Runtime) =>
  (await faultsList.all(runtime.database)).map((row) => shown(row, row))

/** Commands that make requests and deliveries fail on purpose. */
export const faultCommands: Command[] = [
  defineCommand('fault.add', AddArguments, async (runtime, args) => {
    const pattern = readMatch(args.match)
    if (args.seed !== undefined && args.rate === undefined)
      throw invalidParameter('seed', args.seed, 'seed can only be given together with rate.')
    const fault = { target: 'request' as const, ...effectOf(args) }
    const app = args.app === undefined ? undefined : await findApp(runtime, args.app)
    const user = args.user === undefined ? undefined : await findUser(runtime, args.user, 'user')
    const { match, times, rate, seed } = args
    const caller = { appId: app?.id, userId: user?.id }
    const row = await addFault(runtime, { ...fault, ...caller, match: match.trim(), times, rate, seed })
    return {
      ...shown(row, { app: app?.name ?? null, username: user?.username ?? null }),
      warning: fitsNothing(runtime, pattern) ? 'No route of this server fits match, so it never happens.' : undefined,
    }
  }),
  defineCommand('fault.list', closed({}), async (runtime) => ({
    faults: await listFaults(runtime),
  })),
  defineCommand('fault.clear', closed({ id: optional(FaultId) }), async (runtime, { id }) => {
    const cleared = id === undefined || isStorableId(id) ? await faultsClear.count(runtime.database, id ?? null) : 0
    if (id !== undefined && cleared === 0) throw blank(404, `There is no fault ${id}. fault.list lists them.`)
    await announceFaults(runtime)
    return { cleared }
  }),
  defineCommand(
    'delivery.fail_next',
    FailNextArguments,
    async (runtime, { webhook_id: webhookId, times, status, kind }) => {
      if (status !== undefined && kind !== undefined)
        throw invalidParameter('kind', kind, 'Only one of status, kind can be given.')
      if (
        webhookId !== undefined &&
        !(isStorableId(webhookId) && (await webhookFind.first(runtime.database, webhookId)))
      )
        throw blank(404, `There is no webhook [${webhookId}].`)
      const outcome =
        kind === undefined ? { effect: 'status', value: String(status ?? 500) } : { effect: kind, value: '' }
      return shown(await addFault(runtime, { target: 'delivery', webhookId, times: times ?? 1, ...outcome }))
    },
  ),
]
