import { statement } from '../../storage/statement.ts'
import { AdsProblem, notFound, refusal } from '../kit/errors.ts'
import type { AdsInput, PathParams } from '../kit/operation.ts'
import { decimalKind } from '../kit/values.ts'

// Administrators of an account whose FULL promotable user is the owner may also use the owner's catalog.
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

/** A catalog that the caller may use. */
export interface Catalog {
  id: string
  user_id: string
  name: string
}

type CatalogInput = Pick<AdsInput, 'path' | 'user' | 'sandbox' | 'runtime'>

/** The catalog that the path names. A catalog that the caller may not use is answered like a missing one. */
export async function findCatalog({ path, user, sandbox, runtime }: CatalogInput): Promise<Catalog> {
  const found = await catalogReach.first(runtime.database, path.product_catalog_id!, sandbox, user.id)
  if (!found) throw catalogNotFound(path.product_catalog_id!)
  if (!found.accepted) throw termsNotAccepted()
  return found
}

/** The error for a missing catalog. */
export const catalogNotFound = (id: string) => new AdsProblem([notFound('NOT_FOUND', 'product_catalog_id', id)])

/** The user whose catalog is meant: the caller, or a named user whom the caller may act for. */
export async function findOwner(
  { user, sandbox, runtime }: Omit<CatalogInput, 'path'>,
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

/** The path parameter of operations below a catalog. */
export const catalogPath: PathParams = { product_catalog_id: { kind: decimalKind, missing: 'NOT_FOUND' } }

/** What all operations on catalogs have in common. */
export const EARLY_ACCESS = { allowlist: 'catalogs' } as const
