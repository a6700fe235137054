// PUT requests with 25 products each into one catalog, at two sizes of the catalog: products per second, and how that changes
// with ten times the stored data. One set with filters is updated with every change.
import pg from 'pg'
import { load } from './load.js'
import { connectionOf, startRostra, temporaryFolder } from './processes.js'
import { signer } from './sign.js'

const STORED = Number(process.argv[2] ?? 10_000)
const SECONDS = Number(process.argv[3] ?? 8)
const PER_REQUEST = 25

const productOf = (id) => ({
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
  custom_label_0: 'spring',
})

/** Stores products at once, as a PUT stores them, because filling the catalog is not measured. */
const fill = (database, catalog, from, to) =>
  database.query(
    `insert into ads_product (product_key, catalog_id, id, title, description, availability, condition, price, link, image_link, brand, inventory,
       custom_label_0, leads, images_checked, created_at, updated_at)
     select n, $1, 'stored-' || n, 'Lamp', 'A lamp that stands.', 'in stock', 'new', '20.00 USD', 'https://shop.example.com/lamp',
       'https://shop.example.com/lamp.png', 'Lampworks', 5, 'spring', true, true, now(), now() from generate_series($2::int, $3::int) n`,
    [catalog, from, to],
  )

const { folder, remove } = temporaryFolder()
const server = await startRostra(folder)
const { base_url: baseUrl, apps, users } = server.credentials
const database = new pg.Client(connectionOf(folder))
try {
  await database.connect()
  const alice = users.find((user) => user.username === 'alice')
  const headersFor = (method, url) => ({
    authorization: signer(method, baseUrl + url, apps[0], alice)(),
    'content-type': 'application/json',
  })
  const call = async (method, url, body) => {
    const answer = await fetch(baseUrl + url, { method, headers: headersFor(method, url), body })
    if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()).data
  }
  const path = '/ads/12/product_catalogs'
  // Inserted directly, because the signer does not support parameters.
  const { rows } = await database.query(
    `insert into ads_product_catalog (id, user_id, sandbox, name, created_at, updated_at) values (1, $1, false, 'Bench', now(), now()) returning id`,
    [alice.id],
  )
  const catalog = rows[0].id
  const sets = `${path}/${catalog}/product_sets`
  const filters = [{ attribute: 'price', operator: 'LESS_THAN', value: '10.00 USD' }]
  await call('POST', sets, JSON.stringify({ name: 'Cheap', type: 'FILTERED', filters }))

  const url = `${path}/${catalog}/products`
  const sign = signer('PUT', baseUrl + url, apps[0], alice)
  let made = 0
  const next = () => {
    const products = Array.from({ length: PER_REQUEST }, () => productOf(`new-${made++}`))
    return {
      method: 'PUT',
      path: url,
      headers: { authorization: sign(), 'content-type': 'application/json' },
      body: JSON.stringify({ products }),
    }
  }
  const measure = async (from, to) => {
    await fill(database, catalog, from, to)
    await database.query('vacuum analyze ads_product')
    // Pictures are checked in the background and are not measured.
    await database.query('update ads_product set images_checked = true where not images_checked')
    return load(baseUrl, SECONDS, next, 200)
  }
  await measure(1, 1)
  const small = await measure(2, STORED)
  const large = await measure(STORED + 1, STORED * 10)
  for (const [stored, result] of [
    [STORED, small],
    [STORED * 10, large],
  ])
    console.log(
      `${String(stored).padStart(9)} products stored: ${result.rate.toFixed(0)} requests/s, ${(result.rate * PER_REQUEST).toFixed(0)} products/s, ` +
        `p50 ${result.p50} ms, p99 ${result.p99} ms`,
    )
  console.log(`rate with ten times the stored data: ${(large.rate / small.rate).toFixed(2)} of before`)
} finally {
  await database.end()
  await server.stop()
  remove()
}
