import { statement } from '../../storage/statement.ts'
import { AdsProblem, notFound, refusal } from '../kit/errors.ts'
import type { AdsInput, PathParams } from '../kit/operation.ts'
import { decimalKind } from '../kit/values.ts'

// A user's catalog is also in the hands of who administers an account that promotes this user's posts.
const ADMINISTERS = `exists (
  select 1 from ads_account_user u
    join ads_account a on a.id = u.account_id and a.sandbox = $2 and not a.deleted
    join ads_promotable_user f on f.account_id = a.id and f.promotable_user_type = 'FULL' and not f.deleted
   where u.user_id = $3 and 'ACCOUNT_ADMIN' = any(u.permissions) and f.user_id = `

const termsOf = (owner: string) =>
  `coalesce((select t.accepted from ads_shopping_terms t where t.user_id = ${owner}), true) as accepted`

const catalogReach = statement(
  'ads_catalog_reach',
  { id: 'int8', user_id: 'int8', name: 'text', accepted: 'bool?' },
  `select c.id, c.user_id, c.name, ${termsOf('c.user_id')} from ads_product_catalog c
    where c.id = $1 and c.sandbox = $2 and (c.user_id = $3 or ${ADMINISTERS} c.user_id))`,
)
const ownerReach = statement(
  'ads_catalog_owner_reach',
  { id: 'int8', is_reached: 'bool?', accepted: 'bool?' },
  `select o.id, (o.id = $3 or ${ADMINISTERS} o.id)) as is_reached, ${termsOf('o.id')} from user_account o where o.id = $1`,
)

/** A catalog as its caller reaches it. */
export interface Catalog {
  id: string
  user_id: string
  name: string
}

type Asked = Pick<AdsInput, 'path' | 'user' | 'sandbox' | 'runtime'>

/** The catalog that the path names; one of another user is not there for who may not reach it. */
export async function reachCatalog({ path, user, sandbox, runtime }: Asked): Promise<Catalog> {
  const found = await catalogReach.first(runtime.database, path.product_catalog_id!, sandbox, user.id)
  if (!found) throw catalogGone(path.product_catalog_id!)
  if (!found.accepted) throw termsNotAccepted()
  return found
}

/** The refusal for a catalog that is not there. */
export const catalogGone = (id: string) => new AdsProblem([notFound('NOT_FOUND', 'product_catalog_id', id)])

/** The user whose catalog is meant: the caller unless another is named whom the caller may act for. */
export async function reachOwner(
  { user, sandbox, runtime }: Omit<Asked, 'path'>,
  named: string | undefined,
): Promise<string> {
  const found = await ownerReach.first(runtime.database, named ?? user.id, sandbox, user.id)
  if (!found) throw new AdsProblem([notFound('USER_NOT_FOUND', 'user_id', named)])
  if (!found.is_reached)
    throw refusal('ACTION_NOT_ALLOWED', 'The user may not act for this merchant', {
      parameter: 'user_id',
      details: 'must be the authenticated user, or one whose advertising account the authenticated user administers',
      value: named,
    })
  if (!found.accepted) throw termsNotAccepted()
  return found.id
}

const termsNotAccepted = () =>
  refusal('ACTION_NOT_ALLOWED', 'The merchant has not accepted the shopping terms', {
    details: 'the owner of the catalog must accept the shopping terms first',
  })

/** The catalog in paths of what belongs to it. */
export const catalogPath: PathParams = { product_catalog_id: { kind: decimalKind, missing: 'NOT_FOUND' } }

/** What every operation of this part has in common. */
export const EARLY_ACCESS = { allowlist: 'catalogs' } as const
