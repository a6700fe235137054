import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { challengeAnswer } from '../../src/webhooks/challenge.ts'
import type { As, TestServer } from '../support/server.ts'
import { answersCorrectly, correctAnswer, type Receiver, repliesWith, startReceiver } from './receiver.ts'
import { startServerWithReceiver } from './server-with-receiver.ts'

let server: TestServer
let receiver: Receiver
let close: () => Promise<void>
let secret: string
beforeAll(async () => {
  ;({ server, receiver, secret, close } = await startServerWithReceiver())
})
afterAll(() => close())
afterEach(async () => {
  receiver.answerChallengesWith(answersCorrectly(secret))
  receiver.challenges.length = 0
  await server.runtime.database.pool.query('delete from webhook')
})

const create = (url: unknown, as: As = 'app') => server.post('/2/webhooks', { url }, as)
const list = async (as: As = 'app') => (await server.get('/2/webhooks', as)).body
const validate = (id: string, as: As = 'app') => server.put(`/2/webhooks/${id}`, undefined, as)

/** The message of a 400 about the url, whose shape is checked. */
function faultOf(answer: { status: number; body: unknown }, url: string): string {
  expect(answer.status).toBe(400)
  const body = answer.body as { errors: { message: string }[] }
  expect(body).toEqual({
    errors: [{ parameters: { url: [url] }, message: expect.any(String) }],
    title: 'Invalid Request',
    detail: 'One or more parameters to your request was invalid.',
    type: `${server.runtime.problemBase}/invalid-request`,
  })
  return body.errors[0]!.message
}

test('the token of a challenge is signed as the reference says', () => {
  const expected = 'sha256=S/mG8E9n5SjoGuCqHguvP8K8uuu5ogCPF0dOpIdyZlk='
  expect(challengeAnswer('consumer-secret', 'challenge_string')).toBe(expected)
  expect(correctAnswer('consumer-secret', 'challenge_string')).toBe(JSON.stringify({ response_token: expected }))
})

describe('creating a webhook', () => {
  test('answers 200 with four members at the top level after one challenge', async () => {
    const made = await create(receiver.url())
    expect(made.status).toBe(200)
    expect(made.body).toEqual({
      id: expect.stringMatching(/^[0-9]{1,19}$/),
      url: receiver.url(),
      valid: true,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
    })
    expect(receiver.challenges).toEqual([expect.stringMatching(/^GET \/hook\?crc_token=[\w-]{20,}$/)])
  })

  test('appends the token to an existing query, with a new token each time', async () => {
    await create(receiver.url('/hook?from=us'))
    await create(receiver.url('/hook?from=them'))
    expect(receiver.challenges[0]).toMatch(/^GET \/hook\?from=us&crc_token=/)
    const tokens = receiver.challenges.map((line) => line.split('crc_token=')[1])
    expect(new Set(tokens).size).toBe(2)
  })

  test('accepts OAuth 1.0a credentials of a user and the app token', async () => {
    const made = await create(receiver.url(), { user: 'bob' })
    expect(made.status).toBe(200)
    expect((await list()).data).toEqual([made.body])
  })

  test('is refused without credentials', async () => {
    expect((await create(receiver.url(), 'nobody')).status).toBe(401)
    expect(receiver.challenges).toEqual([])
  })

  test.each([
    ['a wrong token', repliesWith(200, '{"response_token":"sha256=AAAA"}'), 'the response_token is not the HMAC'],
    ['the token of another secret', answersCorrectly('another secret'), 'the response_token is not the HMAC'],
    ['a token that is not a string', repliesWith(200, '{"response_token":5}'), 'has no response_token'],
    ['JSON without a token', repliesWith(200, '{}'), 'has no response_token'],
    ['JSON null', repliesWith(200, 'null'), 'has no response_token'],
    ['HTML', repliesWith(200, '<html>'), 'is not JSON'],
    ['an empty body', repliesWith(200, ''), 'is not JSON'],
    ['HTTP 500', repliesWith(500, '{}'), 'was answered with HTTP 500'],
    ['HTTP 404', repliesWith(404, '{}'), 'was answered with HTTP 404'],
    ['a redirect', repliesWith(302, '', { location: 'https://example.com/' }), 'a redirect (HTTP 302)'],
    ['a body that is too large', repliesWith(200, 'x'.repeat(200_000)), 'the answer is larger than'],
  ])('is refused with the reason when the challenge is answered with %s', async (_name, reply, reason) => {
    receiver.answerChallengesWith(reply)
    const message = faultOf(await create(receiver.url()), receiver.url())
    expect(message).toMatch(/^CrcValidationFailed: /)
    expect(message).toContain(reason)
    expect(receiver.challenges).toHaveLength(1)
    expect(await list()).toEqual({ data: [], meta: { result_count: 0 } })
  })

  test('is refused with the reason when the connection fails or breaks', async () => {
    const gone = await startReceiver(repliesWith(200))
    await gone.close()
    expect(faultOf(await create(gone.url()), gone.url())).toMatch(/^CrcValidationFailed: .*ECONNREFUSED/)
    receiver.answerChallengesWith((response) => response.destroy())
    expect(faultOf(await create(receiver.url()), receiver.url())).toMatch(/^CrcValidationFailed: /)
    receiver.answerChallengesWith((response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"respon')
      setImmediate(() => response.destroy())
    })
    expect(faultOf(await create(receiver.url()), receiver.url())).toMatch(/^CrcValidationFailed: /)
  })

  test('does not follow a redirect', async () => {
    const other = await startReceiver(answersCorrectly(secret))
    receiver.answerChallengesWith(repliesWith(307, '', { location: other.url() }))
    expect((await create(receiver.url())).status).toBe(400)
    expect(other.challenges).toEqual([])
    await other.close()
  })

  test.each([
    ['that is not one', 'not an address', 'the url is not a valid URL.'],
    ['with another scheme', 'ftp://example.com/hook', 'the url must begin with https://.'],
    ['with a script', 'javascript:alert(1)', 'the url must begin with https://.'],
    ['with a password', 'http://me:secret@127.0.0.1/', 'the url cannot have a user name or password.'],
    ['with a user name', 'http://me@127.0.0.1/', 'the url cannot have a user name or password.'],
    ['with only a password', 'http://:secret@127.0.0.1/', 'the url cannot have a user name or password.'],
    ['with a fragment', 'http://127.0.0.1/#here', 'the url cannot have a fragment.'],
  ])('is refused for a url %s, without a call', async (_name, url, sentence) => {
    expect(faultOf(await create(url), url)).toBe(`UrlValidationFailed: ${sentence}`)
  })

  test.each([
    ['an empty url', { url: '' }, '$.url'],
    ['a url of 201 characters', { url: `http://127.0.0.1/${'a'.repeat(184)}` }, '$.url'],
    ['a url that is a number', { url: 5 }, '$.url'],
    ['no url', {}, '$.url'],
    ['an unknown member', { url: 'http://127.0.0.1/', name: 'x' }, '$.name'],
  ])('is refused for a body with %s', async (_name, body, where) => {
    const answer = await server.post('/2/webhooks', body)
    expect(answer.status).toBe(400)
    expect(Object.keys(answer.body.errors[0].parameters)).toEqual([where])
  })

  test('accepts a url of 200 characters', async () => {
    const url = receiver.url('/').padEnd(200, 'u')
    expect((await create(url)).body.url).toBe(url)
  })

  test('is refused for a url that the app already has, before another challenge', async () => {
    await create(receiver.url())
    expect(faultOf(await create(receiver.url()), receiver.url())).toBe(
      'DuplicateUrlFailed: the app already has a webhook with this url.',
    )
    expect(receiver.challenges).toHaveLength(1)
  })

  test('succeeds once for five equal requests at the same moment', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => create(receiver.url())))
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400, 400, 400, 400])
    expect((await list()).meta.result_count).toBe(1)
  })
})

describe('the number of webhooks', () => {
  let bearer: string
  beforeAll(async () => {
    const app = await server.command('app.create', { name: 'Small app', owner: 'bob', tier: 'self-serve' })
    bearer = app.bearer_token
    smallSecret = app.api_key_secret
  })
  let smallSecret: string

  test('is one on the self-serve tier', async () => {
    receiver.answerChallengesWith(answersCorrectly(smallSecret))
    expect((await create(receiver.url('/one'), { bearer })).status).toBe(200)
    const url = receiver.url('/two')
    expect(faultOf(await create(url, { bearer }), url)).toBe(
      'WebhookLimitExceeded: the tier self-serve includes 1 webhooks.',
    )
    expect(receiver.challenges).toHaveLength(1)
    const [{ id }] = (await list({ bearer })).data
    await server.delete(`/2/webhooks/${id}`, { bearer })
    expect((await create(url, { bearer })).status).toBe(200)
  })

  test('is not exceeded by concurrent requests', async () => {
    receiver.answerChallengesWith(answersCorrectly(smallSecret))
    const answers = await Promise.all([1, 2, 3, 4].map((one) => create(receiver.url(`/${one}`), { bearer })))
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400, 400, 400])
    expect((await list({ bearer })).meta.result_count).toBe(1)
  })

  test('is at least five on the enterprise tier', async () => {
    for (const path of ['/1', '/2', '/3', '/4', '/5']) expect((await create(receiver.url(path))).status).toBe(200)
    expect((await list()).meta).toEqual({ result_count: 5 })
  })

  test('counts all apps of a developer account together', async () => {
    expect((await create(receiver.url('/first'))).status).toBe(200)
    receiver.answerChallengesWith(answersCorrectly(server.credentials.apps[1]!.api_key_secret))
    const url = receiver.url('/second')
    expect(faultOf(await create(url, 'second-app'), url)).toMatch(/^WebhookLimitExceeded: /)
  })
})

describe('the list of webhooks', () => {
  test('is empty at first and still has data and meta', async () => {
    const answer = await server.get('/2/webhooks')
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ data: [], meta: { result_count: 0 } })
  })

  test('has only the webhooks of the app, in the order of creation', async () => {
    const made = [(await create(receiver.url('/a'))).body, (await create(receiver.url('/b'))).body]
    expect(await list()).toEqual({ data: made, meta: { result_count: 2 } })
    expect(await list('second-app')).toEqual({ data: [], meta: { result_count: 0 } })
  })

  test('is for apps, not for users', async () => {
    const answer = await server.get('/2/webhooks', { user: 'alice' })
    expect(answer.status).toBe(403)
    expect(answer.body.type).toBe(`${server.runtime.problemBase}/unsupported-authentication`)
  })
})

describe('a webhook that does not exist or belongs to another app', () => {
  const missing = (id: string) => ({
    detail: `WebhookIdInvalid: the app has no webhook [${id}].`,
    title: 'Not Found',
    type: 'about:blank',
    status: 404,
  })

  test('cannot be validated or deleted', async () => {
    const { id } = (await create(receiver.url())).body
    for (const [unknown, as] of [
      ['1', 'app'],
      ['9999999999999999999', 'app'],
      [id, 'second-app'],
    ] as const) {
      for (const answer of [await validate(unknown, as), await server.delete(`/2/webhooks/${unknown}`, as)]) {
        expect(answer.status).toBe(404)
        expect(answer.body).toEqual(missing(unknown))
      }
    }
    expect((await list()).meta.result_count).toBe(1)
    expect(receiver.challenges).toHaveLength(1)
  })
})

describe('deleting a webhook', () => {
  test('removes it, and it can be created again', async () => {
    const { id } = (await create(receiver.url())).body
    const answer = await server.delete(`/2/webhooks/${id}`)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ data: { deleted: true } })
    expect(await list()).toEqual({ data: [], meta: { result_count: 0 } })
    expect((await validate(id)).status).toBe(404)
    expect((await server.delete(`/2/webhooks/${id}`)).status).toBe(404)
    const again = await create(receiver.url())
    expect(again.status).toBe(200)
    expect(again.body.id).not.toBe(id)
  })
})
