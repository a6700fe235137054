import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makePost } from '../social/acting.ts'
import { openStream } from '../support/read-stream.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { type LinkedWebhook, linkWebhook } from '../webhooks/linked-webhook.ts'
import { answersCorrectly, repliesWith, startReceiver } from '../webhooks/receiver.ts'

let server: TestServer
let hook: LinkedWebhook
let secret: string
beforeAll(async () => {
  server = await startTestServer(['--private-webhooks', 'on'], { events: true })
  secret = server.credentials.apps[0]!.api_key_secret
  const send = (method: string, path: string, json?: unknown) => server.request(method, path, { json })
  hook = await linkWebhook(send, secret, 'papaya')
})
afterAll(async () => {
  await server.close()
  await hook.close()
})

const validate = () => server.request('PUT', `/2/webhooks/${hook.webhookId}`, {})

describe('webhooks of all apps', () => {
  test('are listed with their state, their listeners and the last delivery', async () => {
    const userId = server.userId('bob')
    const body = { event_type: 'profile.update.bio', filter: { user_id: userId }, webhook_id: hook.webhookId }
    expect((await server.post('/2/activity/subscriptions', body)).status).toBe(200)
    const { webhooks, next } = await server.command('webhooks.list')
    expect(next).toBe(null)
    expect(webhooks).toEqual([
      {
        id: hook.webhookId,
        app_id: expect.stringMatching(/^\d+$/),
        app: server.credentials.apps[0]!.name,
        url: hook.url(),
        valid: true,
        naming: 'neutral',
        created_at: expect.any(String),
        last_challenge_at: null,
        last_success_at: expect.any(String),
        last_failure: null,
        activity_subscriptions: 1,
        account_activity_users: 0,
        stream_link: '',
        pending: 0,
        last_delivery: null,
      },
    ])
    expect((await server.command('webhooks.list', { app: server.credentials.apps[1]!.name })).webhooks).toEqual([])
    const { subscriptions } = await server.command('webhook.show', { id: hook.webhookId })
    expect(subscriptions).toMatchObject([{ event_type: 'profile.update.bio', filter: { user_id: userId } }])
  })

  test('have a transcript of each challenge: what was sent, what came back, and why it failed', async () => {
    hook.answerChallengesWith(repliesWith(200, '{"response_token":"sha256=wrong"}'))
    await validate()
    const [failed, registered] = (await server.command('webhook.show', { id: hook.webhookId })).challenges
    const token = new URL(failed.address).searchParams.get('crc_token')!
    expect(`GET ${new URL(failed.address).pathname}?crc_token=${token}`).toBe(hook.challenges.at(-1))
    expect(failed).toMatchObject({
      cause: 'validation',
      status: 200,
      answer: '{"response_token":"sha256=wrong"}',
      expected: `sha256=${createHmac('sha256', secret).update(token).digest('base64')}`,
      passed: false,
      reason: 'the response_token is not the HMAC of the crc_token with the API key secret',
      ms: expect.any(Number),
    })
    expect(registered).toMatchObject({ cause: 'registration', passed: true, reason: null })
    expect((await server.command('webhooks.list')).webhooks[0]).toMatchObject({
      valid: false,
      last_failure: failed.reason,
    })
  })

  test('can be challenged by the operator, after which the webhook is valid again', async () => {
    hook.answerChallengesWith(answersCorrectly(secret))
    const { valid, challenge } = await server.command('webhook.challenge', { id: hook.webhookId })
    expect({ valid, challenge }).toMatchObject({
      valid: true,
      challenge: { cause: 'operator', passed: true, status: 200 },
    })
    expect((await server.tryCommand('webhook.challenge', { id: '17' })).status).toBe(404)
    expect((await server.tryCommand('webhook.show', { id: '9999999999999999999' })).status).toBe(404)
  })

  test('keep the last twenty challenges', async () => {
    for (let at = 0; at < 20; at++) await validate()
    const { challenges } = await server.command('webhook.show', { id: hook.webhookId })
    expect(challenges).toHaveLength(20)
    expect(new Set(challenges.map((item: { cause: string }) => item.cause))).toEqual(new Set(['validation']))
  })

  test('show the registrations that a challenge refused', async () => {
    const receiver = await startReceiver(repliesWith(404, 'nothing here'))
    try {
      const refused = await server.post('/2/webhooks', { url: receiver.url('/refused') })
      expect(refused.status).toBe(400)
      const { challenges } = await server.command('webhooks.refused')
      expect(challenges).toMatchObject([
        { url: receiver.url('/refused'), app: server.credentials.apps[0]!.name, status: 404, answer: 'nothing here' },
      ])
      expect((await server.command('webhooks.refused', { before: challenges[0].id })).challenges).toEqual([])
    } finally {
      await receiver.close()
    }
  })
})

test('a delivery is shown with the signature that its body has', async () => {
  await makePost(server, 'bob', { text: 'A papaya to sign' })
  const [sent] = await hook.received(1)
  const [{ id }] = (await server.get('/_rostra/deliveries?limit=1', { bearer: server.credentials.admin_key })).body
    .deliveries
  const { request, app } = await server.command('delivery.show', { id })
  expect(app).toBe(server.credentials.apps[0]!.name)
  expect(request.text).toBe(sent!.raw.toString())
  expect(request.headers['x-rostra-webhooks-signature']).toBe(sent!.headers['x-rostra-webhooks-signature'])
  expect((await server.tryCommand('delivery.show', { id: '99999' })).status).toBe(404)
})

test('the event types that can be triggered are listed with their arguments', async () => {
  const { event_types: types } = await server.command('trigger.list')
  const reply = types.find((item: { event_type: string }) => item.event_type === 'post.reply.create')
  expect(reply).toEqual({
    event_type: 'post.reply.create',
    does: 'U replies to a post by T',
    takes: ['user', 'target', 'text', 'post_id'],
  })
})

describe('streams of all apps', () => {
  test('are listed with what was sent and what waits', async () => {
    const stream = await openStream(server, '/2/posts/search/stream')
    try {
      const shown = async () => (await server.command('streams.list')).streams
      await until(async () => (await shown()).length === 1)
      await makePost(server, 'bob', { text: 'A papaya on the stream' })
      await stream.next()
      const [open] = await shown()
      expect(open).toMatchObject({
        app: server.credentials.apps[0]!.name,
        endpoint_name: 'filtered_stream',
        client_ip: expect.stringContaining('127.0.0.1'),
        connected_at: expect.any(String),
        sent: { lines: 1, waiting_lines: 0, waiting_bytes: 0, dropped_lines: 0, stalled: false },
      })
      expect(open.sent.bytes).toBeGreaterThan(50)
      await server.command('stream.fault', { action: 'stall' })
      await makePost(server, 'bob', { text: 'A papaya that waits' })
      await until(async () => (await shown())[0].sent.waiting_lines === 1)
      expect((await shown())[0].sent).toMatchObject({ stalled: true, lines: 1 })
      await server.command('stream.fault', { action: 'resume' })
      await stream.next()
      expect((await shown())[0].sent).toMatchObject({ stalled: false, lines: 2 })

      const page = await server.command('streams.list', { limit: 1 })
      expect(page.next).toBe(null)
      const cursor = `${open.connected_at} ${open.id}`
      expect((await server.command('streams.list', { before: cursor })).streams).toEqual([])
      const refused = await server.tryCommand('streams.list', { before: 'yesterday' })
      expect(refused.status).toBe(400)
    } finally {
      stream.close()
    }
    await until(async () => (await server.command('streams.list')).streams.length === 0)
  })

  test('have rules with the number of posts that each matched, counted once', async () => {
    const added = await server.post('/2/posts/search/stream/rules', { add: [{ value: 'durian', tag: 'smelly' }] })
    const ruleId = added.body.data[0].id
    const stream = await openStream(server, '/2/posts/search/stream')
    try {
      await makePost(server, 'bob', { text: 'A durian' })
      await makePost(server, 'bob', { text: 'A durian and a papaya' })
      await stream.next()
      await stream.next()
      // The webhook that is linked to the rules of the same app matches them too.
      const of = async (id: string) =>
        (await server.command('streams.rules')).rules.find((item: { id: string }) => item.id === id)
      await until(async () => (await of(ruleId)).matches === 2)
      expect(await of(ruleId)).toMatchObject({
        app: server.credentials.apps[0]!.name,
        product: 'filtered',
        value: 'durian',
        tag: 'smelly',
        matches: 2,
        first_match_at: expect.any(String),
        last_match_at: expect.any(String),
      })
    } finally {
      stream.close()
    }
    const app = server.credentials.apps[0]!.name
    const { matches, last } = await server.command('streams.matches', { app })
    const found = matches.filter((item: { rule_ids: string[] }) => item.rule_ids.includes(ruleId))
    expect(found.map(({ text, author }: { text: string; author: string }) => [text, author])).toEqual([
      ['A durian', 'bob'],
      ['A durian and a papaya', 'bob'],
    ])
    expect(await server.command('streams.matches', { app, after: last })).toEqual({
      matches: [],
      last,
      has_more: false,
    })
    const page = await server.command('streams.rules', { limit: 1 })
    expect(page.rules).toHaveLength(1)
    const rest = await server.command('streams.rules', { after: page.next })
    expect(rest.rules).toMatchObject([{ id: ruleId, matches: 2 }])
  })
})
