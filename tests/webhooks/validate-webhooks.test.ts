import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TestServer } from '../support/server.ts'
import { answersCorrectly, type Receiver, repliesWith } from './receiver.ts'
import { startServerWithReceiver } from './server-with-receiver.ts'

let server: TestServer
let receiver: Receiver
let close: () => Promise<void>
let secret: string
let id: string
beforeAll(async () => {
  ;({ server, receiver, secret, close } = await startServerWithReceiver())
})
afterAll(() => close())
beforeEach(async () => {
  await server.command('clock', { reset: true })
  await server.runtime.database.pool.query('delete from webhook')
  receiver.answerChallengesWith(answersCorrectly(secret))
  id = (await server.post('/2/webhooks', { url: receiver.url() })).body.id
  receiver.challenges.length = 0
})

const validate = async () => (await server.put(`/2/webhooks/${id}`, undefined)).body
const isValid = async () => (await server.get('/2/webhooks')).body.data[0].valid as boolean
const HOUR = 3600_000

const failed = (valid: boolean, reason: string) => ({
  data: { attempted: true, valid },
  errors: [{ title: 'CrcValidationFailed', type: 'about:blank', detail: `CrcValidationFailed: ${reason}.` }],
})

test('a validation runs the challenge now and answers with the result', async () => {
  const answer = await server.put(`/2/webhooks/${id}`, undefined, { user: 'bob' })
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({ data: { attempted: true, valid: true } })
  expect(receiver.challenges).toHaveLength(1)
})

describe('a webhook becomes invalid at once', () => {
  test.each([
    [
      'a wrong token',
      repliesWith(200, '{"response_token":"sha256=AAAA"}'),
      'the response_token is not the HMAC of the crc_token with the API key secret',
    ],
    ['text that is not JSON', repliesWith(200, 'hello'), 'the answer to the challenge is not JSON'],
    [
      'HTTP 300',
      repliesWith(300, '', { location: 'https://example.com/' }),
      'the challenge was answered with a redirect (HTTP 300)',
    ],
    [
      'a redirect',
      repliesWith(301, '', { location: 'https://example.com/' }),
      'the challenge was answered with a redirect (HTTP 301)',
    ],
  ])('when the receiver answers with %s, and valid again when a challenge passes', async (_name, reply, reason) => {
    receiver.answerChallengesWith(reply)
    expect(await validate()).toEqual(failed(false, reason))
    expect(await isValid()).toBe(false)
    receiver.answerChallengesWith(answersCorrectly(secret))
    expect(await validate()).toEqual({ data: { attempted: true, valid: true } })
    expect(await isValid()).toBe(true)
  })
})

test('a receiver without TLS behind an https address makes a webhook invalid at once', async () => {
  const url = receiver.url().replace('http:', 'https:')
  await server.runtime.database.pool.query('update webhook set url = $1', [url])
  const body = await validate()
  expect(body.data).toEqual({ attempted: true, valid: false })
  expect(body.errors[0].detail).toMatch(/^CrcValidationFailed: the challenge got no answer: /)
})

describe('a webhook stays valid for 28 hours since its last success', () => {
  test.each([
    ['HTTP 500', repliesWith(500), 'the challenge was answered with HTTP 500'],
    ['HTTP 404', repliesWith(404), 'the challenge was answered with HTTP 404'],
    ['HTTP 400', repliesWith(400), 'the challenge was answered with HTTP 400'],
    [
      'a closed connection',
      (response: { destroy(): unknown }) => void response.destroy(),
      'the challenge got no answer: the connection failed (ECONNRESET)',
    ],
  ])('when the receiver answers with %s', async (_name, reply, reason) => {
    receiver.answerChallengesWith(reply)
    expect(await validate()).toEqual(failed(true, reason))
    await server.command('clock', { advance_ms: 28 * HOUR - 60_000 })
    expect(await validate()).toEqual(failed(true, reason))
    expect(await isValid()).toBe(true)
    await server.command('clock', { advance_ms: 120_000 })
    expect(await validate()).toEqual(failed(false, reason))
    expect(await isValid()).toBe(false)
  })

  test('and a success in between starts the period again', async () => {
    await server.command('clock', { advance_ms: 20 * HOUR })
    expect(await validate()).toEqual({ data: { attempted: true, valid: true } })
    receiver.answerChallengesWith(repliesWith(503))
    await server.command('clock', { advance_ms: 20 * HOUR })
    expect((await validate()).data.valid).toBe(true)
  })

  test('and an inconclusive failure does not make an invalid webhook valid', async () => {
    receiver.answerChallengesWith(repliesWith(200, '{}'))
    await validate()
    receiver.answerChallengesWith(repliesWith(500))
    expect(await validate()).toEqual(failed(false, 'the challenge was answered with HTTP 500'))
  })
})

test('the challenge uses the current secret of the app', async () => {
  const { apps } = await server.command('app.list')
  const rotated = await server.command('app.rotate', { app: apps[0].id })
  const bearer = rotated.bearer_token ?? server.credentials.apps[0]!.bearer_token
  const old = await server.put(`/2/webhooks/${id}`, undefined, { bearer })
  expect(old.body.data).toEqual({ attempted: true, valid: false })
  receiver.answerChallengesWith(answersCorrectly(rotated.api_key_secret))
  const renewed = await server.put(`/2/webhooks/${id}`, undefined, { bearer })
  expect(renewed.body.data).toEqual({ attempted: true, valid: true })
})
