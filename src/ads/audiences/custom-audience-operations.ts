import { changeRecord } from '../kit/change-records.ts'
import { addToEcho, type Echo } from '../kit/echo.ts'
import type { Loose } from '../kit/entity.ts'
import { AdsProblem, notFound, refusal } from '../kit/errors.ts'
import { excludeTotalWithCursor, listParams, listRecords } from '../kit/list-records.ts'
import { type AdsInput, defineAdsOperation, optional, type PathParams } from '../kit/operation.ts'
import { idKind, type Kind, oneOfKind, textKind, toBase36 } from '../kit/values.ts'
import { writeParams } from '../kit/write-params.ts'
import { AUDIENCE_NOT_FOUND, customAudiences, reachedAudiences } from './custom-audience.entity.ts'

/** The audience of a path. */
export const audiencePath = (name: string): PathParams => ({ [name]: { kind: idKind, missing: AUDIENCE_NOT_FOUND } })

/** The audience that the path names, if the account sees it. */
export async function findReached(input: AdsInput<never, never>, name = 'custom_audience_id'): Promise<Loose> {
  const id = input.path[name]!
  const [audience] = await reachedAudiences.sql.byIds(input.runtime.database, input.account.id, [id])
  if (!audience || audience.deleted) throw new AdsProblem([notFound(AUDIENCE_NOT_FOUND, name, toBase36(id))])
  return audience
}

/** The same where the account must own it. */
export async function findOwned(input: AdsInput<never, never>, name = 'custom_audience_id'): Promise<Loose> {
  const audience = await findReached(input, name)
  if (audience.owner_account_id !== input.account.id)
    throw refusal('ACTION_NOT_ALLOWED', 'The audience belongs to another account', {
      parameter: name,
      details: 'only the account that owns the audience may do this',
    })
  return audience
}

/** The same where the account must own it or be let write to it. */
export async function findWritable(input: AdsInput<never, never>): Promise<Loose> {
  const audience = await findReached(input)
  if (audience.permission_level !== 'READ_WRITE')
    throw refusal('ACTION_NOT_ALLOWED', 'The audience is shared for reading only', {
      parameter: 'custom_audience_id',
      details: 'needs the permission_level READ_WRITE',
    })
  return audience
}

const base = {
  tag: 'Custom Audiences',
  data: customAudiences.schema,
  may: 'manage audiences',
} as const

const reply = (input: Pick<AdsInput, 'runtime'>, record: Loose) => ({
  data: customAudiences.toReply(record, input.runtime.clock.now()),
})

const list = defineAdsOperation({
  ...base,
  id: 'listCustomAudiences',
  route: 'GET /12/accounts/{account_id}/custom_audiences',
  summary: 'List custom audiences',
  may: 'see audiences',
  envelope: 'list',
  params: {
    ...listParams(reachedAudiences),
    permission_scope: optional(oneOfKind(['OWNER', 'SHARED']), { initial: 'OWNER' }),
  },
  check: excludeTotalWithCursor,
  handle: (input) => listRecords(reachedAudiences, input as never),
})

const create = defineAdsOperation({
  ...base,
  id: 'createCustomAudience',
  route: 'POST /12/accounts/{account_id}/custom_audiences',
  summary: 'Create a custom audience',
  params: {
    name: writeParams(customAudiences, 'create').name!,
    description: optional(textKind()),
  },
  handle: async (input) =>
    reply(
      input,
      await changeRecord(customAudiences, input as never, {
        kind: 'create',
        given: { ...input.params, audience_type: 'CRM' },
      }),
    ),
})

const { name, description } = writeParams(customAudiences, 'update')

const update = defineAdsOperation({
  ...base,
  id: 'updateCustomAudience',
  route: 'PUT /12/accounts/{account_id}/custom_audiences/{custom_audience_id}',
  summary: 'Change a custom audience',
  path: audiencePath('custom_audience_id'),
  params: { name: name!, description: description! },
  handle: async (input) => {
    const audience = await findWritable(input as never)
    const wish = { kind: 'update' as const, id: audience.id as string, given: input.params }
    // One that is shared for writing is changed among the audiences of its owner.
    const asOwner = { ...input, account: { ...input.account, id: audience.owner_account_id as string } }
    await changeRecord(customAudiences, asOwner as never, wish)
    return { ...reply(input, await findReached(input as never)), request: { params: echoOf(input as never) } }
  },
})

// The platform leaves the id of the path out of this one echo.
function echoOf(input: AdsInput<Record<string, unknown>>): Echo {
  const echo: Echo = {}
  addToEcho(echo, 'account_id', idKind as Kind<unknown>, input.account.id, input.naming)
  for (const [sent, value] of Object.entries(input.params))
    addToEcho(echo, sent, textKind() as Kind<unknown>, value, input.naming)
  return echo
}

const remove = defineAdsOperation({
  ...base,
  id: 'deleteCustomAudience',
  route: 'DELETE /12/accounts/{account_id}/custom_audiences/{custom_audience_id}',
  summary: 'Delete a custom audience',
  path: audiencePath('custom_audience_id'),
  handle: async (input) => {
    const { id } = await findOwned(input as never)
    return reply(input, await changeRecord(customAudiences, input as never, { kind: 'delete', id, given: {} }))
  },
})

const made = (id: string) => [...reachedAudiences.all, ...customAudiences.all].find((item) => item.id === id)!

export const customAudienceOperations = [
  list,
  made('getCustomAudience'),
  create,
  update,
  remove,
  made('batchCustomAudiences'),
]
