import { defineOperation } from '../../api-kit/declaring/operation.ts'
import type { Parameter } from '../../api-kit/declaring/parameters.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { closed, component, ownBound, type Static, Type } from '../../api-kit/declaring/schema.ts'
import { Answer } from '../../api-kit/writing/answer.ts'
import { type ProblemBody, renderBody } from '../../api-kit/writing/problem.ts'
import { invalidParameter, invalidRequest } from '../../api-kit/writing/problems.ts'
import { capOf } from '../../identity/tier-caps.ts'
import { addRules, type RuleProduct, removeAllRules, removeRules } from './change-rules.ts'
import { RuleId, RuleNoId, RuleSchema, RulesMeta, RuleValue } from './rule.schemas.ts'

/** The rules of the filtered stream. */
const FILTERED: RuleProduct = {
  product: 'filtered',
  place: 'stream',
  most: (caller) => capOf(caller, 'stream_rules'),
}

const NO_BODY = { parameters: {}, message: 'The request needs a JSON body.' }
const EMPTY_BODY = { parameters: { $: [] }, message: '$: must contain add or delete' }

// As many as a page of the list of rules has, so one call can remove what another has listed.
const MOST_AT_ONCE = 1_000

const AddRules = component('AddRulesRequest', closed({ add: ownBound(Type.Array(RuleNoId), MOST_AT_ONCE) }))
const DeleteRules = component(
  'DeleteRulesRequest',
  closed({
    delete: closed({
      ids: Type.Optional(ownBound(Type.Array(RuleId), MOST_AT_ONCE)),
      values: Type.Optional(ownBound(Type.Array(RuleValue), MOST_AT_ONCE)),
    }),
  }),
)
type Body = Static<typeof AddRules> | Static<typeof DeleteRules>

// Python clients write True.
const flag: Parameter<boolean> = {
  describe: (name) => [{ name, required: false, schema: Type.Boolean() }],
  compile: (name, naming) => {
    const spelled = naming.rename(name)
    return (query, faults) => {
      const texts = query.get(spelled)
      if (texts === undefined) return false
      const text = texts.join()
      if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
      faults.push({
        parameters: { [spelled]: [text] },
        message: `The \`${spelled}\` query parameter value [${text}] is not one of [true,false]`,
      })
      return false
    }
  },
}

export const updateRules = defineOperation({
  id: 'updateRules',
  route: 'POST /2/posts/search/stream/rules',
  tag: 'Stream',
  summary: 'Add or remove rules of the filtered stream',
  auth: { app: true },
  limit: { app: '100/15m' },
  query: { dry_run: flag, delete_all: flag },
  body: component('AddOrDeleteRulesRequest', Type.Unsafe<Body>({ oneOf: [AddRules, DeleteRules] })),
  bodyOptional: true,
  otherStatus: 201,
  reply: component(
    'AddOrDeleteRulesResponse',
    Type.Object({ data: Type.Optional(Type.Array(RuleSchema)), errors: ErrorsSchema, meta: RulesMeta }),
  ),
  handle: async ({ query, body, caller, runtime, context, request }) => {
    const { dry_run: dryRun, delete_all: deleteAll } = query
    // Each kind of error has its own members, which the reply schema does not list.
    const answer = (status: number, summary: object, { added = [], errors = [] }: Partial<Added> = {}) => {
      const meta = { sent: new Date(runtime.clock.now()).toISOString(), summary }
      const rendered = renderBody(errors, context.naming, context.problemBase)
      return new Answer(
        JSON.stringify({
          data: added.length === 0 ? undefined : added,
          meta,
          errors: errors.length === 0 ? undefined : rendered,
        }),
        { status },
      )
    }
    if (deleteAll) {
      checkOnlyDeleteAll(body, dryRun)
      return answer(200, { deleted: await removeAllRules(runtime, caller, FILTERED), not_deleted: 0 })
    }
    if (body === undefined) throw invalidRequest([request.body?.length ? EMPTY_BODY : NO_BODY])
    if ('add' in body) {
      const result = await addRules(runtime, caller, FILTERED, body.add, dryRun)
      const [created, refused] = [result.added.length, result.errors.length]
      const summary = { created, not_created: refused, valid: created, invalid: refused }
      return answer(created > 0 ? 201 : 200, summary, result)
    }
    if (body.delete.ids === undefined && body.delete.values === undefined)
      throw invalidParameter(
        '$.delete',
        undefined,
        '$.delete: ids or values must be given; delete_all removes all rules',
      )
    const { deleted, missing } = await removeRules(runtime, caller, FILTERED, body.delete, dryRun)
    const errors = [
      ...missing.ids.map((id) => noSuchRule('ids', id)),
      ...missing.values.map((value) => noSuchRule('values', value)),
    ]
    return answer(200, { deleted, not_deleted: errors.length }, { errors })
  },
})

const noSuchRule = (parameter: 'ids' | 'values', value: string): ProblemBody =>
  invalidParameter(parameter, value, 'Rule does not exist').body

type Added = Awaited<ReturnType<typeof addRules>>

/** Refuses `delete_all` together with anything else, because that is likely a mistake. */
function checkOnlyDeleteAll(body: Body | undefined, dryRun: boolean): void {
  const names = body === undefined ? {} : 'delete' in body ? body.delete : body
  if (dryRun || Object.keys(names).length > 0)
    throw invalidParameter(
      'delete_all',
      'true',
      'The `delete_all` query parameter cannot be combined with others or with rules in the body',
    )
}
