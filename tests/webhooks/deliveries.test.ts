import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { TestServer } from '../support/server.ts'
import { answersCorrectly, type Delivery, type Receiver, repliesWith, startReceiver } from './receiver.ts'
import { startServerWithReceiver } from './server-with-receiver.ts'

let server: TestServer
let receiver: Receiver
let close: () => Promise<void>
let secret: string
let webhookId: string

beforeAll(async () => {
  ;({ server, receiver, secret, close } = await startServerWithReceiver([], { events: true }))
  await server.post('/2/posts/search/stream/rules', { add: [{ value: '#hook', tag: 'hooked' }] })
  webhookId = await linked(receiver.url())
})
afterAll(() => close())
beforeEach(async () => {
  receiver.answerChallengesWith(answersCorrectly(secret))
  receiver.answerDeliveriesWith((response) => response.writeHead(200).end())
  await settled()
  receiver.deliveries.length = 0
})

/** Creates a webhook that gets the posts that match the rules. */
async function linked(url: string, fields = ''): Promise<string> {
  const made = await server.post('/2/webhooks', { url })
  expect(made.status, made.text).toBe(200)
  const link = await server.request('POST', `/2/posts/search/webhooks/${made.body.id}${fields}`, {})
  expect(link.body).toEqual({ data: { provisioned: true } })
  return made.body.id
}

let written = 0
async function write(words = ''): Promise<string> {
  written += 1
  const made = await server.post('/2/posts', { text: `#hook ${written} ${words}`.trim() }, { user: 'bob' })
  expect(made.status, made.text).toBe(201)
  return made.body.data.id
}

const query = async (sql: string, values: unknown[] = []) =>
  (await server.runtime.database.pool.query(sql, values)).rows as Record<string, unknown>[]

async function settled(): Promise<void> {
  for (;;) {
    const [row] = await query(
      `select (select count(*) from event_outbox) + (select count(*) from webhook_delivery where state = 'pending' and next_attempt_at <= $1)
         + (select place from event_head) - (select place from event_reader where name = 'webhooks') as open`,
      [new Date(server.runtime.clock.now())],
    )
    if (Number(row!.open) === 0) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const stateOf = async (postId: string) =>
  (
    await query(`select state, attempts, record from webhook_delivery where body like $1 order by id`, [
      `%"id":"${postId}"%`,
    ])
  ).map((row) => row as { state: string; attempts: number; record: { status?: number; error?: string }[] })

describe('a delivery', () => {
  test('has the matching post and a signature under both header names', async () => {
    const id = await write()
    const [delivery] = await receiver.received(1)
    expect(delivery!.body).toEqual({
      data: { id, text: `#hook ${written}`, edit_history_post_ids: [id] },
      matching_rules: [{ id: expect.any(String), tag: 'hooked' }],
    })
    const signature = `sha256=${createHmac('sha256', secret).update(delivery!.raw).digest('base64')}`
    expect(delivery!.headers['x-rostra-webhooks-signature']).toBe(signature)
    expect(delivery!.headers['x-twitter-webhooks-signature']).toBe(signature)
    expect(delivery!.headers['content-type']).toMatch(/^application\/json/)
    await settled()
    expect(await stateOf(id)).toEqual([
      { state: 'delivered', attempts: 1, record: [expect.objectContaining({ status: 200 })] },
    ])
  })

  test('arrives in the order of the posts', async () => {
    const ids: string[] = []
    for (let count = 0; count < 20; count++) ids.push(await write())
    await receiver.received(20)
    expect(receiver.deliveries.map((item) => item.body.data.id)).toEqual(ids)
  })

  test('that fails is repeated after 3 s, 30 s and 5 min, and then given up', async () => {
    receiver.answerDeliveriesWith((response) => response.writeHead(500).end('not now'))
    await server.command('clock', { freeze: true })
    const id = await write()
    await receiver.received(1)
    await settled()
    for (const [count, waitMs] of [
      [2, 3_000],
      [3, 30_000],
      [4, 300_000],
    ] as const) {
      await server.command('clock', { advance_ms: waitMs - 1 })
      expect(receiver.deliveries).toHaveLength(count - 1)
      await server.command('clock', { advance_ms: 1 })
      expect(receiver.deliveries).toHaveLength(count)
    }
    await server.command('clock', { advance_ms: 3600_000 })
    await settled()
    const [row] = await stateOf(id)
    expect(row).toMatchObject({ state: 'given_up', attempts: 4 })
    expect(row!.record).toEqual(Array(4).fill(expect.objectContaining({ status: 500, answer: 'not now' })))
    await server.command('clock', { resume: true })
  })

  test.each([301, 304, 307])('that is answered with %i is not redirected, and is sent again later', async (status) => {
    const elsewhere = await startReceiver(answersCorrectly(secret))
    try {
      receiver.answerDeliveriesWith((response) => response.writeHead(status, { location: elsewhere.url() }).end())
      const id = await write()
      await receiver.received(1)
      await expect
        .poll(() => stateOf(id))
        .toEqual([{ state: 'pending', attempts: 1, record: [expect.objectContaining({ status })] }])
      receiver.answerDeliveriesWith((response) => response.writeHead(200).end())
      await server.command('clock', { advance_ms: 3_500 })
      await receiver.received(2)
      await settled()
      expect(await stateOf(id)).toMatchObject([{ state: 'delivered', attempts: 2 }])
      expect(elsewhere.deliveries).toEqual([])
      expect(elsewhere.challenges).toEqual([])
    } finally {
      await elsewhere.close()
    }
  })

  test('that succeeds at the second attempt is not sent again', async () => {
    receiver.answerDeliveriesWith((response) => response.writeHead(503).end())
    const id = await write()
    await receiver.received(1)
    receiver.answerDeliveriesWith((response) => response.writeHead(204).end())
    await settled()
    await server.command('clock', { advance_ms: 3_500 })
    await receiver.received(2)
    await settled()
    expect(await stateOf(id)).toEqual([expect.objectContaining({ state: 'delivered', attempts: 2 })])
  })

  test('is recorded and not repeated with any body of the answer', async () => {
    receiver.answerDeliveriesWith((response) => response.writeHead(200).end(`${'a'.repeat(499)}😀\0${'b'.repeat(100)}`))
    const id = await write()
    await receiver.received(1)
    await settled()
    expect(receiver.deliveries.map((delivery) => delivery.body.data.id)).toEqual([id])
    const [noted] = await query('select state, record from webhook_delivery order by id desc limit 1')
    expect(noted).toMatchObject({ state: 'delivered', record: [{ status: 200, answer: 'a'.repeat(499) }] })
  })

  test('is signed with the new secret after a rotation', async () => {
    const app = await server.command('app.create', { name: 'Turned', owner: 'dario', tier: 'enterprise' })
    let bearer = { bearer: app.bearer_token as string }
    let current = app.api_key_secret as string
    // A separate webhook, because the other one may be challenged meanwhile.
    const other = await startReceiver((response, token) => answersCorrectly(current)(response, token))
    const hook = await server.post('/2/webhooks', { url: other.url() }, bearer)
    await server.post('/2/posts/search/stream/rules', { add: [{ value: '#hook' }] }, bearer)
    await server.request('POST', `/2/posts/search/webhooks/${hook.body.id}`, { as: bearer })
    const signedWith: string[] = []
    let turned: Promise<void> | undefined
    other.answerDeliveriesWith((response, delivery) => {
      const isNew =
        delivery.headers['x-rostra-webhooks-signature'] ===
        `sha256=${createHmac('sha256', current).update(delivery.raw).digest('base64')}`
      signedWith.push(isNew ? 'current' : 'old')
      turned ??= server.command('app.rotate', { app: app.id }).then((keys) => {
        current = keys.api_key_secret
        bearer = { bearer: keys.bearer_token }
      })
      void turned.then(() => response.writeHead(200).end())
    })
    for (let count = 0; count < 3; count++) await write()
    await expect.poll(() => signedWith).toEqual(['current', 'current', 'current'])
    expect((await server.delete(`/2/webhooks/${hook.body.id}`, bearer)).status).toBe(200)
    await other.close()
  })

  test('to a slow receiver does not delay other receivers', async () => {
    const other = await startReceiver(answersCorrectly(secret))
    const id = await linked(other.url())
    const held: (() => void)[] = []
    receiver.answerDeliveriesWith((response) => held.push(() => response.writeHead(200).end()))
    await write()
    await write()
    await write()
    expect((await other.received(3)).map((item) => item.body.data.text)).toHaveLength(3)
    expect(receiver.deliveries).toHaveLength(1)
    receiver.answerDeliveriesWith((response) => response.writeHead(200).end())
    for (const release of held) release()
    await receiver.received(3)
    await server.delete(`/2/webhooks/${id}`)
    await other.close()
  })

  test('to a receiver with a backlog of more than 50 is one of up to 16 at once', async () => {
    const held: (() => void)[] = []
    receiver.answerDeliveriesWith((response) => held.push(() => response.writeHead(200).end()))
    await query(
      `insert into webhook_delivery (webhook_id, app_id, kind, event_place, body, next_attempt_at, created_at)
       select webhook_id, app_id, kind, event_place, json_build_object('number', number)::text, $1, $1
         from (select * from webhook_delivery where webhook_id = $2 order by id desc limit 1) d, generate_series(1, 60) as number`,
      [new Date(server.runtime.clock.now()), webhookId],
    )
    await receiver.received(16)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(receiver.deliveries).toHaveLength(16)
    receiver.answerDeliveriesWith((response) => response.writeHead(200).end())
    for (const release of held) release()
    await receiver.received(60)
    await settled()
    const numbers = receiver.deliveries.map(({ body }) => body.number as number)
    expect(numbers.sort((left, right) => left - right)).toEqual(Array.from({ length: 60 }, (_, at) => at + 1))
  })

  test('that finds no receiver is recorded with the reason, and sent again later', async () => {
    const gone = await startReceiver(answersCorrectly(secret))
    const hook = await linked(gone.url())
    await gone.close()
    const id = await write()
    await settled()
    const [failed] = (await stateOf(id)).filter(({ state }) => state === 'pending')
    expect(failed).toMatchObject({
      attempts: 1,
      record: [{ at: expect.any(String), ms: expect.any(Number), error: 'the connection failed (ECONNREFUSED)' }],
    })
    expect((await server.delete(`/2/webhooks/${hook}`)).status).toBe(200)
    const removed = (await stateOf(id)).find(({ state }) => state === 'given_up')
    expect(removed!.record.at(-1)).toEqual({ error: 'the webhook was removed' })
  })

  test('shows the fields of the link in the naming of the link', async () => {
    const other = await startReceiver(answersCorrectly(secret))
    const made = await server.post('/2/webhooks', { url: other.url() })
    const link = await server.request(
      'POST',
      `/2/tweets/search/webhooks/${made.body.id}?tweet.fields=author_id,edit_history_tweet_ids&expansions=author_id`,
      {},
    )
    expect(link.status, link.text).toBe(200)
    const id = await write()
    const [delivery] = await other.received(1)
    expect(delivery!.body.data).toMatchObject({ id, edit_history_tweet_ids: [id], author_id: server.userId('bob') })
    expect(delivery!.body.includes.users[0].username).toBe('bob')
    const list = await server.get('/2/posts/search/webhooks')
    expect(list.body.data.links.at(-1)).toMatchObject({
      webhook_id: made.body.id,
      fields: ['tweet.fields=author_id', 'edit_history_tweet_ids', 'expansions=author_id'],
    })
    expect((await server.delete(`/2/posts/search/webhooks/${made.body.id}`)).body).toEqual({ data: { deleted: true } })
    expect((await server.delete(`/2/posts/search/webhooks/${made.body.id}`)).status).toBe(404)
    await write()
    await settled()
    expect(other.deliveries).toHaveLength(1)
    await server.delete(`/2/webhooks/${made.body.id}`)
    await other.close()
  })
})

test('a webhook that is linked again gets the fields of the newest link', async () => {
  const other = await startReceiver(answersCorrectly(secret))
  const id = await linked(other.url(), '?post.fields=author_id')
  const again = await server.request('POST', `/2/posts/search/webhooks/${id}?post.fields=lang`, {})
  expect(again.body).toEqual({ data: { provisioned: true } })
  await write()
  const [delivery] = await other.received(1)
  expect(delivery!.body.data).toHaveProperty('lang')
  expect(delivery!.body.data).not.toHaveProperty('author_id')
  await settled()
  expect(other.deliveries).toHaveLength(1)
  await server.delete(`/2/webhooks/${id}`)
  await other.close()
})

describe('the hourly challenge', () => {
  test('makes a webhook without the secret invalid, and it gets nothing until it passes again', async () => {
    receiver.challenges.length = 0
    receiver.answerChallengesWith(repliesWith(200, '{"response_token":"sha256=wrong"}'))
    await server.command('clock', { advance_ms: 3600_000 })
    await validity(false)
    expect(receiver.challenges.length).toBeGreaterThan(0)
    await write()
    await settled()
    expect(receiver.deliveries).toHaveLength(0)
    receiver.answerChallengesWith(answersCorrectly(secret))
    await server.command('clock', { advance_ms: 3600_000 })
    await validity(true)
    const id = await write()
    expect((await receiver.received(1))[0]!.body.data.id).toBe(id)
  })

  async function validity(expected: boolean): Promise<void> {
    for (;;) {
      const list = await server.get('/2/webhooks')
      if (list.body.data.find((item: { id: string }) => item.id === webhookId).valid === expected) return
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
})

describe('a replay', () => {
  const minute = (ms: number) => new Date(ms).toISOString().replace(/\D/g, '').slice(0, 12)

  test('sends the events of the period again and ends with a status message', async () => {
    await server.command('clock', { advance_ms: 120_000 })
    const from = server.runtime.clock.now()
    const ids = [await write(), await write()]
    await receiver.received(2)
    await settled()
    await server.command('clock', { advance_ms: 40 * 60_000 })
    receiver.deliveries.length = 0
    const body = { webhook_id: webhookId, from_date: minute(from), to_date: minute(from + 2 * 60_000) }
    const job = await server.post('/2/webhooks/replay', body)
    expect(job.status, job.text).toBe(200)
    expect(job.body).toEqual({ job_id: expect.stringMatching(/^\d+$/), created_at: expect.any(String) })
    await receiver.received(3)
    expect(receiver.deliveries.slice(0, 2).map((item: Delivery) => item.body.data.id)).toEqual(ids)
    expect(receiver.deliveries[2]!.body).toEqual({
      replay_job_status: {
        webhook_id: webhookId,
        job_state: 'Complete',
        job_state_description: 'Job completed successfully',
        job_id: job.body.job_id,
      },
    })
  })

  test('on the older path starts a job too, and says that the path is deprecated', async () => {
    const now = server.runtime.clock.now()
    const period = `from_date=${minute(now - 3 * 3600_000)}&to_date=${minute(now - 2 * 3600_000)}`
    const path = (id: string) => `/2/account_activity/replay/webhooks/${id}/subscriptions/all?${period}`
    const logged = vi.spyOn(server.runtime.log, 'warn')
    receiver.deliveries.length = 0
    const job = await server.request('POST', path(webhookId), {})
    expect(job.status, job.text).toBe(200)
    const { job_id, created_at } = job.body
    const owner = server.userId('alice')
    expect(job.body).toEqual({ job_id, created_at, for_user_id: owner, replay_event: { job_id, created_at } })
    expect(job.headers.get('deprecation')).toBe(`@${Date.parse('2026-03-25T16:00:00Z') / 1000}`)
    expect(job.headers.get('link')).toMatch(/^<http.*\/2\/webhooks\/replay>; rel="successor-version"$/)
    const ended = () => receiver.deliveries.some((item) => item.body.replay_job_status?.job_id === job_id)
    await expect.poll(ended).toBe(true)
    await settled()
    const unknown = await server.request('POST', path('1'), {})
    expect([unknown.status, unknown.headers.has('deprecation')]).toEqual([404, true])
    expect((await server.request('POST', path(webhookId), { as: 'nobody' })).status).toBe(401)
    const lines = logged.mock.calls.map((call) => String(call[1])).filter((line) => line.includes('deprecated'))
    expect(lines).toEqual([expect.stringContaining('/2/webhooks/replay replaces it')])
    logged.mockRestore()
  })

  test('is refused while one runs, for another app, and for a wrong period', async () => {
    const now = server.runtime.clock.now()
    const body = { webhook_id: webhookId, from_date: minute(now - 3 * 3600_000), to_date: minute(now - 3600_000) }
    receiver.answerDeliveriesWith(() => {})
    expect((await server.post('/2/webhooks/replay', body)).status).toBe(200)
    const conflict = await server.post('/2/webhooks/replay', body)
    expect(conflict.status).toBe(409)
    expect(conflict.body).toMatchObject({ type: `${server.runtime.problemBase}/conflict` })
    expect((await server.post('/2/webhooks/replay', body, 'second-app')).status).toBe(404)
    for (const change of [
      { from_date: minute(now - 25 * 3600_000) },
      { from_date: minute(now - 10 * 60_000) },
      { to_date: minute(now - 60_000) },
      { to_date: minute(now + 3600_000) },
      { from_date: body.to_date, to_date: body.from_date },
      { from_date: '202613450000' },
      { from_date: 'yesterday' },
    ]) {
      const refused = await server.post('/2/webhooks/replay', { ...body, ...change })
      expect(refused.status, JSON.stringify(change)).toBe(400)
    }
  })
})
