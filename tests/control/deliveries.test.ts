import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ShownDelivery } from '../../src/control/shown-delivery.ts'
import { tidy } from '../../src/world/housekeeping.ts'
import { HOUR, makePost, rows } from '../social/acting.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { type LinkedWebhook, linkWebhook } from '../webhooks/linked-webhook.ts'

type Item = ShownDelivery & { request: { body: unknown } }

let server: TestServer
let hook: LinkedWebhook
beforeAll(async () => {
  server = await startTestServer(['--private-webhooks', 'on'], { events: true })
  const send = (method: string, path: string, json?: unknown) => server.request(method, path, { json })
  hook = await linkWebhook(send, server.credentials.apps[0]!.api_key_secret, 'kiwi')
})
afterAll(async () => {
  await server.close()
  await hook.close()
})

const look = (query = '') => server.get(`/_rostra/deliveries${query}`, { bearer: server.credentials.admin_key })
const list = async (query = ''): Promise<Item[]> => {
  const answer = await look(query)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.deliveries
}
const newest = async (): Promise<Item> => (await list('?limit=1'))[0]!
const repeat = (id: string) => server.tryCommand('delivery.repeat', { id })

/** Writes a post that the rule matches, and returns its delivery once `isReady` is true for it. */
async function deliver(text: string, isReady: (item: Item) => boolean): Promise<Item> {
  const before = (await newest())?.id ?? '0'
  await makePost(server, 'bob', { text })
  return until(async () => (await list(`?after=${before}`)).find(isReady))
}
const addRow = async (facts: { state: string; body?: string; webhookId?: string; agoMs?: number }) => {
  const at = new Date(server.runtime.clock.now() - (facts.agoMs ?? 0))
  const [row] = await rows(
    server,
    `insert into webhook_delivery (webhook_id, app_id, kind, body, state, next_attempt_at, created_at) values ($1, 1, 'made', $2, $3, $4, $5) returning id`,
    [facts.webhookId ?? '5', facts.body ?? '{}', facts.state, new Date(at.getTime() + HOUR), at],
  )
  return row.id as string
}

describe('a listed delivery', () => {
  test('shows what was sent, the URL, and the answer', async () => {
    hook.answerDeliveriesWith((response) => response.writeHead(201).end('thank you'))
    const item = await deliver('The first kiwi', ({ state }) => state === 'delivered')
    const sent = hook.deliveries.at(-1)!
    expect(item).toEqual({
      id: expect.stringMatching(/^\d+$/),
      webhook_id: hook.webhookId,
      url: hook.url(),
      webhook_valid: true,
      app_id: expect.stringMatching(/^\d+$/),
      kind: 'filtered-stream',
      event_type: 'post.create',
      event_place: expect.stringMatching(/^\d+$/),
      state: 'delivered',
      attempts: 1,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      replay_job_id: null,
      record: [{ at: expect.stringMatching(/Z$/), ms: expect.any(Number), status: 201, answer: 'thank you' }],
      request: { bytes: sent.raw.length, text: sent.raw.toString(), body: sent.body },
    })
    expect(sent.body.data.text).toBe('The first kiwi')
  })

  test('shows failed attempts and the time of the next one', async () => {
    hook.answerDeliveriesWith((response) => response.writeHead(503).end('not now'))
    const item = await deliver('A kiwi that nobody takes', ({ attempts }) => attempts === 1)
    expect(item).toMatchObject({ state: 'pending', attempts: 1, record: [{ status: 503, answer: 'not now' }] })
    const wait = Date.parse(item.next_attempt_at!) - Date.parse(item.record[0]!.at!)
    expect(wait).toBeGreaterThanOrEqual(3_000)
    expect(wait).toBeLessThan(4_000)

    hook.answerDeliveriesWith((response) => response.writeHead(200).end())
    await server.command('clock', { advance_ms: 4_000 })
    const done = await until(async () => (await list(`?ids=${item.id}`)).find(({ state }) => state === 'delivered'))
    expect(done).toMatchObject({ attempts: 2, record: [{ status: 503 }, { status: 200 }] })
    expect(done).not.toHaveProperty('next_attempt_at')
  })

  test('keeps all digits of numbers in its body', async () => {
    const id = await addRow({ state: 'delivered', body: '{"id":1234567890123456789}' })
    const { text } = await look(`?ids=${id}`)
    expect(text).toContain('"body":{"id":1234567890123456789}')
  })
})

describe('the list', () => {
  test('is newest first, and has pages in both directions', async () => {
    const ids: string[] = []
    for (let count = 0; count < 5; count++) ids.push(await addRow({ state: 'delivered' }))
    const idsOf = async (query: string) => (await list(query)).map((item) => item.id)
    expect(await idsOf('?limit=3')).toEqual([ids[4], ids[3], ids[2]])
    expect(await idsOf(`?limit=2&before=${ids[2]}`)).toEqual([ids[1], ids[0]])
    expect(await idsOf(`?limit=2&after=${ids[1]}`)).toEqual([ids[2], ids[3]])
    expect(await idsOf(`?ids=${ids[1]},${ids[3]},1000000`)).toEqual([ids[3], ids[1]])
  })

  test('can be filtered by webhook and state', async () => {
    const id = await addRow({ state: 'given_up', webhookId: '77' })
    await addRow({ state: 'delivered', webhookId: '77' })
    expect((await list('?webhook_id=77')).map((item) => item.state)).toEqual(['delivered', 'given_up'])
    expect((await list('?webhook_id=77&state=given_up')).map((item) => item.id)).toEqual([id])
    expect((await list('?webhook_id=77&state=pending')).length).toBe(0)
    expect((await list('?state=given_up')).every((item) => item.state === 'given_up')).toBe(true)
    expect((await list(`?after=0&webhook_id=${hook.webhookId}`)).map((item) => item.kind)[0]).toBe('filtered-stream')
  })

  test.each([
    ['limit=0', 'limit is not between 1 and 1000'],
    ['limit=1001', 'limit is not between 1 and 1000'],
    ['limit=ten', 'limit is not between 1 and 1000'],
    ['state=lost', 'state is not one of [pending,delivered,given_up,withheld]'],
    ['before=x', 'before must be an id'],
    ['after=99999999999999999999', 'after must be an id'],
    ['webhook_id=', 'webhook_id must be an id'],
    ['after=1&before=2', 'after cannot be combined with before'],
    ['ids=1,x', 'ids must be ids separated by commas'],
    [`ids=${Array(501).fill('1')}`, 'ids must have at most 500 ids'],
    ['ids=1&limit=2', 'ids cannot be combined with another parameter'],
    ['limit=1&limit=2', 'limit is given more than once'],
    ['page=2', 'The query parameter [page] is not one of [webhook_id,state,limit,before,after,ids]'],
  ])('with %s is refused', async (query, message) => {
    const answer = await look(`?${query}`)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].message).toBe(message)
  })

  test('requires the admin key', async () => {
    expect((await server.get('/_rostra/deliveries')).status).toBe(401)
  })
})

describe('a repetition', () => {
  test('sends the same body again as a new delivery', async () => {
    hook.answerDeliveriesWith((response) => response.writeHead(200).end())
    const item = await deliver('A kiwi to be sent twice', ({ state }) => state === 'delivered')
    const before = hook.deliveries.length
    const answer = await repeat(item.id)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^\d+$/),
      repeats: item.id,
      webhook_id: hook.webhookId,
      url: hook.url(),
      webhook_valid: true,
    })
    await hook.received(before + 1)
    expect(hook.deliveries.at(-1)!.raw).toEqual(hook.deliveries.at(-2)!.raw)
    const again = await until(async () =>
      (await list(`?ids=${answer.body.id}`)).find(({ state }) => state === 'delivered'),
    )
    expect(again).toMatchObject({ attempts: 1, event_place: item.event_place, request: item.request })
    expect((await list(`?ids=${item.id}`))[0]).toEqual(item)
  })

  test('of a delivery that does not exist is refused', async () => {
    for (const id of ['123456789', '9999999999999999999']) {
      const answer = await repeat(id)
      expect(answer.status).toBe(404)
      expect(answer.body.detail).toBe(`There is no delivery ${id}. Deliveries are kept for a day.`)
    }
  })

  test('to a removed webhook is refused', async () => {
    const id = await addRow({ state: 'delivered', webhookId: '88' })
    const answer = await repeat(id)
    expect(answer.status).toBe(409)
    expect(answer.body.detail).toBe(`Delivery ${id} cannot be repeated: its webhook 88 was removed.`)
    expect((await list(`?after=${id}`)).length).toBe(0)
  })
})

describe('housekeeping', () => {
  const stateOf = async (id: string) => (await list(`?ids=${id}`))[0]

  test('gives up deliveries that have waited for a day or have no webhook, and records the reason', async () => {
    // Only a webhook that is not valid makes a delivery wait so long.
    await rows(server, 'update webhook set valid = false where id = $1', [hook.webhookId])
    const late = await addRow({ state: 'pending', webhookId: hook.webhookId, agoMs: 24 * HOUR + 1_000 })
    const young = await addRow({ state: 'pending', webhookId: hook.webhookId, agoMs: 23 * HOUR })
    const orphan = await addRow({ state: 'pending', webhookId: '99' })
    expect(await stateOf(late)).toMatchObject({ state: 'pending', webhook_valid: false, record: [] })
    await tidy(server.runtime)
    const at = expect.stringMatching(/Z$/)
    expect(await stateOf(late)).toMatchObject({
      state: 'given_up',
      record: [{ at, error: 'given up: it could not be delivered within 24 hours' }],
    })
    expect(await stateOf(orphan)).toMatchObject({
      state: 'given_up',
      record: [{ at, error: 'given up: the webhook was removed' }],
    })
    expect(await stateOf(young)).toMatchObject({ state: 'pending', record: [] })
    await rows(server, 'update webhook set valid = true where id = $1', [hook.webhookId])
  })

  test('deletes finished deliveries 25 hours after they were created', async () => {
    const old = await addRow({ state: 'delivered', agoMs: 25 * HOUR + 1_000 })
    const kept = await addRow({ state: 'given_up', agoMs: 24 * HOUR })
    await tidy(server.runtime)
    expect(await stateOf(old)).toBeUndefined()
    expect((await stateOf(kept))!.id).toBe(kept)
  })

  test('deletes ended streams and replays after a week, but keeps open streams', async () => {
    const week = 7 * 24 * HOUR
    const moment = (agoMs: number) => new Date(server.runtime.clock.now() - agoMs)
    const [app] = await rows(server, 'select id from client_app order by id limit 1')
    const connection = (id: number, connected: number, seen: number, ended: number | null) =>
      rows(
        server,
        `insert into stream_connection (id, app_id, endpoint_name, client_ip, machine, connected_at, seen_at, disconnected_at)
         values ($1, $2, 'sample', '::1', 900, $3, $4, $5)`,
        [
          `00000000-0000-0000-0000-00000000000${id}`,
          app.id,
          moment(connected),
          moment(seen),
          ended === null ? null : moment(ended),
        ],
      )
    await connection(1, week + HOUR, week + HOUR, week + 1)
    await connection(2, week + HOUR, week, week - HOUR)
    await connection(3, week + HOUR, 0, null)
    await connection(4, week + HOUR, 2 * HOUR, null)
    const replay = (id: number, ago: number, state: string) =>
      rows(
        server,
        `insert into webhook_replay (id, webhook_id, app_id, from_at, to_at, state, created_at) values ($1, $2, $3, $4, $4, $5, $4)`,
        [id, hook.webhookId, app.id, moment(ago), state],
      )
    await replay(1, week + 1, 'complete')
    await replay(2, week - HOUR, 'incomplete')
    await tidy(server.runtime)
    const left = await rows(
      server,
      'select right(id::text, 1) as id from stream_connection where machine = 900 order by 1',
    )
    expect(left.map((row) => row.id)).toEqual(['2', '3'])
    expect(await rows(server, 'select id from webhook_replay')).toEqual([{ id: '2' }])
  })
})
