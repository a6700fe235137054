import { closed, component, nullable, type Static, Type, words } from '../../api-kit/declaring/schema.ts'
import { change } from '../../api-kit/runtime.ts'
import { adsLegacyNaming } from '../../legacy-words.ts'
import { isStorableId } from '../../process/ids.ts'
import type { Tx } from '../../storage/database.ts'
import { AdsProblem, invalidParameter, missingParameter, notFound, refusal } from '../kit/errors.ts'
import { type AdsInput, defineAdsOperation } from '../kit/operation.ts'
import { wholeSecond } from '../kit/times.ts'
import { decimalKind } from '../kit/values.ts'
import { catalogNotFound, catalogPath, EARLY_ACCESS, findCatalog } from './catalog-access.ts'
import { NumericId } from './product.schemas.ts'
import { catalogLock } from './product.statements.ts'
import {
  ATTRIBUTES,
  FILTER_OPERATORS,
  filterErrors,
  MOST_FILTERS,
  MOST_KEYS,
  type ProductSetFilter,
  SET_TYPES,
  setTypeErrors,
} from './product-set.rules.ts'
import { membersAdd, membersClear, setAdd, setLock, setOf, setRemove, setUpdate } from './product-set.statements.ts'

const ProductSetSchema = component(
  'AdsProductSet',
  Type.Object({
    id: decimalKind.schema,
    name: Type.String(),
    description: nullable(Type.String()),
    type: words(SET_TYPES),
    filters: Type.Array(
      component(
        'AdsProductSetFilter',
        Type.Object({ attribute: words(ATTRIBUTES), operator: words(FILTER_OPERATORS), value: Type.String() }),
      ),
    ),
    product_ids: Type.Array(Type.String()),
    processing_status: words(['DONE', 'PROCESSING', 'FAILED']),
  }),
)

const Name = Type.String({ minLength: 1, maxLength: 255, pattern: '\\S' })
const Description = Type.String({ maxLength: 5_000 })
const CreateBody = closed({
  name: Name,
  description: Type.Optional(Description),
  type: words(SET_TYPES),
  filters: Type.Optional(
    Type.Array(
      // The attribute may be spelled in either naming.
      closed({
        attribute: Type.String(),
        operator: words(FILTER_OPERATORS),
        value: Type.String({ maxLength: 1_000 }),
      }),
      { minItems: 1, maxItems: MOST_FILTERS },
    ),
  ),
  product_keys: Type.Optional(Type.Array(NumericId, { minItems: 1, maxItems: MOST_KEYS })),
})
const UpdateBody = closed({
  name: Type.Optional(Name),
  description: Type.Optional(Type.Union([Description, Type.Null()])),
  product_keys: Type.Optional(Type.Array(NumericId, { maxItems: MOST_KEYS })),
})

const tag = 'Product Sets'
const shared = { ...EARLY_ACCESS, tag, data: ProductSetSchema }
const itemPath = { ...catalogPath, product_set_id: { kind: decimalKind, missing: 'NOT_FOUND', echoAs: 'id' } }

type SetInput = Pick<AdsInput, 'path' | 'runtime'>

const setNotFound = (id: string) => new AdsProblem([notFound('NOT_FOUND', 'product_set_id', id)])

async function findSet({ path, runtime }: SetInput, db: Tx | undefined = undefined) {
  const found = await setOf.first(db ?? runtime.database, path.product_catalog_id!, path.product_set_id!)
  if (!found) throw setNotFound(path.product_set_id!)
  return found
}

/** The filters with their attributes in the neutral naming. */
function readFilters(sent: Static<typeof CreateBody>['filters']): ProductSetFilter[] | undefined {
  const errors = (sent ?? []).flatMap(({ attribute }, at) =>
    ATTRIBUTES.includes(adsLegacyNaming.restore(attribute) as ProductSetFilter['attribute'])
      ? []
      : [
          invalidParameter(
            `filters[${at}].attribute`,
            `must be one of ${ATTRIBUTES.join(', ')}`,
            attribute.slice(0, 200),
          ),
        ],
  )
  if (errors.length > 0) throw new AdsProblem(errors)
  return sent?.map((item) => ({
    ...item,
    attribute: adsLegacyNaming.restore(item.attribute) as ProductSetFilter['attribute'],
  }))
}

async function putMembers(tx: Tx, setId: string, catalogId: string, asked: readonly string[]): Promise<void> {
  const keys = [...new Set(asked)]
  const found = new Set(
    (await membersAdd.all(tx, setId, catalogId, keys.filter(isStorableId))).map((row) => row.product_key),
  )
  const missing = keys.filter((key) => !found.has(key))
  if (missing.length > 0)
    throw new AdsProblem([
      invalidParameter('product_keys', 'must be keys of products of the catalog', missing.slice(0, 10).join(',')),
    ])
}

const getProductSet = defineAdsOperation({
  ...shared,
  id: 'getProductSet',
  route: 'GET /12/product_catalogs/{product_catalog_id}/product_sets/{product_set_id}',
  summary: 'Get a product set with the ids of its products',
  path: itemPath,
  limit: 'product set reads',
  handle: async (input) => {
    await findCatalog(input)
    return { data: await findSet(input) }
  },
})

const createProductSet = defineAdsOperation({
  ...shared,
  id: 'createProductSet',
  route: 'POST /12/product_catalogs/{product_catalog_id}/product_sets',
  summary: 'Create a product set from product keys or filters',
  path: catalogPath,
  body: CreateBody,
  limit: 'product set creates',
  handle: async (input) => {
    const { body, runtime, naming } = input
    const filters = readFilters(body.filters)
    const errors = [...setTypeErrors({ ...body, filters }), ...filterErrors(filters ?? [])]
    if (errors.length > 0) throw new AdsProblem(errors)
    const catalog = await findCatalog(input)
    const id = runtime.ids.next()
    const isManual = body.type === 'MANUAL'
    const data = await change(runtime, async (tx) => {
      // Later changes to products see the new set, because they wait for this lock.
      if (!(await catalogLock.first(tx, catalog.id))) throw catalogNotFound(catalog.id)
      const now = wholeSecond(runtime.clock.now())
      const status = isManual ? 'DONE' : 'PROCESSING'
      const stored = JSON.stringify(filters ?? [])
      await setAdd.count(tx, id, catalog.id, body.name, body.description || null, body.type, stored, status, now)
      if (isManual) await putMembers(tx, id, catalog.id, body.product_keys!)
      return findSet({ runtime, path: { product_catalog_id: catalog.id, product_set_id: id } }, tx)
    })
    const echoed = filters?.map((item) => ({ ...item, attribute: naming.rename(item.attribute) }))
    return {
      data,
      request: { params: { product_catalog_id: catalog.id, ...body, ...(echoed ? { filters: echoed } : {}) } },
    }
  },
})

const updateProductSet = defineAdsOperation({
  ...shared,
  id: 'updateProductSet',
  route: 'PUT /12/product_catalogs/{product_catalog_id}/product_sets/{product_set_id}',
  summary: 'Update a product set of type MANUAL',
  path: itemPath,
  body: UpdateBody,
  limit: 'product set updates',
  handle: async (input) => {
    const { body, runtime, path } = input
    if (Object.keys(body).length === 0)
      throw new AdsProblem([missingParameter('name', 'send at least one of name, description, product_keys')])
    const catalog = await findCatalog(input)
    const id = path.product_set_id!
    const data = await change(runtime, async (tx) => {
      await catalogLock.first(tx, catalog.id)
      const stored = await setLock.first(tx, catalog.id, id)
      if (!stored) throw setNotFound(id)
      if (stored.type === 'FILTERED')
        throw refusal('ACTION_NOT_ALLOWED', 'Product sets of type FILTERED cannot be changed', {
          parameter: 'product_set_id',
          details: 'delete the set and create it again, or use a set of type MANUAL',
        })
      const now = wholeSecond(runtime.clock.now())
      await setUpdate.count(tx, id, body.name ?? null, body.description !== undefined, body.description || null, now)
      if (body.product_keys) {
        await membersClear.count(tx, id)
        await putMembers(tx, id, catalog.id, body.product_keys)
      }
      return findSet(input, tx)
    })
    return { data, request: { params: { product_catalog_id: catalog.id, id, ...body } } }
  },
})

const deleteProductSet = defineAdsOperation({
  ...shared,
  id: 'deleteProductSet',
  route: 'DELETE /12/product_catalogs/{product_catalog_id}/product_sets/{product_set_id}',
  summary: 'Delete a product set',
  path: itemPath,
  // The platform's limits allow as many deletions as creations.
  limit: 'product set creates',
  handle: async (input) => {
    const catalog = await findCatalog(input)
    const data = await change(input.runtime, async (tx) => {
      await catalogLock.first(tx, catalog.id)
      const found = await findSet(input, tx)
      if ((await setRemove.count(tx, found.id)) === 0) throw setNotFound(found.id)
      return found
    })
    return { data }
  },
})

export const productSetOperations = [getProductSet, createProductSet, updateProductSet, deleteProductSet]
