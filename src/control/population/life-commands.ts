import path from 'node:path'
import { accountAccessPart } from '../../ads/kit/access.ts'
import { parseBase36, toBase36 } from '../../ads/kit/values.ts'
import { closed, Type, words } from '../../api-kit/declaring/schema.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { type BehaviourPlan, FEED_ORDERS } from '../../population/life.ts'
import { exportDecisions, findLife, planLife, shownLife, stopLife } from '../../population/manage-life.ts'
import { MOST_PERSONAS } from '../../population/personas/create-personas.ts'
import { isStorableId } from '../../process/ids.ts'
import { readDuration } from '../../process/quantity.ts'
import { LARGEST_SEED } from '../../world/seed-plan.ts'
import { type Command, defineCommand } from '../command.ts'

const optional = Type.Optional
const YEAR_MS = 366 * 24 * 3600_000
const MINUTE_MS = 60_000
const FASTEST = 1_000_000

const LifeId = Type.String({ minLength: 1, maxLength: 19 })

/** Plans a life, which the process that leads begins at once. */
const liveStart = defineCommand(
  'live.start',
  closed({
    personas: optional(Type.Integer({ minimum: 2, maximum: MOST_PERSONAS })),
    speed: optional(Type.Union([Type.Literal('max'), Type.Number({ minimum: 0.1, maximum: FASTEST })])),
    seed: optional(Type.Integer({ minimum: 0, maximum: LARGEST_SEED })),
    for: optional(Type.String({ minLength: 1, maxLength: 50 })),
    order: optional(words([...FEED_ORDERS])),
    behaviour: optional(Type.String({ minLength: 1, maxLength: 1_000 })),
    agent: optional(Type.String({ minLength: 1, maxLength: 2_000 })),
    sandbox: optional(Type.String({ minLength: 1, maxLength: 20 })),
  }),
  async (runtime, args) => {
    const { personas = 1_000, speed = 60, seed = 1, order = 'time', sandbox } = args
    const sandboxAccount = sandbox === undefined ? null : await findSandbox(runtime, sandbox)
    const row = await planLife(runtime, {
      personas,
      speed: speed === 'max' ? null : speed,
      seed,
      forMs: readFor(args.for ?? '1d'),
      order,
      behaviour: readBehaviour(args, runtime.outgoing.privateAllowed),
      sandboxAccount,
    })
    return shownLife(row)
  },
)

/** The account of a dry life, in base 36. Another than a sandbox account would be charged for what nobody saw. */
async function findSandbox(runtime: Runtime, text: string): Promise<string> {
  const id = parseBase36(text)
  const account = id === undefined ? undefined : await runtime.parts.one(accountAccessPart, id)
  if (!account || account.deleted)
    throw invalidParameter('sandbox', text, `sandbox [${text}] is not the id of an advertising account`)
  if (!account.sandbox)
    throw invalidParameter(
      'sandbox',
      text,
      `sandbox [${text}] is the id of a production account. A dry life needs a sandbox account; a life without sandbox serves production accounts.`,
    )
  return toBase36(account.id)
}

function readFor(text: string): number {
  const ms = readDuration(text)
  if (ms === undefined || ms < MINUTE_MS || ms > YEAR_MS)
    throw invalidParameter(
      'for',
      text,
      `for [${text}] is not a duration from one minute to a year such as [90m], [2h], [1d] or [4w]`,
    )
  return ms
}

function readBehaviour(
  { behaviour, agent }: { behaviour?: string; agent?: string },
  privateAllowed: boolean,
): BehaviourPlan {
  if (behaviour !== undefined && agent !== undefined)
    throw invalidParameter('agent', agent, 'agent cannot be used together with behaviour')
  if (behaviour !== undefined) {
    if (!path.isAbsolute(behaviour) || !/\.m?js$/.test(behaviour))
      throw invalidParameter(
        'behaviour',
        behaviour,
        `behaviour [${behaviour}] is not the absolute path of a file on the server's machine that ends with [.js] or [.mjs]`,
      )
    return { kind: 'file', path: behaviour }
  }
  if (agent === undefined) return { kind: 'default' }
  const url = URL.canParse(agent) ? new URL(agent) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw invalidParameter(
      'agent',
      agent,
      `agent [${agent}] is not an address that begins with [http://] or [https://]`,
    )
  // As for webhooks.
  if (!privateAllowed && (url.protocol !== 'https:' || url.port !== ''))
    throw invalidParameter(
      'agent',
      agent,
      `agent [${agent}] must begin with [https://] and have no port, unless private webhooks are allowed`,
    )
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    throw invalidParameter('agent', agent, 'agent cannot have a user name, a password or a fragment')
  return { kind: 'agent', url: url.href }
}

const idOf = (id: string): string => {
  if (!isStorableId(id)) throw invalidParameter('id', id, `id [${id}] is not the id of a life`)
  return id
}

export const liveShow = defineCommand('live.show', closed({ id: optional(LifeId) }), async (runtime, { id }) =>
  shownLife(await findLife(runtime, id === undefined ? undefined : idOf(id))),
)

export const lifeCommands: Command[] = [
  liveStart,
  liveShow,
  defineCommand('live.stop', closed({}), async (runtime) => shownLife(await stopLife(runtime))),
  defineCommand(
    'live.export',
    closed({ id: optional(LifeId), after: optional(Type.Integer({ minimum: -1 })), all: optional(Type.Boolean()) }),
    async (runtime, { id, after = -1, all = false }) => {
      const row = await findLife(runtime, id === undefined ? undefined : idOf(id))
      return { id: row.id, ...(await exportDecisions(runtime, row.id, after, all)) }
    },
  ),
]
