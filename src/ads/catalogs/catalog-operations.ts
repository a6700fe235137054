import { component, Type } from '../../api-kit/declaring/schema.ts'
import { statement } from '../../storage/statement.ts'
import { refusal } from '../kit/errors.ts'
import { defineAdsOperation, optional, required } from '../kit/operation.ts'
import { wholeSecond } from '../kit/times.ts'
import { decimalKind, longKind, textKind } from '../kit/values.ts'
import { catalogNotFound, EARLY_ACCESS, findCatalog, findOwner } from './catalog-access.ts'

const members = { id: decimalKind.schema, name: Type.String() }
const CatalogSchema = component('AdsProductCatalog', Type.Object(members))
const DeletedCatalog = component('DeletedAdsProductCatalog', Type.Object({ ...members, deleted: Type.Boolean() }))

const catalogsOf = statement(
  'ads_catalogs_of_user',
  { id: 'int8', name: 'text' },
  'select id, name from ads_product_catalog where user_id = $1 and sandbox = $2',
)
const catalogAdd = statement(
  'ads_catalog_add',
  { id: 'int8', name: 'text' },
  `insert into ads_product_catalog (id, user_id, sandbox, name, created_at, updated_at) values ($1, $2, $3, $4, $5, $5)
   on conflict (user_id, sandbox) do nothing returning id, name`,
)
const catalogRename = statement(
  'ads_catalog_rename',
  { id: 'int8', name: 'text' },
  'update ads_product_catalog set name = $2, updated_at = $3 where id = $1 returning id, name',
)
const catalogRemove = statement(
  'ads_catalog_remove',
  { id: 'int8', name: 'text' },
  'delete from ads_product_catalog where id = $1 returning id, name',
)

const nameKind = textKind({ min: 1, max: 255, pattern: /\S/, says: 'must not be blank' })
const tag = 'Product Catalogs'
const shared = { ...EARLY_ACCESS, tag, data: CatalogSchema }
const itemPath = { product_catalog_id: { kind: decimalKind, missing: 'NOT_FOUND', echoAs: 'id' } }

const listCatalogs = defineAdsOperation({
  ...shared,
  id: 'listProductCatalogs',
  route: 'GET /12/product_catalogs',
  summary: 'List the catalogs of a user (at most one)',
  params: { user_id: optional(longKind) },
  envelope: 'list',
  limit: 'catalog reads',
  handle: async (input) => {
    const owner = await findOwner(input, input.params.user_id)
    return { data: await catalogsOf.all(input.runtime.database, owner, input.sandbox), next_cursor: null }
  },
})

const createCatalog = defineAdsOperation({
  ...shared,
  id: 'createProductCatalog',
  route: 'POST /12/product_catalogs',
  summary: 'Create the catalog of a user',
  params: { name: required(nameKind), user_id: optional(longKind) },
  limit: 'catalog writes',
  handle: async (input) => {
    const { runtime, params, sandbox } = input
    const owner = await findOwner(input, params.user_id)
    const now = wholeSecond(runtime.clock.now())
    const created = await catalogAdd.first(runtime.database, runtime.ids.next(), owner, sandbox, params.name, now)
    if (!created)
      throw refusal('ACTION_NOT_ALLOWED', 'The user already has a catalog', {
        details: 'a user can have one catalog, which holds all products',
      })
    return { data: created }
  },
})

const updateCatalog = defineAdsOperation({
  ...shared,
  id: 'updateProductCatalog',
  route: 'PUT /12/product_catalogs/{product_catalog_id}',
  summary: 'Rename a catalog',
  path: itemPath,
  params: { name: required(nameKind) },
  limit: 'catalog writes',
  handle: async (input) => {
    const { id } = await findCatalog(input)
    const now = wholeSecond(input.runtime.clock.now())
    const renamed = await catalogRename.first(input.runtime.database, id, input.params.name, now)
    if (!renamed) throw catalogNotFound(id)
    return { data: renamed }
  },
})

const deleteCatalog = defineAdsOperation({
  ...shared,
  id: 'deleteProductCatalog',
  route: 'DELETE /12/product_catalogs/{product_catalog_id}',
  summary: 'Delete a catalog with its products, sets and feeds',
  path: itemPath,
  data: DeletedCatalog,
  limit: 'catalog writes',
  handle: async (input) => {
    const { id } = await findCatalog(input)
    const removed = await catalogRemove.first(input.runtime.database, id)
    if (!removed) throw catalogNotFound(id)
    return { data: { ...removed, deleted: true } }
  },
})

export const catalogOperations = [listCatalogs, createCatalog, updateCatalog, deleteCatalog]
