import type { AdsScene } from '../ads-scene.ts'
import type { AdsExample } from './example.ts'

/** The catalog of alice in the sandbox; she can have one. */
async function catalogOf(scene: AdsScene): Promise<string> {
  const [known] = (await scene.call('GET', 'product_catalogs')).body.data
  return known?.id ?? (await scene.call('POST', 'product_catalogs', { name: 'Everything' })).body.data.id
}

const productOf = (id: string) => ({
  id,
  title: 'Lamp',
  description: 'A lamp that stands.',
  availability: 'in stock',
  condition: 'new',
  price: '20.00 USD',
  link: 'https://shop.example.com/lamp',
  image_link: 'https://shop.example.com/lamp.png',
  brand: 'Lampworks',
  inventory: 5,
  taxonomy_product_category: '594',
})

let made = 0

/** A catalog and the key of a new product in it. */
async function withProduct(scene: AdsScene): Promise<{ catalog: string; key: string }> {
  const catalog = await catalogOf(scene)
  made += 1
  const answer = await scene.server.request('PUT', `/ads-sandbox/12/product_catalogs/${catalog}/products`, {
    as: { user: 'alice' },
    json: { products: [productOf(`example-${made}`)] },
  })
  return { catalog, key: answer.body.data.products_response[0].product_key }
}

async function withSet(scene: AdsScene): Promise<{ product_catalog_id: string; product_set_id: string }> {
  const { catalog, key } = await withProduct(scene)
  const answer = await scene.server.request('POST', `/ads-sandbox/12/product_catalogs/${catalog}/product_sets`, {
    as: { user: 'alice' },
    json: { name: 'Lamps', type: 'MANUAL', product_keys: [key] },
  })
  return { product_catalog_id: catalog, product_set_id: answer.body.data.id }
}

const FEED = {
  feed_url: 'https://shop.example.com/products.csv',
  feed_format: 'CSV',
  frequency: 'WEEKLY',
  repeat: 'MONDAY',
  start_time: '06:30',
  time_zone: 'Europe/Berlin',
}

async function withFeed(scene: AdsScene): Promise<{ product_catalog_id: string; scheduled_feed_id: string }> {
  const catalog = await catalogOf(scene)
  const path = `product_catalogs/${catalog}/scheduled_feeds`
  const [known] = (await scene.call('GET', path)).body.data
  const feed = known ?? (await scene.call('POST', path, FEED)).body.data
  return { product_catalog_id: catalog, scheduled_feed_id: feed.id }
}

/** Examples of catalogs, products, product sets and scheduled feeds. */
export const examples: Record<string, AdsExample> = {
  listProductCatalogs: async (scene) => {
    await catalogOf(scene)
    return { values: { user_id: scene.server.userId('alice') } }
  },
  createProductCatalog: async (scene) => {
    const id = await catalogOf(scene)
    await scene.call('DELETE', `product_catalogs/${id}`)
    return { values: { name: 'Everything' } }
  },
  updateProductCatalog: async (scene) => ({
    path: { product_catalog_id: await catalogOf(scene) },
    values: { name: 'Renamed' },
  }),
  deleteProductCatalog: async (scene) => ({ path: { product_catalog_id: await catalogOf(scene) } }),

  listProducts: async (scene) => {
    const { catalog } = await withProduct(scene)
    await withProduct(scene)
    return { path: { product_catalog_id: catalog }, values: { count: 1 } }
  },
  upsertProducts: async (scene) => ({
    path: { product_catalog_id: await catalogOf(scene) },
    json: { products: [productOf('put-1'), { ...productOf('put-2'), price: '20,00 USD' }] },
  }),
  deleteProducts: async (scene) => {
    const { catalog, key } = await withProduct(scene)
    return { path: { product_catalog_id: catalog }, json: { product_keys: [key, '1'] } }
  },

  getProductSet: async (scene) => ({ path: await withSet(scene) }),
  createProductSet: async (scene) => ({
    path: { product_catalog_id: await catalogOf(scene) },
    json: {
      name: 'Cheap',
      type: 'FILTERED',
      filters: [
        { attribute: 'price', operator: 'LESS_THAN', value: '50.00 USD' },
        { attribute: 'taxonomy_product_category', operator: 'MATCH', value: '594' },
      ],
    },
  }),
  updateProductSet: async (scene) => ({ path: await withSet(scene), json: { name: 'Renamed', description: 'New' } }),
  deleteProductSet: async (scene) => ({ path: await withSet(scene) }),

  listScheduledFeeds: async (scene) => ({
    path: { product_catalog_id: (await withFeed(scene)).product_catalog_id },
  }),
  createScheduledFeed: async (scene) => {
    const { product_catalog_id, scheduled_feed_id } = await withFeed(scene)
    await scene.call('DELETE', `product_catalogs/${product_catalog_id}/scheduled_feeds/${scheduled_feed_id}`)
    return { path: { product_catalog_id }, values: FEED }
  },
  updateScheduledFeed: async (scene) => ({
    path: await withFeed(scene),
    values: { frequency: 'HOURLY', repeat: '6' },
  }),
  deleteScheduledFeed: async (scene) => ({ path: await withFeed(scene) }),
}
