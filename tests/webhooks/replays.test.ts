import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

describe('the period of a replay', () => {
  const MINUTE_MS = 60_000
  const DAY_MS = 24 * 60 * MINUTE_MS
  /** The ends of a period, as minutes before now or as they are sent. */
  const ask = (from: number | string, to: number | string) => {
    const now = server.runtime.clock.now()
    const [from_date, to_date] = [from, to].map((end) => (typeof end === 'string' ? end : minute(now - end)))
    return server.post(REPLAY, { webhook_id: webhookId, from_date, to_date })
  }

  test.each<[wrong: string, from: number | string, to: number | string, parameter: string, reason: string]>([
    ['begins in the future', -5 * MINUTE_MS, 60 * MINUTE_MS, 'from_date', 'it is in the future'],
    ['ends in the future', 60 * MINUTE_MS, -5 * MINUTE_MS, 'to_date', 'it is in the future'],
    ['begins 24 hours ago', DAY_MS + MINUTE_MS, 60 * MINUTE_MS, 'from_date', 'it is more than 24 hours ago'],
    ['ended 24 hours ago', 60 * MINUTE_MS, DAY_MS + MINUTE_MS, 'to_date', 'it is more than 24 hours ago'],
    ['is empty', 60 * MINUTE_MS, 60 * MINUTE_MS, 'from_date', 'it must be before `to_date`'],
    ['begins after its end', 60 * MINUTE_MS, 90 * MINUTE_MS, 'from_date', 'it must be before `to_date`'],
    ['begins 30 minutes ago', 29 * MINUTE_MS, 15 * MINUTE_MS, 'from_date', 'it must be at least 31 minutes ago'],
    ['ends 9 minutes ago', 60 * MINUTE_MS, 8 * MINUTE_MS, 'to_date', 'it must be at least 10 minutes ago'],
    ['begins on 31 February', '202602310000', 60 * MINUTE_MS, 'from_date', 'it is not a valid date and time'],
    ['ends at 24:00', 60 * MINUTE_MS, '202602012400', 'to_date', 'it is not a valid date and time'],
    ['ends in month 13', 60 * MINUTE_MS, '202613010000', 'to_date', 'it is not a valid date and time'],
  ])('is refused when it %s, without a challenge', async (_, from, to, parameter, reason) => {
    receiver.challenges.length = 0
    const refused = await ask(from, to)
    expect(refused.status, refused.text).toBe(400)
    const [error] = refused.body.errors
    const [[name, [value]]] = Object.entries(error.parameters) as [[string, [string]]]
    expect(name).toBe(parameter)
    expect(error.message).toBe(`QueryParamInvalid: the \`${parameter}\` value [${value}] is not valid: ${reason}.`)
    expect(receiver.challenges).toEqual([])
  })

  test('can reach from almost 24 hours to 11 minutes ago', async () => {
    await allEnded()
    const whole = await ask(DAY_MS - 2 * MINUTE_MS, 11 * MINUTE_MS)
    expect(whole.status, whole.text).toBe(200)
    await allEnded()
    const short = await ask(32 * MINUTE_MS, 31 * MINUTE_MS)
    expect(short.status, short.text).toBe(200)
  })
})

test('a job whose deliveries are given up ends as incomplete, and its own deliveries are not replayed again', async () => {
  await allEnded()
  await server.post('/2/posts/search/stream/rules', { add: [{ value: '#again' }] })
  await server.request('POST', `/2/posts/search/webhooks/${webhookId}`, {})
  receiver.answerDeliveriesWith((response) => response.writeHead(200).end())
  receiver.deliveries.length = 0
  await server.post('/2/posts', { text: '#again' }, { user: 'bob' })
  await receiver.received(1)
  await server.command('clock', { advance_ms: 45 * 60_000 })
  const period = () => {
    const now = server.runtime.clock.now()
    return { webhook_id: webhookId, from_date: minute(now - 120 * 60_000), to_date: minute(now - 15 * 60_000) }
  }
  receiver.deliveries.length = 0
  receiver.answerDeliveriesWith((response, { body }) => response.writeHead(body.replay_job_status ? 200 : 500).end())
  expect((await server.post(REPLAY, period())).status).toBe(200)
  for (const [count, waitMs] of [
    [1, 3_500],
    [2, 30_500],
    [3, 300_500],
  ] as const) {
    await receiver.received(count)
    await until(async () => {
      const [row] = await rows(server, `select attempts from webhook_delivery order by id desc limit 1`)
      return row.attempts === count
    })
    await server.command('clock', { advance_ms: waitMs })
  }
  await receiver.received(5)
  expect(receiver.deliveries[4]!.body.replay_job_status).toMatchObject({
    webhook_id: webhookId,
    job_state: 'Incomplete',
    job_state_description: 'Job failed to deliver all events, please retry your replay job',
  })
  await allEnded()
  receiver.deliveries.length = 0
  receiver.answerDeliveriesWith((response) => response.writeHead(200).end())
  const second = await server.post(REPLAY, period())
  expect(second.status, second.text).toBe(200)
  await receiver.received(2)
  expect(receiver.deliveries.map(({ body }) => Object.keys(body)[0])).toEqual(['data', 'replay_job_status'])
})

/** Waits until the newest status message meets the condition. */
async function statusReaches(condition: string): Promise<void> {
  await until(async () => {
    const [row] = await rows(
      server,
      `select ${condition} as reached from webhook_delivery where kind = 'replay-status' order by id desc limit 1`,
    )
    return row.reached as boolean
  })
}

/** Waits until no job runs. */
async function allEnded(): Promise<void> {
  await until(async () => {
    const [row] = await rows(server, `select count(*)::int as count from webhook_replay where state = 'running'`)
    return row.count === 0
  })
}
