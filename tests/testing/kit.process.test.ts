import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Credentials as ServerCredentials } from '../../src/process/credentials.ts'
import type { Credentials, StartedRostra } from '../../src/testing/types.ts'
import { buildProgram } from '../support/child-server.ts'
import { processesOn } from '../support/processes.ts'
import { openStream } from '../support/read-stream.ts'
import { answersCorrectly, startReceiver } from '../webhooks/receiver.ts'

// The built kit, as users import it. The sources would start the same server.
buildProgram()
const dist = path.resolve(import.meta.dirname, '../../dist/testing')
const { connect, RostraError, RostraTimeoutError, startRostra } = (await import(
  path.join(dist, 'testing.js')
)) as typeof import('../../src/testing/testing.ts')

// Compiles only while what the server writes is what the kit promises.
const isAsPromised: ServerCredentials extends Credentials ? true : never = true

let rostra: StartedRostra
beforeAll(async () => {
  rostra = await startRostra({ world: 'first', rateLimits: false })
})
afterAll(() => rostra?.stop())
beforeEach(() => rostra.reset())

const me = (header: string) => fetch(`${rostra.url}/2/users/me`, { headers: { authorization: header } })

describe('users and apps', () => {
  test('a user of the first world signs requests', async () => {
    const alice = rostra.user('alice')
    const answer = await me(alice.authorization('GET', `${rostra.url}/2/users/me`))
    expect(await answer.json()).toMatchObject({ data: { id: alice.id, username: 'alice' } })
  })

  test('a user gets OAuth 2.0 tokens with the scopes that a test names', async () => {
    const token = await rostra.user('alice').oauth2(['post.read', 'users.read', 'offline.access'])
    expect(token).toMatchObject({
      accessToken: expect.any(String),
      refreshToken: expect.any(String),
      scopes: expect.arrayContaining(['post.read', 'users.read']),
    })
    expect((await me(`Bearer ${token.accessToken}`)).status).toBe(200)
    const second = await rostra.user('@alice').oauth2(['users.read', 'post.read'], { app: 'Second app' })
    expect((await me(`Bearer ${second.accessToken}`)).status).toBe(200)
  })

  test('new users and apps act until the next reset', async () => {
    const carol = await rostra.createUser({ username: 'carol' })
    const app = await rostra.createApp({ name: 'A new app' })
    const pair = await carol.oauth1({ app: app.name, accessLevel: 'read' })
    expect(pair.accessToken).toContain(carol.id)
    const answer = await me(carol.authorization('GET', `${rostra.url}/2/users/me`))
    expect(await answer.json()).toMatchObject({ data: { username: 'carol' } })
    expect(rostra.user('carol')).toBe(carol)
    await rostra.reset()
    expect(() => rostra.user('carol')).toThrow(/no user/)
  })

  test('an unknown user is an error that lists the known ones', () => {
    expect(() => rostra.user('nobody')).toThrow(/no user "nobody". Known are alice, bob/)
    expect(() => rostra.app('No app')).toThrow(/no app "No app". Known are First app, Second app/)
  })

  test('the variables hold what a program needs', () => {
    expect(isAsPromised).toBe(true)
    expect(rostra.env).toMatchObject({
      ROSTRA_URL: rostra.url,
      ROSTRA_BEARER_TOKEN: rostra.app().bearerToken,
      ROSTRA_ACCESS_TOKEN: rostra.user('alice').accessToken,
    })
  })
})

describe('state', () => {
  test('the clock moves by milliseconds and by words, and a reset sets it back', async () => {
    const before = await rostra.clock.now()
    const after = await rostra.clock.advance('2h')
    expect(after.getTime() - before.getTime()).toBeGreaterThanOrEqual(7_200_000)
    await rostra.reset()
    expect((await rostra.clock.now()).getTime()).toBeLessThan(after.getTime())
    await expect(async () => rostra.clock.advance('soon')).rejects.toThrow(/"soon" is not a duration/)
  })

  test('the clock is set, frozen and resumed', async () => {
    await rostra.clock.set('2040-01-01T00:00:00Z')
    const frozen = await rostra.clock.freeze()
    expect(frozen.getUTCFullYear()).toBe(2040)
    expect(await rostra.clock.now()).toEqual(frozen)
    expect(await rostra.clock.advance('1d')).toEqual(new Date(frozen.getTime() + 86_400_000))
    await rostra.clock.resume()
    expect((await rostra.clock.reset()).getUTCFullYear()).toBeLessThan(2040)
  })

  test('a snapshot brings back what there was, with its users', async () => {
    await rostra.createUser({ username: 'carol' })
    const saved = await rostra.snapshot('with-carol')
    expect(saved).toMatchObject({ name: 'with-carol', createdAt: expect.any(Date) })
    await rostra.reset()
    await expect(rostra.command('user.token', { user: 'carol' })).rejects.toThrow(/carol/)
    await rostra.restore('with-carol')
    expect(await rostra.command('user.token', { user: 'carol' })).toMatchObject({ username: 'carol' })
    expect((await rostra.snapshots.list()).map((item) => item.name)).toContain('with-carol')
    await rostra.snapshots.delete('with-carol')
    await expect(rostra.restore('with-carol')).rejects.toThrow(/with-carol/)
  })

  test('a refused command throws the sentence of the server', async () => {
    const refused = rostra.command('user.create', { username: 'alice' })
    await expect(refused).rejects.toThrow('The username alice is taken.')
    await expect(refused).rejects.toBeInstanceOf(RostraError)
    await expect(refused).rejects.toMatchObject({ status: 400 })
    await expect(rostra.command('no.such')).rejects.toThrow(/There is no command with this name/)
  })
})

describe('world files', () => {
  const world = {
    users: [{ username: 'zoe', tokens: [{ app: 'First app' }] }],
    posts: [{ author: 'zoe', text: 'Mine' }],
  }

  test('are applied as objects, and their users are known until the reset', async () => {
    expect(await rostra.applyWorld(world, { dryRun: true })).toMatchObject({ created: { user: 1 } })
    expect(() => rostra.user('zoe')).toThrow(/no user/)
    expect(await rostra.applyWorld(world)).toMatchObject({ created: { user: 1, post: 1 } })
    expect(rostra.user('zoe').id).toMatch(/^\d+$/)
    await rostra.reset()
    expect(() => rostra.user('zoe')).toThrow(/no user/)
    await expect(rostra.applyWorld({ people: [] })).rejects.toThrow(/people/)
  })
})

describe('faults', () => {
  test('hit as often as they say, are listed, and end with a reset', async () => {
    const address = `${rostra.url}/2/users/1`
    const ask = async () => (await fetch(address, { headers: { authorization: 'Bearer none' } })).status
    const fault = await rostra.fault({ match: 'GET /2/users/*', times: 1, status: 503 })
    expect(await rostra.faults.list()).toMatchObject([{ id: fault.id }])
    expect([await ask(), await ask()]).toEqual([503, 401])
    expect(await rostra.requests({ status: 503 })).toMatchObject([{ fault: expect.anything() }])
    await rostra.fault({ match: '/2/users/*', delay: '1s' })
    expect(await rostra.faults.clear()).toBeGreaterThanOrEqual(1)
    await rostra.fault({ match: '* /2/users/*', named: 'over-capacity' })
    await rostra.reset()
    expect([await ask(), await rostra.faults.list()]).toEqual([401, []])
    await expect(rostra.fault({ match: 'GET /2/users/*', status: 299 })).rejects.toThrow(/status/)
    expect(await rostra.streams.drop()).toBe(0)
  })
})

describe('requests', () => {
  test('are those since the last reset, without the calls of the kit', async () => {
    const header = `Bearer ${rostra.app().bearerToken}`
    await me(header)
    await rostra.reset()
    expect(await rostra.requests()).toEqual([])
    await fetch(`${rostra.url}/2/users/by/username/alice?user.fields=name`, { headers: { authorization: header } })
    const [found, ...others] = await rostra.requests({ path: '/2/users/by/username/alice', method: 'get' })
    expect(others).toEqual([])
    expect(found).toMatchObject({ status: 200, app: 'First app', operation: 'getUsersByUsername' })
    expect(await rostra.requests({ refused: true })).toEqual([])
  })

  test('are waited for, each is returned once, and a timeout says what came instead', async () => {
    const header = `Bearer ${rostra.app().bearerToken}`
    const waiting = rostra.waitForRequest({ path: /^\/2\/users\// })
    await fetch(`${rostra.url}/2/users/1`, { headers: { authorization: header } })
    await expect(waiting).resolves.toMatchObject({ path: '/2/users/1' })
    const again = rostra.waitForRequest((item) => item.path === '/2/users/1', { timeout: 50 })
    await expect(again).rejects.toThrow(/No request that matches within 50 ms[\s\S]*GET \/2\/users\/1/)
    await expect(again).rejects.toBeInstanceOf(RostraTimeoutError)
  })
})

describe('deliveries', () => {
  /** A receiver of what alice posts, as a world file describes it. */
  const receivePosts = async () => {
    const receiver = await startReceiver(answersCorrectly(rostra.app().apiKeySecret))
    await rostra.applyWorld({
      webhooks: [{ key: 'hook', app: 'First app', url: receiver.url() }],
      activity_subscriptions: [{ app: 'First app', event_type: 'post.create', user: 'alice', webhook: 'hook' }],
    })
    return receiver
  }

  test('are waited for until the receiver has them', async () => {
    const receiver = await receivePosts()
    try {
      const triggered = await rostra.trigger('post.create', { user: 'alice', text: 'hello, kit' })
      const delivery = await rostra.waitForDelivery((item) => item.eventType === 'post.create')
      expect(delivery).toMatchObject({ state: 'delivered', url: receiver.url(), sequence: triggered.sequence })
      expect(delivery.attempts).toMatchObject([{ status: 200 }])
      expect(receiver.deliveries.map((item) => item.body)).toEqual([delivery.body])
      expect(await rostra.deliveries({ eventType: 'post.create' })).toHaveLength(1)
      const another = rostra.waitForDelivery({ eventType: 'post.create' }, { timeout: '50ms' })
      await expect(another).rejects.toThrow(/post\.create delivered, last answer 200/)
    } finally {
      await receiver.close()
    }
  })

  test('fail on purpose, and are tried again when the clock moves', async () => {
    const receiver = await receivePosts()
    try {
      await rostra.failNextDelivery({ status: 503 })
      await rostra.trigger('post.create', { user: 'alice' })
      await expect.poll(() => rostra.deliveries()).toMatchObject([{ state: 'pending', attempts: [{ status: 503 }] }])
      expect(receiver.deliveries).toEqual([])
      await rostra.clock.advance('1m')
      const { attempts } = await rostra.waitForDelivery({ eventType: 'post.create' })
      expect(attempts).toMatchObject([{ status: 503 }, { status: 200 }])
      expect(receiver.deliveries).toHaveLength(1)
    } finally {
      await receiver.close()
    }
  })
})

describe('streams', () => {
  test('stall, go on, and end as the test says', async () => {
    await rostra.applyWorld({ rules: [{ app: 'First app', value: 'kettle' }] })
    const { credentials, url: baseUrl } = rostra
    const open = () =>
      openStream({ baseUrl, credentials } as Parameters<typeof openStream>[0], '/2/posts/search/stream')
    const write = (text: string) => rostra.trigger('post.create', { text })
    const first = await open()
    expect(await rostra.streams.stall({ endpoint: 'filtered_stream' })).toBe(1)
    await write('kettle one')
    expect(await rostra.streams.resume()).toBe(1)
    expect(await first.next()).toMatchObject({ data: { text: 'kettle one' } })
    expect(await rostra.streams.disconnect('SlowReader', { app: 'Second app' })).toBe(0)
    expect(await rostra.streams.disconnect('SlowReader')).toBe(1)
    expect(await first.next()).toMatchObject({ errors: [{ disconnect_type: 'SlowReader' }] })
    expect(await first.next()).toBeUndefined()
    const second = await open()
    expect(await rostra.streams.drop()).toBe(1)
    expect(await second.next()).toBeUndefined()
  })
})

describe('the samples of the pages', () => {
  test.each(['README.md', 'docs/testing.md'])('of %s run as they are', async (page) => {
    const text = readFileSync(path.resolve(import.meta.dirname, '../..', page), 'utf8')
    const sample = /```js\n(import [\s\S]*?startRostra\([\s\S]*?)```/.exec(text)![1]!
    const [imports, body] = [sample.match(/^import .*$/gm)!, sample.replace(/^import .*$/gm, '')]
    expect(imports).toContain("import { startRostra } from 'rostra/testing'")
    const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor
    // On the server of this file: a second one takes seconds. The port of the page may be taken.
    const start = async () => ({ ...rostra, stop: async () => {} })
    await new AsyncFunction(
      'startRostra',
      'createServer',
      body.replaceAll('4000', String(34_000 + (process.pid % 900))),
    )(start, createServer)
  })
})

describe('a running server', () => {
  test('is controlled through its data folder', async () => {
    const other = await connect({ dataDir: rostra.dataDir })
    expect(other.credentials).toEqual(rostra.credentials)
    await other.stop()
    expect(await rostra.clock.now()).toBeInstanceOf(Date)
  })

  test('is controlled through its address and admin key', async () => {
    const other = await connect({ url: `${rostra.url}/`, adminKey: rostra.credentials.admin_key })
    expect(other.credentials).toEqual(rostra.credentials)
    await expect(connect({ url: rostra.url, adminKey: 'wrong' })).rejects.toThrow(/requires the admin key/)
  })

  test('that is not there is an error that says so', async () => {
    await expect(connect({ dataDir: path.join(rostra.dataDir, 'none') })).rejects.toThrow(/No server is running on/)
    await expect(connect({ url: 'http://127.0.0.1:9', adminKey: 'x' })).rejects.toThrow(/does not answer/)
  })
})

describe('start and stop', () => {
  test('a server that cannot start rejects with its own words', async () => {
    const taken = Number(new URL(rostra.url).port)
    await expect(startRostra({ port: taken })).rejects.toThrow(/Port \d+ is taken by another program/)
    await expect(startRostra({ flags: ['--colour', 'red'] })).rejects.toThrow(/--colour/)
  })

  test('a stop leaves no process and no folder', async () => {
    const { dataDir } = rostra
    expect(processesOn(dataDir).length).toBeGreaterThan(0)
    await rostra.stop()
    expect(processesOn(dataDir)).toEqual([])
    expect(existsSync(dataDir)).toBe(false)
    rostra = { reset: async () => {}, stop: async () => {} } as StartedRostra
  })
})

test.each(['rostra.js', 'testing.js', 'vitest-setup.js'])('loading %s loads none of the server', (entry) => {
  const loaded = [path.join(dist, entry)]
  const packages: string[] = []
  for (const file of loaded) {
    for (const [, name] of readFileSync(file, 'utf8').matchAll(/^(?:import|export|\}).*?["']([^"'\n]+)["'];$/gm)) {
      const found = path.join(path.dirname(file), name!)
      if (!name!.startsWith('.')) packages.push(name!)
      else if (!loaded.includes(found)) loaded.push(found)
    }
  }
  expect(loaded.length).toBeGreaterThan(1)
  expect(packages.filter((name) => !name.startsWith('node:'))).toEqual([])
  // The server has several megabytes.
  expect(loaded.reduce((sum, file) => sum + readFileSync(file).length, 0)).toBeLessThan(100_000)
})
