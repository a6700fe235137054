import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { timeOfId } from '../../src/process/ids.ts'
import { type AdsScene, createAdsScene } from '../ads/ads-scene.ts'
import { accessToken, DAY, HOUR, makePost, rows } from '../social/acting.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { type LinkedWebhook, linkWebhook } from '../webhooks/linked-webhook.ts'

let server: TestServer
let scene: AdsScene
let hook: LinkedWebhook
beforeAll(async () => {
  server = await startTestServer(['--private-webhooks', 'on'], { events: true })
  scene = await createAdsScene(server, 'production')
  const send = (method: string, path: string, json?: unknown) => server.request(method, path, { json })
  hook = await linkWebhook(send, server.credentials.apps[0]!.api_key_secret, 'papaya')
})
afterAll(async () => {
  await server.close()
  await hook.close()
})
afterEach(() => server.command('clock', { reset: true }))

const MINUTE = 60_000
const clock = (args: object = {}) => server.command('clock', args as Record<string, unknown>)
const healthTime = async () => (await server.get('/health', 'nobody')).body.time as string
const iso = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`
const deliveries = async () =>
  (await server.get('/_rostra/deliveries?limit=5', { bearer: server.credentials.admin_key })).body.deliveries

describe('the clock', () => {
  test('is shown without arguments, and runs like real time at first', async () => {
    const shown = await clock()
    expect(shown).toEqual({ now: expect.any(String), offset_ms: 0, frozen: false })
    expect(Math.abs(Date.parse(shown.now) - Date.now())).toBeLessThan(5_000)
  })

  test.each([
    ['500ms', 500],
    ['90s', 90_000],
    ['1.5h', 1.5 * HOUR],
    ['1d12h', 1.5 * DAY],
  ])('is advanced by %s', async (advance, ms) => {
    expect(await clock({ advance })).toMatchObject({ offset_ms: ms, frozen: false })
  })

  test('is set to a moment in the future or the past, and runs on from there', async () => {
    const { now } = await clock({ set: '2030-01-01T12:00:00Z' })
    expect(now).toMatch(/^2030-01-01T12:00:0/)
    expect((await clock({ set: '2020-02-29' })).now).toMatch(/^2020-02-29T00:00:0/)
    expect((await clock({ set: '2030-01-01T12:00+02:00' })).now).toMatch(/^2030-01-01T10:00:0/)
    await expect.poll(healthTime).not.toBe(now)
    expect(await clock({ reset: true })).toMatchObject({ offset_ms: 0, frozen: false })
  })

  test.each<[string, object, string]>([
    ['advance', { advance: '2 hours' }, 'such as [500ms], [90s], [15m], [2h], [1d] or [1d12h]'],
    ['advance', { advance: '11000d' }, 'is not a duration of at most ten years'],
    ['advance', { advance: '-2h' }, 'is not a duration'],
    ['advance', { advance: '1h', advance_ms: 5 }, 'advance cannot be used together with advance_ms'],
    ['advance_ms', { advance_ms: -1 }, 'advance_ms'],
    ['set', { set: 'tomorrow' }, 'is not a moment from 2011-01-01 to 2080-01-01'],
    ['set', { set: '2009-01-01' }, 'is not a moment from 2011-01-01 to 2080-01-01'],
    ['set', { set: '2030-02-31T00:00:00Z', advance: '1h' }, 'set'],
    ['resume', { freeze: true, resume: true }, 'resume cannot be used together with freeze'],
    ['freeze', { freeze: 'yes' }, 'freeze'],
    ['speed', { speed: 2 }, 'speed'],
  ])('refuses a wrong %s and does not move: %o', async (parameter, args, words) => {
    const answer = await server.tryCommand('clock', args)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain(words)
    expect(answer.text).toContain(parameter)
    expect(await clock()).toMatchObject({ offset_ms: 0, frozen: false })
  })

  test('cannot be moved beyond the last id', async () => {
    await clock({ set: '2079-12-31T00:00:00Z' })
    const answer = await server.tryCommand('clock', { advance: '2d' })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('leads beyond 2080-01-01')
  })

  test('adds up moves that are made at the same moment', async () => {
    await Promise.all(Array.from({ length: 4 }, () => clock({ advance: '1h' })))
    expect((await clock()).offset_ms).toBe(4 * HOUR)
  })

  test('moves by exactly what was asked for, however slow the machine is', async () => {
    const begun = Date.now()
    let readings = 0
    // Every reading of the time is a millisecond after the one before.
    const slow = vi.spyOn(Date, 'now').mockImplementation(() => begun + ++readings)
    try {
      expect((await clock({ advance: '1h' })).offset_ms).toBe(HOUR)
      expect((await clock({ advance: '1h' })).offset_ms).toBe(2 * HOUR)
    } finally {
      slow.mockRestore()
    }
  })
})

describe('a frozen clock', () => {
  test('stands at a whole second until it is resumed, and then goes on from there', async () => {
    const frozen = await clock({ freeze: true })
    expect(frozen).toMatchObject({ frozen: true, now: expect.stringMatching(/\.000Z$/) })
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(await healthTime()).toBe(frozen.now)
    expect((await clock({ advance: '1m' })).now).toBe(new Date(Date.parse(frozen.now) + MINUTE).toISOString())
    expect((await clock()).frozen).toBe(true)
    const resumed = await clock({ resume: true })
    expect(resumed.frozen).toBe(false)
    expect(Date.parse(resumed.now) - Date.parse(frozen.now)).toBeGreaterThanOrEqual(MINUTE)
    await expect.poll(healthTime).not.toBe(resumed.now)
  })

  test('gives everything its moment, with ids in the order of creation', async () => {
    await clock({ set: '2031-05-06T07:08:09Z', freeze: true })
    const ids: string[] = []
    for (let count = 0; count < 12; count++) ids.push(await makePost(server, 'alice', { text: `Still ${count}` }))
    const read = await server.get(`/2/posts?ids=${ids.join()}&post.fields=created_at`)
    const times = read.body.data.map((post: { created_at: string }) => post.created_at)
    expect(new Set(times)).toEqual(new Set(['2031-05-06T07:08:09.000Z']))
    expect(ids.toSorted((left, right) => (BigInt(left) < BigInt(right) ? -1 : 1))).toEqual(ids)
    const timeline = await server.get(`/2/users/${server.userId('alice')}/posts?max_results=12`)
    expect(timeline.body.data.map((post: { id: string }) => post.id)).toEqual(ids.toReversed())
  })

  test('can be frozen at the same moment again without repeating an id', async () => {
    const made = new Set<string>()
    for (let visit = 0; visit < 3; visit++) {
      await clock({ set: '2032-01-01T00:00:00Z', freeze: true })
      for (let count = 0; count < 30; count++) made.add(server.runtime.ids.next())
      await clock({ resume: true })
    }
    expect(made.size).toBe(90)
    for (const id of made) expect(new Date(timeOfId(id)).toISOString()).toMatch(/^2032-01-01T00:00:00/)
  })
})

describe('before a move of the clock returns', () => {
  test('scheduled posts are published in their order, each at its time', async () => {
    const start = Math.ceil(Date.now() / MINUTE) * MINUTE
    const wanted = [3 * HOUR, HOUR, 2 * HOUR].map((after) => iso(start + after))
    const made = await Promise.all(
      wanted.map((scheduled_at, index) =>
        scene.made('scheduled_posts', { text: `Due papaya ${index}`, scheduled_at, nullcast: false }),
      ),
    )
    await clock({ advance: '5h' })
    const read = await Promise.all(made.map(async ({ id }) => (await scene.get(`scheduled_posts/${id}`)).body.data))
    expect(read.map((post) => post.scheduled_status)).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS'])
    const posts = await server.get(`/2/posts?ids=${read.map((post) => post.post_id).join()}&post.fields=created_at`)
    const created = posts.body.data.map((post: { created_at: string }) => post.created_at)
    expect(created.map((time: string) => `${time.slice(0, 17)}00Z`)).toEqual(wanted)
    const texts = hook.deliveries.map(({ body }) => (body as { data?: { text: string } }).data?.text).filter(Boolean)
    expect(texts).toEqual(['Due papaya 1', 'Due papaya 2', 'Due papaya 0'])
  })

  test('a delivery that fails is tried again after 3 s, 30 s and 5 min, and given up', async () => {
    const before = hook.deliveries.length
    hook.answerDeliveriesWith((response) => response.writeHead(500).end())
    await clock({ freeze: true })
    await makePost(server, 'bob', { text: 'A papaya that nobody takes' })
    await clock({ advance: '1s' })
    expect(await deliveries()).toEqual(
      expect.arrayContaining([expect.objectContaining({ state: 'pending', attempts: 1 })]),
    )
    await clock({ advance: '10m' })
    hook.answerDeliveriesWith((response) => response.writeHead(200).end())
    const [item] = await deliveries()
    expect(item).toMatchObject({ state: 'given_up', attempts: 4 })
    const times = item.record.map((entry: { at: string }) => Date.parse(entry.at))
    expect(times.map((at: number) => at - times[0])).toEqual([0, 3_000, 33_000, 333_000])
    expect(hook.deliveries.length - before).toBe(4)
  })

  test('polls are closed and tokens have ended', async () => {
    const id = await makePost(server, 'alice', { text: 'Which?', poll: { options: ['a', 'b'], duration_minutes: 30 } })
    const status = async () =>
      (await server.get(`/2/posts/${id}?expansions=attachments.poll_ids&poll.fields=voting_status`)).body.includes
        .polls[0].voting_status
    expect(await status()).toBe('open')
    const token = await accessToken(server, 'alice', ['post.read', 'users.read'])
    expect((await server.get('/2/users/me', { bearer: token })).status).toBe(200)
    await clock({ advance: '31m' })
    expect(await status()).toBe('closed')
    await clock({ advance: '2h' })
    expect((await server.get('/2/users/me', { bearer: token })).status).toBe(401)
  })

  test('trends are made, and what has expired is removed', async () => {
    const past = new Date(Date.now() + DAY)
    const session = `insert into web_session (token_hash, user_id, expires_at) values ('\\x01', $1, $2)`
    await rows(server, session, [server.userId('alice'), past])
    const [before] = await rows(server, 'select trends_made_at from topic_state')
    await clock({ advance: '32d' })
    const [after] = await rows(server, 'select trends_made_at from topic_state')
    expect(after.trends_made_at.getTime()).toBeGreaterThan((before?.trends_made_at?.getTime() ?? 0) + 31 * DAY)
    expect(await rows(server, 'select from web_session where expires_at <= $1', [past])).toEqual([])
  })

  test('a webhook whose receiver has been gone for a day is not valid any more', async () => {
    await clock({ advance: '1s' })
    await hook.close()
    await clock({ advance: '30h' })
    const { body } = await server.get('/2/webhooks')
    expect(body.data.map((item: { valid: boolean }) => item.valid)).toEqual([false])
  })
})
