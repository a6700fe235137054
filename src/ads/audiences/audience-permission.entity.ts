import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import type { DraftChange, EntityOperation } from '../kit/entity.ts'
import { type AdsError, featureNotAvailable, invalidParameter, notFound } from '../kit/errors.ts'
import { field, filter, idsFilter, oneOf } from '../kit/field.ts'
import type { AdsOperation } from '../kit/operation.ts'
import { idKind, listKind, toBase36 } from '../kit/values.ts'
import { customAudiences } from './custom-audience.entity.ts'
import { PERMISSION_LEVELS } from './custom-audience.shape.ts'
import { findOwned } from './reached-audience.entity.ts'

const OUTSIDE = 'SHARE_AUDIENCE_OUTSIDE_BUSINESS'

const permissionFields = (above: string) => ({
  [above]: field(idKind, { createOnly: true, always: true }),
  granted_account_id: field(idKind, { required: true, createOnly: true }),
  permission_level: oneOf(PERMISSION_LEVELS, { required: true, createOnly: true }),
})
type PermissionChange = DraftChange<ReturnType<typeof permissionFields>>

const grantees = statement(
  'ads_audience_grantees',
  { id: 'int8', business_id: 'int8?', has_permission: 'bool' },
  `select a.id, a.business_id,
          exists (select 1 from ads_audience_permission p where p.audience_id = $2 and p.granted_account_id = a.id and not p.deleted) as has_permission
     from ads_account a where a.id = any($1::bigint[]) and a.sandbox = $3 and not a.deleted`,
)

/** Checks that the accounts named by changes may get permission to use an audience. */
async function grantErrors(tx: Tx, changes: PermissionChange[], above: string): Promise<AdsError[][]> {
  const created = changes.filter((item) => item.kind === 'create')
  if (created.length === 0) return changes.map(() => [])
  const { account, sandbox } = created[0]!.context
  const ids = created.map((item) => item.record.granted_account_id)
  const rows = await grantees.all(tx, ids, created[0]!.record[above]!, sandbox)
  const accounts = new Map(rows.map((row) => [row.id, row]))
  return changes.map(({ kind, record }) => {
    if (kind !== 'create') return []
    const id = record.granted_account_id
    const grantee = accounts.get(id)
    if (!grantee) return [notFound('ACCOUNT_NOT_FOUND', 'granted_account_id', toBase36(id))]
    if (id === account.id) return [invalidParameter('granted_account_id', 'owns the audience', toBase36(id))]
    if (grantee.has_permission)
      return [invalidParameter('granted_account_id', 'already has a permission; delete it to change it', toBase36(id))]
    const isWithinBusiness = account.businessId !== null && grantee.business_id === account.businessId
    return isWithinBusiness || account.features.has(OUTSIDE) ? [] : [featureNotAvailable(OUTSIDE, 'granted_account_id')]
  })
}

/** The permissions of an audience under the names of one version of the interface. */
function permissionsOf(word: 'custom' | 'tailored', version: 5 | 12, capital: string): AdsOperation[] {
  const above = `${word}_audience_id`
  const name = `${word}_audience_permission`
  const asOwner: EntityOperation['handle'] = async (input, standard) => {
    await findOwned(input, above)
    return standard(input)
  }
  return defineAdsEntity({
    name,
    plural: 'permissions',
    tag: `${capital} Audience Permissions`,
    component: `${capital}AudiencePermission`,
    table: `ads_${name}`,
    notFound: 'NOT_FOUND',
    path: `/${version}/accounts/{account_id}/${word}_audiences/{${above}}/permissions`,
    under: { field: above, entity: () => customAudiences },
    fields: permissionFields(above),
    filters: {
      granted_account_ids: filter(
        listKind(idKind),
        (placeholder) => `r.granted_account_id = any(${placeholder}::bigint[])`,
      ),
      [`${name}_ids`]: idsFilter('r.id'),
    },
    sorts: ['created_at', 'updated_at', 'deleted'],
    may: { see: 'see audiences', manage: 'manage audiences' },
    operations: {
      list: { id: `list${capital}AudiencePermissions`, withoutParams: ['with_deleted'], handle: asOwner },
      create: { id: `create${capital}AudiencePermission`, handle: asOwner },
      delete: { id: `delete${capital}AudiencePermission`, handle: asOwner },
    },
    checkAll: (tx, changes) => grantErrors(tx, changes, above),
  }).operations
}

/** Who may use an audience besides its owner, in both versions of the interface. */
export const audiencePermissionOperations = [
  ...permissionsOf('tailored', 5, 'Tailored'),
  ...permissionsOf('custom', 12, 'Custom'),
]
