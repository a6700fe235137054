import { closed, ownBound, Type } from '../../api-kit/declaring/schema.ts'
import { change } from '../../api-kit/runtime.ts'
import { isStorableId } from '../../process/ids.ts'
import { idCursor } from '../kit/cursor.ts'
import type { AdsError } from '../kit/errors.ts'
import { pageParams } from '../kit/list-records.ts'
import { defineAdsOperation, optional } from '../kit/operation.ts'
import { decimalKind } from '../kit/values.ts'
import { catalogNotFound, catalogPath, EARLY_ACCESS, findCatalog } from './catalog-access.ts'
import { DeleteReply, NumericId, ProductSchema, PutReply } from './product.schemas.ts'
import {
  catalogLock,
  groupsLead,
  groupsOfProducts,
  productPage,
  productPageOfGroup,
  productsRemove,
} from './product.statements.ts'
import { putProducts } from './put-products.ts'

const shared = { ...EARLY_ACCESS, tag: 'Products', path: catalogPath }
const cursor = idCursor('product_key')

const listProducts = defineAdsOperation({
  ...shared,
  id: 'listProducts',
  route: 'GET /12/product_catalogs/{product_catalog_id}/products',
  summary: 'List products; a group shows the variant that was submitted first',
  params: { item_group_key: optional(decimalKind), ...pageParams({ initial: 100, max: 100 }, cursor) },
  data: ProductSchema,
  envelope: 'list',
  limit: 'catalog reads',
  handle: async (input) => {
    const { params, runtime } = input
    const after = params.cursor ?? '0'
    const { id } = await findCatalog(input)
    const count = params.count!
    const found = params.item_group_key
      ? await productPageOfGroup.all(runtime.database, id, after, count + 1, params.item_group_key)
      : await productPage.all(runtime.database, id, after, count + 1)
    const page = found.slice(0, count)
    const hasMore = found.length > count
    return { data: page, next_cursor: cursor.after(hasMore ? page.at(-1)?.product_key : undefined) }
  },
})

// The result of each product is reported separately, so the schema does not check products themselves.
const PutBody = closed({ products: Type.Array(Type.Object({}), { minItems: 1, maxItems: 25 }) })

const upsertProducts = defineAdsOperation({
  ...shared,
  id: 'upsertProducts',
  route: 'PUT /12/product_catalogs/{product_catalog_id}/products',
  summary: 'Create and update up to 25 products',
  body: PutBody,
  data: PutReply,
  limit: 'product writes',
  handle: async (input) => {
    const { id } = await findCatalog(input)
    const results = await putProducts(input.runtime, id, input.body.products, { needsKeys: true })
    const spell = (error: AdsError) => error.toReply(input.naming)
    return {
      data: {
        products_response: results.map((item) => ({
          ...item,
          errors: item.errors.map(spell),
          warnings: item.warnings.map(spell),
        })),
      },
    }
  },
})

const deleteProducts = defineAdsOperation({
  ...shared,
  id: 'deleteProducts',
  route: 'DELETE /12/product_catalogs/{product_catalog_id}/products',
  summary: 'Delete products by their keys',
  body: closed({ product_keys: ownBound(Type.Array(NumericId, { minItems: 1 }), 1_000) }),
  data: DeleteReply,
  limit: 'product deletes',
  handle: async (input) => {
    const { id } = await findCatalog(input)
    const asked = input.body.product_keys
    const keys = [...new Set(asked.filter(isStorableId))]
    const deleted = await change(input.runtime, async (tx) => {
      if (!(await catalogLock.first(tx, id))) throw catalogNotFound(id)
      const groups = (await groupsOfProducts.all(tx, id, keys)).map((row) => row.item_group_key!)
      const removed = await productsRemove.all(tx, id, keys)
      if (groups.length > 0) await groupsLead.count(tx, groups)
      return new Set(removed.map((row) => row.product_key))
    })
    return {
      data: {
        delete_products: asked.map((key) =>
          deleted.has(key)
            ? { product_key: key, failed_product_key: null, message: null }
            : { product_key: null, failed_product_key: key, message: 'No product of the catalog has this key' },
        ),
      },
      request: { params: { product_keys: asked } },
    }
  },
})

export const productOperations = [listProducts, upsertProducts, deleteProducts]
