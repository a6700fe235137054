import http from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Browser } from '../support/browser.ts'
import { finish, spawnRostra } from '../support/child-server.ts'
import { sign } from '../support/sign.ts'
import { type RunningProgram, startProgram } from './running-program.ts'

let program: RunningProgram
beforeAll(async () => {
  program = await startProgram(['--workers', '3', '--rate-limits', 'off'])
})
afterAll(() => program.stop())

const run: RunningProgram['run'] = (...args) => program.run(...args)
const refusal: RunningProgram['refusal'] = (...args) => program.refusal(...args)
const listed = async (id: string) => (await run('app', 'list')).apps.find((app: { id: string }) => app.id === id)

test('a project is created, chosen for an app and listed with it, also as columns', async () => {
  const project = await run('project', 'create', '--name', 'Harbour', '--owner', 'dario')
  expect(project).toMatchObject({ name: 'Harbour', owner: 'dario' })
  const app = await run('app', 'create', '--name', 'Buoys', '--owner', 'dario', '--project', project.id)
  const belongs = {
    project_id: project.id,
    project_name: 'Harbour',
    developer_account_id: project.developer_account_id,
  }
  expect(app).toMatchObject(belongs)
  expect(await listed(app.id)).toMatchObject(belongs)
  const { projects } = await run('project', 'list')
  expect(projects).toContainEqual({ ...project, apps: [{ id: app.id, name: 'Buoys' }] })

  const { stdout } = await program.call('project', 'list')
  const [head, ...lines] = stdout.trimEnd().split('\n')
  expect(head).toMatch(/^id +name +developer_account_id +developer_account_name +owner +apps$/)
  expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^${project.id} +Harbour .* dario +Buoys$`)))
  expect((await program.call('app', 'list')).stdout).toMatch(new RegExp(`^${app.id} .* ${project.id} +Harbour `, 'm'))
})

test('an unknown project is refused with one sentence', async () => {
  const refused = await refusal('app', 'create', '--name', 'Lost', '--owner', 'dario', '--project', '12')
  expect(refused).toBe('There is no project [12].')
})

test('an app has a description, and takes another name', async () => {
  const words = ['--description', 'Watches buoys.', '--website', 'https://buoys.example']
  const app = await run('app', 'create', '--name', 'Watch', '--owner', 'dario', ...words)
  const shown = { name: 'Watch', description: 'Watches buoys.', website_url: 'https://buoys.example' }
  expect(await listed(app.id)).toMatchObject(shown)
  await run('app', 'update', app.id, '--name', 'Lookout', '--website', '')
  expect(await listed(app.id)).toMatchObject({ ...shown, name: 'Lookout', website_url: '' })
  await run('app', 'update', app.id, '--description', 'Looks out.')
  expect(await listed(app.id)).toMatchObject({ name: 'Lookout', description: 'Looks out.' })
  expect(await refusal('app', 'update', app.id, '--website', 'mailto:me@buoys.example')).toBe(
    'website_url must be an http or https URL',
  )
})

test('a user gets another e-mail address, unless it is taken', async () => {
  await run('user', 'update', 'erin', '--email', 'erin@buoys.example')
  const words = 'The e-mail address ERIN@buoys.example is taken.'
  expect(await refusal('user', 'update', 'bob', '--email', 'ERIN@buoys.example')).toBe(words)
  expect(await refusal('user', 'create', '--username', 'ivo', '--email', 'ERIN@buoys.example')).toBe(words)
})

test('a token above the level of its app is refused with the allowed levels', async () => {
  const app = await run('app', 'create', '--name', 'Reads', '--owner', 'dario', '--permissions', 'read-write')
  const token = ['user', 'token', 'bob', '--app', app.id, '--level']
  expect(await refusal(...token, 'read-write-messages')).toBe(
    'access_level [read-write-messages] is higher than that of the app; allowed are [read,read-write]',
  )
  expect(await run(...token, 'read')).toMatchObject({ access_level: 'read' })
})

test('user revoke ends the access of an app in every worker at once', async () => {
  const app = await run('app', 'create', '--name', 'Guest', '--owner', 'dario')
  const url = `${program.server.baseUrl}/2/users/me`
  for (let round = 0; round < 5; round++) {
    const pair = await run('user', 'token', 'bob', '--app', app.id)
    const keys = {
      consumerKey: app.api_key,
      consumerSecret: app.api_key_secret,
      token: pair.access_token,
      tokenSecret: pair.access_token_secret,
    }
    // Each on a connection of its own, so all workers answer some.
    const statuses = async () => {
      const answers = await Promise.all(Array.from({ length: 9 }, () => statusOf(url, sign('GET', url, keys))))
      return [...new Set(answers)]
    }
    expect(await statuses()).toEqual([200])
    expect(await run('user', 'revoke', 'bob', '--app', app.id)).toMatchObject({
      username: 'bob',
      app: 'Guest',
      oauth1_grants: 1,
      oauth2_grants: 0,
    })
    expect(await statuses()).toEqual([401])
  }
  expect(await refusal('user', 'revoke', 'bob')).toBe('--app is missing.')
  expect(await refusal('user', 'revoke', '--app', app.id)).toBe('Name one username.')
})

test('login gets tokens through the browser, and an app without a local callback is refused with advice', async () => {
  const port = await freePort()
  const callback = `http://127.0.0.1:${port}/back`
  const app = await run(
    'app',
    'create',
    '--name',
    'Terminal',
    '--owner',
    'dario',
    '--type',
    'public',
    '--callback',
    callback,
  )
  const scopes = 'users.read post.read offline.access'
  const child = spawnRostra(['login', '--app', 'terminal', '--scopes', scopes, '--json', '--data-dir', program.dataDir])
  const ended = finish(child)
  const address = await new Promise<string>((resolve) => {
    let text = ''
    child.stderr.on('data', (part: string) => {
      text += part
      const found = /(http:\S+authorize\?\S+)\n/.exec(text)?.[1]
      if (found) resolve(found)
    })
  })
  const { pathname, search } = new URL(address)
  const browser = new Browser(program.server.baseUrl)
  const { users } = program.server.credentials
  const consent = await browser.signIn(await browser.open(pathname + search), users[1]!)
  const back = (await browser.decide(consent, 'approve')).leftFor!
  expect((await fetch(`http://127.0.0.1:${port}/back?state=other&code=x`)).status).toBe(404)
  expect((await fetch(back)).status).toBe(200)
  const { code, stdout } = await ended
  expect(code).toBe(0)
  const tokens = JSON.parse(stdout)
  expect(tokens).toMatchObject({ token_type: 'bearer', scope: scopes, refresh_token: expect.any(String) })
  expect(await statusOf(`${program.server.baseUrl}/2/users/me`, `Bearer ${tokens.access_token}`)).toBe(200)

  const far = await run('app', 'create', '--name', 'Far', '--owner', 'dario', '--type', 'public')
  expect(await refusal('login', '--app', far.id)).toMatch(
    /^The app Far has no callback address on this machine\. Add one: /,
  )
  expect(await refusal('login', '--app', 'Nothing')).toMatch(/^There is no app Nothing\./)
  expect(app.client_type).toBe('public')
})

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}

function statusOf(url: string, authorization: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { agent: false, headers: { authorization } }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode))
    })
    request.on('error', reject)
    request.end()
  })
}

test('relations, requests, bookmarks and pins are changed by commands', async () => {
  expect(await run('relation', 'add', 'erin', 'bob', '--kind', 'mute')).toMatchObject({ kind: 'mute', exists: true })
  expect(await run('relation', 'remove', 'erin', 'bob', '--kind', 'mute')).toMatchObject({ exists: false })
  expect(await refusal('relation', 'add', 'erin')).toBe('Name two users: the source and the target.')
  expect(await refusal('follow', 'approve', 'erin', 'bob')).toBe('@erin has not requested to follow @bob.')
  const { post_id: post } = await run('trigger', 'post.create', '--user', 'dario')
  expect(await run('user', 'pin', 'dario', '--post', post)).toEqual({ user: 'dario', pinned_post_id: post })
  expect(await run('user', 'pin', 'dario')).toEqual({ user: 'dario', pinned_post_id: null })
  expect(await run('bookmark', 'folder', '--user', 'dario', '--name', 'Later')).toMatchObject({ user: 'dario' })
  expect(await run('limits', 'clear')).toEqual({ cleared: true })
  expect(await run('cache', 'forget')).toEqual({ forgotten: true })
  expect(await run('ads', 'merchant', 'dario')).toEqual({ user: 'dario', shopping_terms: 'accepted' })
})

test('a space is created, joined and ended, and refusals are one sentence', async () => {
  const { id } = await run(
    'space',
    'create',
    '--user',
    'dario',
    '--title',
    'Buoys',
    '--topic',
    'travel',
    '--host',
    'bob',
  )
  await run('space', 'join', id, '--user', 'erin')
  expect(await run('space', 'speak', id, '--user', 'erin')).toMatchObject({ state: 'live', participant_count: 2 })
  expect(await run('space', 'end', id)).toMatchObject({ state: 'ended', title: 'Buoys' })
  expect(await refusal('space', 'join', id, '--user', 'alice')).toBe(
    `The space [${id}] is ended. Only a space that is live can be joined.`,
  )
  expect(await refusal('space', 'join', id)).toBe('--user is missing.')
})

test('views of a post are counted, and a fault is refused with one sentence', async () => {
  const { post_id: post } = await run('trigger', 'post.create')
  expect(await run('views', 'add', post, '--count', '12', '--viewer', 'bob')).toEqual({ added: 12 })
  expect(await run('views', 'add', post, '--kind', 'link_click', '--promoted')).toEqual({ added: 1 })
  expect(await refusal('views', 'add', '12')).toMatch(/There is no post \[12\]/)
})

test('a community is created, joined on request and listed with its members', async () => {
  const policy = 'RestrictedJoinRequestsRequireAdminApproval'
  const { id } = await run('community', 'create', '--user', 'dario', '--name', 'Sailors', '--join', policy)
  expect(await run('community', 'join', id, '--user', 'erin')).toMatchObject({ state: 'requested', member_count: 1 })
  expect(await refusal('community', 'approve', id, '--user', 'erin', '--by', 'erin')).toBe(
    `Only a user with the role admin can do this in the community [${id}].`,
  )
  await run('community', 'approve', id, '--user', 'erin', '--by', 'dario')
  const { stdout } = await program.call('community', 'members', id)
  expect(stdout).toMatch(/^\d+ +erin +member$/m)
  expect(await run('community', 'leave', id, '--user', 'erin')).toMatchObject({ member_count: 1 })
})
