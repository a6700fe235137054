import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  buildProgram,
  type ChildServer,
  emptyDatabase,
  finish,
  removeFolder,
  rostraJson,
  runRostra,
  spawnRostra,
  startChildServer,
  temporaryFolder,
} from '../support/child-server.ts'
import { processesOn } from '../support/processes.ts'
import { sign } from '../support/sign.ts'
import { call, WHERE_CHANGED } from './call-main.ts'
import { inexactMetrics } from './seeded-world.ts'

let folder: string
let dataDir: string
let where: string[]
// biome-ignore lint/suspicious/noExplicitAny: results whose shape the tests assert.
const kept: Record<string, any> = {}

beforeAll(() => {
  buildProgram()
  folder = temporaryFolder()
  dataDir = path.join(folder, 'data')
  where = ['--data-dir', dataDir]
})
afterAll(() => removeFolder(folder))

const KEYS = {
  id: expect.stringMatching(/^\d+$/),
  api_key: expect.stringMatching(/^[A-Za-z0-9]{25}$/),
  api_key_secret: expect.stringMatching(/^[A-Za-z0-9]{50}$/),
  client_id: expect.any(String),
  client_secret: expect.stringMatching(/^\S{20,}$/),
}

/** The result of a command that must succeed, in this process: against a running server a process of its own adds only time. */
// biome-ignore lint/suspicious/noExplicitAny: results whose shape the tests assert.
async function json(args: string[]): Promise<any> {
  const { code, stdout, stderr } = await call([...args, '--json'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(WHERE_CHANGED) })
  return JSON.parse(stdout)
}

describe('on a folder without a server and data', () => {
  test.each([
    ['a list', ['user', 'list']],
    ['a change', ['user', 'create', '--username', 'frida']],
    ['a reset', ['reset', '--yes']],
    ['a command of a running server', ['log']],
    ['a trigger', ['trigger', 'post.create']],
  ])('%s says so and changes nothing', async (_name, args) => {
    const { code, stdout, stderr } = await call([...args, ...where])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(`There is no server and no data in ${dataDir}, and nothing was changed.`)
    expect(existsSync(dataDir)).toBe(false)
  })

  test('seed fills it only when the folder is named', async () => {
    const size = ['--seed', '5', '--users', '10', '--posts', '50']
    const unnamed = await finish(spawnRostra(['seed', ...size], { cwd: folder }))
    expect(unnamed).toMatchObject({ code: 1, stdout: '' })
    expect(existsSync(dataDir)).toBe(false)
    const seeded = await runRostra(['seed', ...size, ...where, '--json'])
    expect(JSON.parse(seeded.stdout)).toMatchObject({ outcome: 'made', stored: { users: 10, posts: 50 } })
    expect(seeded.stderr).toBe(`Changed the data folder ${dataDir}; no server is running on it.\n`)
  })

  test('an empty database of DATABASE_URL is left empty', async () => {
    const address = await emptyDatabase()
    const args = ['user', 'list', '--data-dir', path.join(folder, 'own'), '--secret-key', 'a'.repeat(64)]
    const { code, stderr } = await call([...args, '--database-url', address])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^The database of DATABASE_URL has no data of Rostra, and nothing was changed\./)
    const keyless = await call(['user', 'list', '--data-dir', path.join(folder, 'own'), '--database-url', address])
    expect(keyless.stderr).toMatch(/^The key of the database is not in /)
    expect(existsSync(path.join(folder, 'own'))).toBe(false)
    const client = new pg.Client({ connectionString: address })
    await client.connect()
    const { rows } = await client.query("select count(*)::int as tables from pg_tables where schemaname = 'public'")
    await client.end()
    expect(rows).toEqual([{ tables: 0 }])
  })
})

describe('on a data folder without a server', () => {
  test('user create creates a user', async () => {
    kept.user = await rostraJson(['user', 'create', '--username', 'frida', '--name', 'Frida F', ...where])
    expect(kept.user).toEqual({
      id: expect.stringMatching(/^\d+$/),
      username: 'frida',
      name: 'Frida F',
      password: expect.stringMatching(/^[A-Za-z0-9]{16}$/),
    })
    expect(existsSync(path.join(dataDir, 'instance.json'))).toBe(false)
    expect(processesOn(dataDir)).toEqual([])
  })

  test('app create prints the keys of a new app', async () => {
    const callback = ['--callback', 'http://localhost:3000/a', '--callback', 'http://localhost:3000/b']
    kept.app = await rostraJson(['app', 'create', '--name', 'Rested', '--owner', 'frida', ...callback, ...where])
    expect(kept.app).toMatchObject(KEYS)
  })

  test('user token answers with a new token', async () => {
    kept.token = await rostraJson(['user', 'token', 'frida', '--app', kept.app.id, ...where])
    expect(kept.token).toMatchObject({ username: 'frida', app: 'Rested', access_level: 'read-write-messages' })
    expect(kept.token.access_token).toMatch(new RegExp(`^${kept.user.id}-`))
  })

  test.each([
    ['a taken username', ['user', 'create', '--username', 'Frida'], /username .*taken/],
    ['log, which needs a server', ['log'], /^No server is running on the data folder /],
  ])('%s is refused with one sentence', async (_name, args, words) => {
    const { code, stdout, stderr } = await runRostra([...args, ...where])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr.trimEnd()).toMatch(words)
    expect(stderr.trimEnd()).not.toContain('\n')
    expect(processesOn(dataDir)).toEqual([])
  })

  test('one seed is stored beside another', async () => {
    await rostraJson(['seed', '--seed', '6', '--users', '3', '--posts', '5', ...where])
  })
})

test('a clock that is frozen without a server stands still', async () => {
  const frozen = await rostraJson(['clock', 'set', '2034-05-06T07:08:09Z', '--freeze', ...where])
  expect(frozen).toMatchObject({ now: '2034-05-06T07:08:09.000Z', frozen: true })
})

describe('against a running server', () => {
  let server: ChildServer
  beforeAll(async () => {
    server = await startChildServer({ dataDir, flags: ['--workers', '2'] })
  })
  afterAll(() => server.stop())

  const me = async (keys: { consumerKey: string; consumerSecret: string }, token: typeof kept.token) => {
    const url = `${server.baseUrl}/2/users/me`
    const signed = sign('GET', url, { ...keys, token: token.access_token, tokenSecret: token.access_token_secret })
    const answer = await fetch(url, { headers: { authorization: signed } })
    return { status: answer.status, body: JSON.parse(await answer.text()) }
  }
  const keysOf = (app: typeof kept.app) => ({ consumerKey: app.api_key, consumerSecret: app.api_key_secret })
  const read = async (resource: string) => {
    const bearer = server.credentials.apps[0]!.bearer_token
    const answer = await fetch(server.baseUrl + resource, { headers: { authorization: `Bearer ${bearer}` } })
    return { status: answer.status, body: JSON.parse(await answer.text()) }
  }

  test('a frozen clock stays frozen over a restart, and is advanced, set, resumed and reset', async () => {
    expect(await json(['clock', ...where])).toMatchObject({ now: '2034-05-06T07:08:09.000Z', frozen: true })
    expect((await read('/health')).body.time).toBe('2034-05-06T07:08:09.000Z')
    expect((await json(['clock', 'advance', '2h', ...where])).now).toBe('2034-05-06T09:08:09.000Z')
    expect((await call(['clock', 'set', '2035-01-01', ...where])).stdout).toMatch(
      /^now {8}2035-01-01T00:00:00.000Z\noffset_ms {2}\d+\nfrozen {5}true\n$/,
    )
    expect((await json(['clock', 'resume', ...where])).frozen).toBe(false)
    expect(await json(['clock', 'reset', ...where])).toMatchObject({ offset_ms: 0, frozen: false })
    for (const words of [['advance'], ['advance', '2h', 'more'], ['stop'], ['freeze', 'now']]) {
      const wrong = await call(['clock', ...words, ...where])
      expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('such as `rostra clock advance 2h`') })
    }
    const refused = await call(['clock', 'advance', 'soon', ...where])
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('is not a duration') })
  })

  test('what was created without a server is there', async () => {
    const answer = await me(keysOf(kept.app), kept.token)
    expect(answer.status).toBe(200)
    expect(answer.body.data).toEqual({ id: kept.user.id, name: 'Frida F', username: 'frida' })
    expect((await read('/2/users/by/username/seed5_0')).status).toBe(200)
  })

  test('the audit log has what was done without a server, refusals too, and who did it', async () => {
    const { entries } = await json(['audit', '--actor', 'command line', '--name', 'user.create', ...where])
    expect(entries).toMatchObject([
      { outcome: 'refused', status: 400, arguments: { username: 'Frida' } },
      { outcome: 'done', arguments: { username: 'frida', name: 'Frida F' }, result: { password: '[hidden]' } },
    ])
    const { stdout } = await call(['audit', '--limit', '1', ...where])
    expect(stdout).toMatch(
      /^id +recorded_at +actor +name +outcome +status +arguments\n\d+ .*\n\nMore with --after \d+\n$/,
    )
  })

  test('app list and user list show what was created without it, also as columns', async () => {
    const { apps } = await json(['app', 'list', ...where])
    expect(apps.map((app: { name: string }) => app.name).sort()).toEqual(['First app', 'Rested', 'Second app'])
    expect(apps.find((app: { name: string }) => app.name === 'Rested')).toMatchObject({
      owner: 'frida',
      tier: 'self-serve',
      callback_urls: ['http://localhost:3000/a', 'http://localhost:3000/b'],
    })
    const [first, second] = (await json(['user', 'list', ...where])).users
    const behind = await json(['user', 'list', '--after', first.id, '--limit', '1', ...where])
    expect(behind.users).toEqual([second])
    const { code, stdout } = await call(['user', 'list', '--limit', '100', ...where])
    expect(code).toBe(0)
    const lines = stdout.trimEnd().split('\n')
    expect(lines[0]).toMatch(/^id +username +name +protected +suspended +subscription_type +post_count$/)
    expect(lines.slice(1)).toContainEqual(expect.stringMatching(/^\d+ +alice +Alice Moreau +false +false +Premium +3$/))
  })

  test('a new user and token work at once', async () => {
    expect((await read('/2/users/by/username/gustav')).body.errors[0].title).toBe('Not Found Error')
    await json(['user', 'create', '--username', 'gustav', '--verified', 'blue', ...where])
    const found = await read('/2/users/by/username/gustav?user.fields=verified_type')
    expect(found.body.data).toMatchObject({ username: 'gustav', verified_type: 'blue' })
    const token = await json(['user', 'token', '@gustav', '--app', kept.app.id, ...where])
    expect((await me(keysOf(kept.app), token)).body.data.username).toBe('gustav')
  })

  test('a new app works at once, and after its rotation only with the new keys', async () => {
    const app = await json(['app', 'create', '--name', 'Lively', '--owner', 'gustav', ...where])
    const token = await json(['user', 'token', 'alice', '--app', app.id, ...where])
    expect((await me(keysOf(app), token)).body.data.username).toBe('alice')
    const rotated = await json(['app', 'rotate', app.id, ...where])
    expect(rotated).toMatchObject({ ...KEYS, id: app.id })
    for (const name of ['api_key', 'api_key_secret', 'client_secret']) expect(rotated[name]).not.toBe(app[name])
    for (let tries = 0; tries < 4; tries++) expect((await me(keysOf(app), token)).status).toBe(401)
    const fresh = await json(['user', 'token', 'alice', '--app', app.id, ...where])
    expect((await me(keysOf(rotated), fresh)).status).toBe(200)
    const { apps } = await json(['app', 'list', ...where])
    expect(apps.map((item: { name: string }) => item.name)).toContain('Lively')
  })

  test.each([
    ['an unknown app', ['user', 'token', 'alice', '--app', '1'], /app/i],
    ['an unknown owner', ['app', 'create', '--name', 'x', '--owner', 'nobody_here'], /nobody_here/],
  ])('%s is refused in one sentence', async (_name, args, words) => {
    const { code, stdout, stderr } = await call([...args, ...where])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr.trimEnd()).toMatch(words)
    expect(stderr.trimEnd()).not.toContain('\n')
  })

  test('seed works beside it, and its rows are read at once', async () => {
    const args = ['seed', '--seed', '11', '--users', '30', '--posts', '200', '--until', 'now', ...where]
    const seeded = await json(args)
    expect(seeded.outcome).toBe('made')
    const found = await read('/2/users/by/username/seed11_0?user.fields=public_metrics')
    expect(found.status).toBe(200)
    const client = new pg.Client(server.connection)
    await client.connect()
    expect(await inexactMetrics({ query: (query) => client.query(query) }, 'seed11')).toEqual({ users: 0, posts: 0 })
    await client.end()
    expect((await json(args)).outcome).toBe('present')
  })

  test('log shows the last requests and why they were refused', async () => {
    await fetch(`${server.baseUrl}/2/users/me`, { headers: { authorization: 'Bearer wrong' } })
    const shown = await call(['log', '--limit', '5', ...where])
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    expect(shown.stdout).toMatch(/^\d\d:\d\d:\d\d\.\d{3} 401 GET +\/2\/users\/me .* ms\n {4}refused: \S/m)
    const refused = await call(['log', '--refused', '--json', ...where])
    const lines = refused.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) expect(line.status).toBeGreaterThanOrEqual(400)
  })

  test('log --follow shows each new request once', async () => {
    const child = spawnRostra(['log', '--follow', '--limit', '1', '--json', ...where])
    const ended = finish(child)
    let seen = ''
    const shows = (words: string) =>
      new Promise<void>((resolve) => {
        const look = (text = '') => {
          seen += text
          if (!seen.includes(words)) return
          child.stdout.off('data', look)
          resolve()
        }
        child.stdout.on('data', look)
        look()
      })
    await read('/2/users/by/username/alice?user.fields=url')
    await shows('username/alice')
    await read('/2/users/by/username/bob')
    await shows('username/bob')
    await read('/2/users/by/username/chika')
    await shows('username/chika')
    child.kill('SIGINT')
    const { stdout } = await ended
    expect(stdout.match(/username\/bob/g)).toHaveLength(1)
    expect(stdout.match(/username\/chika/g)).toHaveLength(1)
  })

  test('doctor reports no failure', async () => {
    const { port } = new URL(server.baseUrl)
    const { healthy, findings } = await json(['doctor', '--port', port, ...where])
    expect(findings.filter((item: { state: string }) => item.state === 'fail')).toEqual([])
    expect(healthy).toBe(true)
    const about = (check: string) => findings.find((item: { check: string }) => item.check === check).message
    expect(about('instance')).toBe(`Process ${server.pid} is running and http://localhost:${port}/health answers.`)
    expect(about('port')).toBe(`Port ${port} is used by the instance on this data folder.`)
  })

  test('credentials.json reflects what commands change', async () => {
    const file = () => JSON.parse(readFileSync(path.join(dataDir, 'credentials.json'), 'utf8'))
    const before = file()
    await json(['user', 'update', 'alice', '--password', 'another password', ...where])
    await expect.poll(() => file().users[0]).toMatchObject({ username: 'alice' })
    await expect.poll(() => file().users[0].password).toBeUndefined()
    expect(file().users[1].password).toBe(before.users[1].password)
    const { apps } = await json(['app', 'list', ...where])
    const second = apps.find((item: { name: string }) => item.name === 'Second app')
    const turned = await json(['app', 'rotate', second.id, ...where])
    await expect.poll(() => file().apps[1].api_key_secret).toBe(turned.api_key_secret)
  })

  test('reset --yes creates the first world again with the same credentials', async () => {
    expect(await json(['reset', '--yes', ...where])).toEqual({ reset: true })
    expect((await read('/2/users/by/username/gustav')).body.errors[0].title).toBe('Not Found Error')
    expect((await read('/2/users/by/username/seed11_0')).body.errors[0].title).toBe('Not Found Error')
    const { users } = await json(['user', 'list', ...where])
    expect(users.map((user: { username: string }) => user.username)).toEqual(['alice', 'bob', 'chika', 'dario', 'erin'])
  })

  test('the server stops and leaves nothing running', async () => {
    expect(await server.stop()).toBe(0)
    expect(existsSync(path.join(dataDir, 'instance.json'))).toBe(false)
    expect(processesOn(dataDir)).toEqual([])
    const address = () => JSON.parse(readFileSync(path.join(dataDir, 'credentials.json'), 'utf8')).base_url
    expect(address()).toBe(server.baseUrl)
    await rostraJson(['app', 'list', ...where])
    expect(address()).toBe(server.baseUrl)
    const reset = await runRostra(['reset', '--yes', ...where])
    expect(reset).toMatchObject({ code: 0, stdout: 'The first world was created again.\n' })
  })
})
