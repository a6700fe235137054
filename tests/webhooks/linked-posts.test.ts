import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePost, rows } from '../social/acting.ts'
import { type As, startTestServer, type TestServer } from '../support/server.ts'
import { answersCorrectly, type Receiver, repliesWith, startReceiver } from './receiver.ts'

const RULES = '/2/posts/search/stream/rules'

/** An app with a webhook that gets the posts that match its rules. */
interface Linked {
  as: As
  secret: string
  receiver: Receiver
  webhookId: string
  /** The texts received so far. */
  texts(): string[]
}

let server: TestServer
const receivers: Receiver[] = []
beforeAll(async () => {
  server = await startTestServer([], { events: true })
})
afterAll(async () => {
  for (const receiver of receivers) await receiver.close()
  await server.close()
})

async function linkedApp(name: string, rule: string): Promise<Linked> {
  const app = await server.command('app.create', { name, owner: 'dario', tier: 'enterprise' })
  const as = { bearer: app.bearer_token as string }
  const receiver = await startReceiver(answersCorrectly(app.api_key_secret))
  receivers.push(receiver)
  const made = await server.post('/2/webhooks', { url: receiver.url() }, as)
  expect(made.status, made.text).toBe(200)
  await addRule(as, rule)
  const webhookId = made.body.id as string
  await link(as, webhookId)
  return {
    as,
    secret: app.api_key_secret,
    receiver,
    webhookId,
    texts: () => receiver.deliveries.map((delivery) => delivery.body.data.text),
  }
}

async function link(as: As, webhookId: string): Promise<void> {
  const linked = await server.request('POST', `/2/posts/search/webhooks/${webhookId}`, { as })
  expect(linked.body).toEqual({ data: { provisioned: true } })
}

async function addRule(as: As, value: string): Promise<void> {
  expect((await server.post(RULES, { add: [{ value }] }, as)).status).toBe(201)
}

const write = (text: string) => makePost(server, 'bob', { text })

/** Makes the webhook valid or invalid by a challenge. */
async function challenge({ as, secret, receiver, webhookId }: Linked, passes: boolean): Promise<void> {
  receiver.answerChallengesWith(
    passes ? answersCorrectly(secret) : repliesWith(200, '{"response_token":"sha256=wrong"}'),
  )
  const answer = await server.put(`/2/webhooks/${webhookId}`, {}, as)
  expect(answer.body.data).toEqual({ attempted: true, valid: passes })
}

/** Waits until all events so far are planned. */
async function planned(): Promise<void> {
  for (;;) {
    const [row] = await rows(
      server,
      `select (select count(*) from event_outbox) + (select place from event_head)
         - (select place from event_reader where name = 'webhooks') as open`,
    )
    if (Number(row.open) === 0) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

test('a webhook that was invalid gets posts by the current rules, with and without other webhooks', async () => {
  const quiet = await linkedApp('Quiet', 'badger')
  const loud = await linkedApp('Loud', 'heron')
  await write('badger one heron')
  await quiet.receiver.received(1)
  await loud.receiver.received(1)

  for (const others of ['valid', 'invalid']) {
    await challenge(quiet, false)
    if (others === 'invalid') await rows(server, 'update webhook set valid = false')
    await addRule(quiet.as, `otter${others}`)
    await planned()
    await challenge(quiet, true)
    await write(`otter${others} swims`)
    await quiet.receiver.received(others === 'valid' ? 2 : 3)
  }
  expect(quiet.texts()).toEqual(['badger one heron', 'ottervalid swims', 'otterinvalid swims'])
})

test('a link gets no posts from before its creation, even if the webhook is older', async () => {
  const late = await linkedApp('Late', 'weasel')
  await server.delete(`/2/posts/search/webhooks/${late.webhookId}`, late.as)
  await planned()
  // Blocks the dispatch while the post is written and the link is created.
  const client = await server.runtime.database.pool.connect()
  await client.query('begin')
  await client.query(`select from event_reader where name = 'webhooks' for update`)
  await write('weasel before')
  await link(late.as, late.webhookId)
  await write('weasel after')
  await client.query('commit')
  client.release()
  await late.receiver.received(1)
  await planned()
  expect(late.texts()).toEqual(['weasel after'])
})

test('an edit is delivered as a new post with the ids of all versions', async () => {
  const app = await linkedApp('History', 'marten')
  const first = await makePost(server, 'alice', { text: 'A marten sleps' })
  const second = await makePost(server, 'alice', {
    text: 'A marten sleeps',
    edit_options: { previous_post_id: first },
  })
  await app.receiver.received(2)
  expect(app.receiver.deliveries.map((delivery) => delivery.body.data.edit_history_post_ids).at(-1)).toEqual([
    first,
    second,
  ])
})
