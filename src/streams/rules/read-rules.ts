import { defineOperation } from '../../api-kit/declaring/operation.ts'
import { csv } from '../../api-kit/declaring/parameters.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { component, Type, words } from '../../api-kit/declaring/schema.ts'
import { pages, writeToken } from '../../api-kit/reading/paging.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { capOf } from '../../identity/tier-caps.ts'
import { isStorableId } from '../../process/ids.ts'
import { RuleId, RuleSchema, RulesMeta } from './rule.schemas.ts'
import { rulesAfter, rulesOfIdsAfter, rulesOfProjectApps } from './rule.statements.ts'

const TOKEN = 'base32'
const { page } = pages({ min: 1, max: 1_000, initial: 1_000, token: TOKEN })
const rulePage: typeof page = {
  ...page,
  describe: (name) =>
    page
      .describe(name)
      .map((item) =>
        item.name === 'pagination_token' ? { ...item, schema: Type.String({ minLength: 16, maxLength: 16 }) } : item,
      ),
}

export const getRules = defineOperation({
  id: 'getRules',
  route: 'GET /2/posts/search/stream/rules',
  tag: 'Stream',
  summary: 'List the rules of the filtered stream',
  auth: { app: true },
  limit: { app: '450/15m' },
  query: { ids: csv(RuleId, { required: false }), page: rulePage },
  reply: component(
    'RulesLookupResponse',
    Type.Object({ data: Type.Optional(Type.Array(RuleSchema)), meta: RulesMeta }),
  ),
  handle: async ({ query, caller, runtime }) => {
    const { size, start } = query.page
    // Rules are listed in the order of creation, so answers only have tokens that lead to newer ones.
    if (start?.direction === 'older')
      throw invalidParameter(
        'pagination_token',
        writeToken(start, TOKEN),
        `The \`pagination_token\` query parameter value [${writeToken(start, TOKEN)}] is not valid`,
      )
    // One more than requested shows whether there is another page.
    const bounds = [caller.app.id, 'filtered', start?.key ?? '0', size + 1] as const
    const found =
      query.ids.length === 0
        ? await rulesAfter.all(runtime.database, ...bounds)
        : await rulesOfIdsAfter.all(runtime.database, ...bounds, query.ids.filter(isStorableId))
    const rules = found.slice(0, size)
    const last = found.length > size ? rules.at(-1) : undefined
    return {
      data: rules.length === 0 ? undefined : rules,
      meta: {
        sent: new Date(runtime.clock.now()).toISOString(),
        result_count: rules.length,
        next_token: last && writeToken({ direction: 'newer', key: last.id }, TOKEN),
      },
    }
  },
})

const whole = Type.Integer({ format: 'int32' })
const AppRulesCount = component(
  'AppRulesCount',
  Type.Object({
    client_app_id: Type.Optional(component('ClientAppId', Type.String({ minLength: 1, maxLength: 19 }))),
    rule_count: Type.Optional(whole),
  }),
)
const countMembers = {
  all_project_client_apps: Type.Optional(component('AllProjectClientApps', Type.Array(AppRulesCount))),
  cap_per_client_app: Type.Optional(whole),
  cap_per_project: Type.Optional(whole),
  client_app_rules_count: Type.Optional(AppRulesCount),
  project_rules_count: Type.Optional(whole),
}
const COUNT_FIELDS = Object.keys(countMembers) as (keyof typeof countMembers)[]

export const getRuleCounts = defineOperation({
  id: 'getRuleCounts',
  route: 'GET /2/posts/search/stream/rules/counts',
  tag: 'Stream',
  summary: 'Count the rules of the app and of its project',
  auth: { app: true },
  query: { 'rules_count.fields': csv(words(COUNT_FIELDS), { unique: true, required: false }) },
  reply: component(
    'Get2PostsSearchStreamRulesCountsResponse',
    Type.Object({
      data: Type.Optional(component('RulesCount', Type.Object(countMembers))),
      errors: ErrorsSchema,
    }),
  ),
  handle: async ({ query, caller, runtime }) => {
    const rows = await rulesOfProjectApps.all(runtime.database, caller.app.projectId, 'filtered')
    const apps = rows.map((row) => ({ client_app_id: row.app_id, rule_count: row.count }))
    const cap = capOf(caller, 'stream_rules')
    const counts = {
      all_project_client_apps: apps,
      cap_per_client_app: cap,
      cap_per_project: cap,
      client_app_rules_count: apps.find((app) => app.client_app_id === caller.app.id),
      project_rules_count: rows.reduce((sum, row) => sum + row.count, 0),
    }
    const requested = query['rules_count.fields']
    const fields = requested.length === 0 ? COUNT_FIELDS : requested
    return { data: Object.fromEntries(fields.map((field) => [field, counts[field]])) }
  },
})
