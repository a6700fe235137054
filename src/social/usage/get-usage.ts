import { defineOperation } from '../../api-kit/declaring/operation.ts'
import { csv, wholeNumber } from '../../api-kit/declaring/parameters.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { component, DateTime, Type, words } from '../../api-kit/declaring/schema.ts'
import { readUsage } from '../../identity/usage/read-usage.ts'

const optional = Type.Optional
const Int32 = Type.Integer({ format: 'int32' })

const FIELDS = [
  'cap_reset_day',
  'daily_client_app_usage',
  'daily_project_usage',
  'project_cap',
  'project_id',
  'project_usage',
] as const

const UsageFields = component('UsageFields', Type.Object({ date: optional(DateTime), usage: optional(Int32) }))
const days = optional(Type.Array(UsageFields, { minItems: 1 }))
const ClientAppUsage = component(
  'ClientAppUsage',
  Type.Object({
    client_app_id: optional(Type.String({ format: '^[0-9]{1,19}$' })),
    usage: days,
    usage_result_count: optional(Int32),
  }),
)
const Usage = component(
  'Usage',
  Type.Object({
    cap_reset_day: optional(Int32),
    daily_client_app_usage: optional(Type.Array(ClientAppUsage, { minItems: 1 })),
    daily_project_usage: optional(Type.Object({ project_id: optional(Type.Integer()), usage: days })),
    project_cap: optional(Int32),
    project_id: optional(Type.String({ format: '^[0-9]{1,19}$' })),
    project_usage: optional(Int32),
  }),
)

export const getUsage = defineOperation({
  id: 'getUsage',
  route: 'GET /2/usage/posts',
  tag: 'Usage',
  summary: 'Read how many posts the project has read, with its cap',
  auth: { app: true },
  limit: { app: '50/15m' },
  query: {
    days: wholeNumber({ min: 1, max: 90 }, { initial: 7 }),
    'usage.fields': csv(words(FIELDS), { unique: true, required: false }),
  },
  reply: component('Get2UsagePostsResponse', Type.Object({ data: optional(Usage), errors: ErrorsSchema })),
  handle: async ({ query, caller, runtime }) => {
    const usage = await readUsage(runtime, caller.app, query.days)
    const fields = query['usage.fields']
    return { data: fields.length === 0 ? usage : Object.fromEntries(fields.map((name) => [name, usage[name]])) }
  },
})
