import { afterAll, beforeAll, expect, test } from 'vitest'
import { rows } from '../social/acting.ts'
import type { TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { answersCorrectly, type Receiver, repliesWith } from './receiver.ts'
import { startServerWithReceiver } from './server-with-receiver.ts'

const REPLAY = '/2/webhooks/replay'

let server: TestServer
let receiver: Receiver
let close: () => Promise<void>
let secret: string
let webhookId: string
beforeAll(async () => {
  ;({ server, receiver, secret, close } = await startServerWithReceiver([], { events: true }))
  webhookId = (await server.post('/2/webhooks', { url: receiver.url() })).body.id
})
afterAll(() => close())

const minute = (ms: number) => new Date(ms).toISOString().replace(/\D/g, '').slice(0, 12)

/** Requests a replay of a period that may have no events. */
function replay() {
  const now = server.runtime.clock.now()
  return server.post(REPLAY, {
    webhook_id: webhookId,
    from_date: minute(now - 3 * 3600_000),
    to_date: minute(now - 3600_000),
  })
}

const isValid = async (): Promise<boolean> =>
  (await server.get('/2/webhooks')).body.data.find((item: { id: string }) => item.id === webhookId).valid

test('a wrong answer to the challenge of a replay makes the webhook invalid, and a correct one valid again', async () => {
  receiver.answerChallengesWith(repliesWith(200, '{"response_token":"sha256=wrong"}'))
  const refused = await replay()
  expect(refused.status).toBe(400)
  expect(refused.body.errors[0].message).toContain('CrcValidationFailed')
  expect(await isValid()).toBe(false)

  receiver.answerChallengesWith(repliesWith(503))
  expect((await replay()).status).toBe(400)
  expect(await isValid()).toBe(false)

  receiver.answerChallengesWith(answersCorrectly(secret))
  expect((await replay()).status).toBe(200)
  expect(await isValid()).toBe(true)
  await receiver.received(1)
})

test('after an inconclusive failure the webhook stays valid', async () => {
  receiver.answerChallengesWith(repliesWith(503))
  expect((await replay()).status).toBe(400)
  expect(await isValid()).toBe(true)
  receiver.answerChallengesWith(answersCorrectly(secret))
})

test('a job runs until its status message is delivered, and then the next one can start', async () => {
  await allEnded()
  receiver.deliveries.length = 0
  receiver.answerDeliveriesWith((response) => response.writeHead(500).end())
  const first = await replay()
  expect(first.status, first.text).toBe(200)
  await receiver.received(1)
  expect(receiver.deliveries[0]!.body.replay_job_status.job_id).toBe(first.body.job_id)
  expect((await replay()).status).toBe(409)

  receiver.answerDeliveriesWith((response) => response.writeHead(200).end())
  await statusReaches('attempts = 1')
  await server.command('clock', { advance_ms: 3_500 })
  await receiver.received(2)
  await statusReaches(`state = 'delivered'`)
  expect((await replay()).status).toBe(200)
})

test('a job ends when its status message is given up, and then the next one can start', async () => {
  await allEnded()
  receiver.deliveries.length = 0
  receiver.answerDeliveriesWith((response) => response.writeHead(500).end())
  expect((await replay()).status).toBe(200)
  for (const [count, waitMs] of [
    [1, 3_500],
    [2, 30_500],
    [3, 300_500],
  ] as const) {
    await receiver.received(count)
    await statusReaches(`attempts = ${count}`)
    expect((await replay()).status).toBe(409)
    await server.command('clock', { advance_ms: waitMs })
  }
  await statusReaches(`state = 'given_up'`)
  receiver.answerDeliveriesWith((response) => response.writeHead(200).end())
  expect((await replay()).status).toBe(200)
})

/** Waits until the newest status message meets the condition. */
async function statusReaches(condition: string): Promise<void> {
  await until(async () => {
    const [row] = await rows(
      server,
      `select ${condition} as reached from webhook_delivery where kind = 'replay-status' order by id desc limit 1`,
    )
    return row.reached as boolean
  }, 30_000)
}

/** Waits until no job runs. */
async function allEnded(): Promise<void> {
  await until(async () => {
    const [row] = await rows(server, `select count(*)::int as count from webhook_replay where state = 'running'`)
    return row.count === 0
  }, 30_000)
}
