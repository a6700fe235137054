import { defineAdsEntity } from '../kit/define-entity.ts'
import { AdsProblem, notFound, refusal } from '../kit/errors.ts'
import { idsFilter } from '../kit/field.ts'
import { type AdsContext, optional, type PathParams } from '../kit/operation.ts'
import { idKind, oneOfKind, toBase36 } from '../kit/values.ts'
import { AUDIENCE_NOT_FOUND, audienceReads, audienceShape, type CustomAudience } from './custom-audience.shape.ts'

/** The audiences that an account can see: its own and those that others share with it. */
export const reachedAudiences = defineAdsEntity({
  ...audienceShape,
  table: 'ads_audience_reach',
  isView: true,
  reads: audienceReads('r.owner_account_id', 'r.permission_level'),
  narrow: ({ params }) => [
    {
      name: 'permission_scope',
      sql: (placeholder) => `(r.owner_account_id = r.account_id) = ${placeholder}::bool`,
      value: params.permission_scope !== 'SHARED',
    },
  ],
  filters: { custom_audience_ids: idsFilter('r.id') },
  named: 'name',
  sorts: ['created_at', 'updated_at', 'deleted', 'name', 'audience_size', 'targetable'],
  operations: {
    list: {
      id: 'listCustomAudiences',
      moreParams: { permission_scope: optional(oneOfKind(['OWNER', 'SHARED']), { initial: 'OWNER' }) },
    },
    get: 'getCustomAudience',
  },
})

/** The audience that the path names, if the account can see it. */
export async function findReached(context: AdsContext, name = 'custom_audience_id'): Promise<CustomAudience> {
  const id = context.path[name]!
  const [audience] = await reachedAudiences.sql.byIds(context.runtime.database, context.account.id, [id])
  if (!audience || audience.deleted) throw new AdsProblem([notFound(AUDIENCE_NOT_FOUND, name, toBase36(id))])
  return audience
}

/** The same, but the account must own it. */
export async function findOwned(context: AdsContext, name = 'custom_audience_id'): Promise<CustomAudience> {
  const audience = await findReached(context, name)
  if (audience.owner_account_id !== context.account.id)
    throw refusal('ACTION_NOT_ALLOWED', 'The audience belongs to another account', {
      parameter: name,
      details: 'only the account that owns the audience may do this',
    })
  return audience
}

/** The same, but the account must own it or have write permission. */
export async function findWritable(context: AdsContext): Promise<CustomAudience> {
  const audience = await findReached(context)
  if (audience.permission_level !== 'READ_WRITE')
    throw refusal('ACTION_NOT_ALLOWED', 'The audience is shared for reading only', {
      parameter: 'custom_audience_id',
      details: 'needs the permission_level READ_WRITE',
    })
  return audience
}

/** The audience of a path. */
export const audiencePath = (name: string): PathParams => ({ [name]: { kind: idKind, missing: AUDIENCE_NOT_FOUND } })
