import type { As, TestAnswer, TestServer } from '../support/server.ts'
import { ALICE, queryOf } from './ads-scene.ts'

type Values = Record<string, string | number | boolean | undefined>

/** A catalog of alice in the sandbox, and functions that send requests to it. */
export interface Shop {
  catalog: string
  /** Requests below the catalog; values are sent in the query. */
  call(method: string, path: string, values?: Values, as?: As): Promise<TestAnswer>
  json(method: string, path: string, body: unknown, as?: As): Promise<TestAnswer>
  /** The results of a PUT of products. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at members of answers whose shape they assert.
  put(...products: unknown[]): Promise<any[]>
  /** Creates a product and returns its key; fails unless it was created. */
  made(members: Record<string, unknown>): Promise<string>
  /** Ids of the products that the list shows. */
  ids(values?: Values): Promise<string[]>
}

/** A valid product, with other members where given; undefined members are omitted. */
export const product = (id: string, members: Record<string, unknown> = {}) => ({
  id,
  title: 'Lamp',
  description: 'A lamp that stands.',
  availability: 'in stock',
  condition: 'new',
  price: '20.00 USD',
  link: 'https://shop.example.com/lamp',
  image_link: 'https://shop.example.com/lamp.png',
  brand: 'Lampworks',
  ...members,
})

export const BASE = '/ads-sandbox/12/product_catalogs'

/** Creates the catalog, of alice or of another user. */
export async function openShop(server: TestServer, owner: As = ALICE): Promise<Shop> {
  const opened = await server.request('POST', `${BASE}?name=Everything`, { as: owner })
  if (opened.status !== 200) throw new Error(opened.text)
  const catalog = opened.body.data.id as string
  const shop: Shop = {
    catalog,
    call: (method, path, values = {}, as = owner) => {
      const query = queryOf(values)
      return server.request(method, `${BASE}/${catalog}/${path}${query === '' ? '' : `?${query}`}`, { as })
    },
    json: (method, path, body, as = owner) => server.request(method, `${BASE}/${catalog}/${path}`, { as, json: body }),
    put: async (...products) => {
      const answer = await shop.json('PUT', 'products', { products })
      if (answer.status !== 200) throw new Error(answer.text)
      return answer.body.data.products_response
    },
    made: async (members) => {
      const [result] = await shop.put(product(String(members.id), members))
      if (result.status !== 'CREATE_SUCCESS') throw new Error(JSON.stringify(result))
      return result.product_key
    },
    ids: async (values) => {
      const answer = await shop.call('GET', 'products', values)
      return answer.body.data.map((item: { id: string }) => item.id)
    },
  }
  return shop
}
