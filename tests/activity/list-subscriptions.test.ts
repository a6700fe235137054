import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { invalidRequest, rows } from '../social/acting.ts'
import type { As, TestServer } from '../support/server.ts'
import type { Receiver } from '../webhooks/receiver.ts'
import { startServerWithReceiver } from '../webhooks/server-with-receiver.ts'
import { clear, subscribe } from './subscribed-activity.ts'

let server: TestServer
let receiver: Receiver
let close: () => Promise<void>
beforeAll(async () => {
  ;({ server, receiver, close } = await startServerWithReceiver())
})
afterAll(() => close())
afterEach(async () => {
  await server.command('clock', { reset: true })
  await clear(server)
  await rows(server, 'delete from webhook')
})

const PATH = '/2/activity/subscriptions'
const newWebhook = async (path: string) => (await server.post('/2/webhooks', { url: receiver.url(path) })).body.id
const list = async (query = '', as: As = 'app') => (await server.get(`${PATH}${query}`, as)).body

/** Subscribes to the posts of bob with each keyword; returns the ids, oldest first. */
async function make(words: string[], more: object = {}): Promise<string[]> {
  const ids: string[] = []
  for (const keyword of words) {
    const filter = { user_id: server.userId('bob'), keyword }
    ids.push((await subscribe(server, { event_type: 'post.create', filter, ...more })).subscription_id)
  }
  return ids
}

const missing = (id: string) => ({
  detail: `The app has no activity subscription [${id}].`,
  title: 'Not Found',
  type: 'about:blank',
  status: 404,
})

describe('the list of subscriptions', () => {
  test('is empty at first', async () => {
    expect(await list()).toEqual({ data: [], meta: { result_count: 0, total_subscriptions: 0 } })
  })

  test('shows only the subscriptions of the app, newest first, to the app and its users', async () => {
    const ids = await make(['a', 'b'], { tag: 'posts' })
    await subscribe(server, { event_type: 'oauth.revoke', filter: {} }, 'second-app')
    const body = await list()
    expect(body.meta).toEqual({ result_count: 2, total_subscriptions: 2 })
    expect(body.data.map((item: { subscription_id: string }) => item.subscription_id)).toEqual(ids.toReversed())
    expect(body.data[0]).toEqual({
      subscription_id: ids[1],
      event_type: 'post.create',
      filter: { user_id: server.userId('bob'), keyword: 'b' },
      tag: 'posts',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    expect(await list('', { user: 'bob' })).toEqual(body)
  })

  test('is paged by id: subscriptions created or deleted between two pages do not shift the others', async () => {
    const ids = await make(['a', 'b', 'c', 'd', 'e'])
    const first = await list('?max_results=2')
    expect(first.meta).toEqual({
      result_count: 2,
      total_subscriptions: 5,
      next_token: expect.stringMatching(/^[A-Z2-7]{16}$/),
    })
    await make(['f'])
    await server.delete(`${PATH}/${ids[3]}`)
    const second = await list(`?max_results=2&pagination_token=${first.meta.next_token}`)
    const third = await list(`?max_results=2&pagination_token=${second.meta.next_token}`)
    const shown = [first, second, third].flatMap((page) =>
      page.data.map((item: { subscription_id: string }) => item.subscription_id),
    )
    expect(shown).toEqual(ids.toReversed())
    expect(third.meta).toEqual({ result_count: 1, total_subscriptions: 5 })
  })

  test('refuses an invalid page size or token', async () => {
    for (const query of ['?max_results=0', '?max_results=1001', '?pagination_token=AAAAAAAAAAAAAAAA'])
      expect((await server.get(`${PATH}${query}`)).status, query).toBe(400)
  })
})

describe('changing a subscription', () => {
  test('changes the tag, the webhook or both, and the update time', async () => {
    const [id] = await make(['a'], { tag: 'before' })
    const before = (await list()).data[0]
    await server.command('clock', { advance_ms: 5_000 })
    const tagged = await server.put(`${PATH}/${id}`, { tag: 'after' })
    expect(tagged.status).toBe(200)
    expect(tagged.body).toEqual({
      data: {
        subscription: { ...before, tag: 'after', updated_at: expect.any(String) },
        total_subscriptions: 1,
      },
    })
    const { updated_at: updated } = tagged.body.data.subscription
    expect(Date.parse(updated) - Date.parse(before.created_at)).toBeGreaterThanOrEqual(4_000)
    const webhookId = await newWebhook('/a')
    const tied = await server.put(`${PATH}/${id}`, { webhook_id: webhookId })
    expect(tied.body.data.subscription).toMatchObject({ tag: 'after', webhook_id: webhookId, filter: before.filter })
    expect((await list()).data).toEqual([tied.body.data.subscription])
  })

  test('is refused with other members, with nothing to change, and without a body', async () => {
    const [id] = await make(['a'])
    const other = await server.put(`${PATH}/${id}`, { event_type: 'post.delete' })
    expect(other.status).toBe(400)
    expect(other.body.errors[0].parameters).toEqual({ '$.event_type': [] })
    const nothing = await server.put(`${PATH}/${id}`, {})
    expect(nothing.status).toBe(400)
    expect(nothing.body).toEqual(
      invalidRequest(server, { parameters: { $: [] }, message: '$: must contain tag, webhook_id or both' }),
    )
    expect((await server.put(`${PATH}/${id}`, undefined)).status).toBe(400)
  })

  test('is refused with 404 for an id that the app does not have', async () => {
    const [own] = await make(['a'])
    for (const [id, as] of [
      ['1', 'app'],
      ['9999999999999999999', 'app'],
      [own!, 'second-app'],
    ] as const) {
      const refused = await server.put(`${PATH}/${id}`, { tag: 'mine' }, as)
      expect(refused.status).toBe(404)
      expect(refused.body).toEqual(missing(id))
    }
  })

  test('is refused for a webhook of another app, and if the result would be a duplicate', async () => {
    const webhookId = await newWebhook('/a')
    const [first] = await make(['a'], { webhook_id: webhookId })
    const [second] = await make(['a'])
    const unknown = await server.put(`${PATH}/${second}`, { webhook_id: '1' })
    expect(unknown.status).toBe(400)
    expect(unknown.body.errors[0].message).toBe('WebhookIdInvalid: the app has no webhook [1].')
    const same = await server.put(`${PATH}/${second}`, { webhook_id: webhookId })
    expect(same.status).toBe(400)
    expect(same.body.errors[0].message).toBe(
      `DuplicateSubscriptionFailed: the app already has this subscription with the id [${first}].`,
    )
    expect((await server.put(`${PATH}/${first}`, { webhook_id: webhookId })).status).toBe(200)
  })
})

describe('deleting subscriptions', () => {
  test('deletes one and answers with how many are left', async () => {
    const ids = await make(['a', 'b'])
    const ended = await server.delete(`${PATH}/${ids[0]}`)
    expect(ended.status).toBe(200)
    expect(ended.body).toEqual({ data: { deleted: true }, meta: { total_subscriptions: 1 } })
    const again = await server.delete(`${PATH}/${ids[0]}`)
    expect(again.status).toBe(404)
    expect(again.body).toEqual(missing(ids[0]!))
    expect((await server.delete(`${PATH}/${ids[1]}`, 'second-app')).status).toBe(404)
    expect((await server.delete(`${PATH}/9999999999999999999`)).status).toBe(404)
    expect((await list()).meta.total_subscriptions).toBe(1)
  })

  test('deletes several at once and names those that do not exist', async () => {
    const ids = await make(['a', 'b', 'c'])
    const both = await server.delete(`${PATH}?ids=${ids[0]},${ids[1]},${ids[0]}`)
    expect(both.status).toBe(200)
    expect(both.body).toEqual({ data: { deleted: true }, meta: { total_subscriptions: 1 } })
    const some = await server.delete(`${PATH}?ids=${ids[2]},${ids[0]},9999999999999999999`)
    expect(some.status).toBe(200)
    expect(some.body).toEqual({
      data: { deleted: true },
      errors: [missing(ids[0]!), missing('9999999999999999999')],
      meta: { total_subscriptions: 0 },
    })
    const none = await server.delete(`${PATH}?ids=${ids[0]}`)
    expect(none.status).toBe(200)
    expect(none.body).toEqual({ errors: [missing(ids[0]!)], meta: { total_subscriptions: 0 } })
  })

  test('refuses no ids, more than a hundred, and values that are not ids', async () => {
    for (const query of ['', '?ids=', '?ids=x', `?ids=${Array.from({ length: 101 }, (_, at) => at + 1).join()}`])
      expect((await server.delete(`${PATH}${query}`)).status, query).toBe(400)
  })

  test('keeps a subscription without a webhook when its webhook is removed', async () => {
    const webhookId = await newWebhook('/a')
    await make(['a'], { webhook_id: webhookId })
    await server.delete(`/2/webhooks/${webhookId}`)
    const [left] = (await list()).data
    expect(left).not.toHaveProperty('webhook_id')
  })
})
