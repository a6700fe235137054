import { afterAll, beforeAll, expect, test } from 'vitest'
import { appKeys, requestToken, signedInBrowser } from '../identity/steps.ts'
import { rows } from '../social/acting.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const ID = expect.stringMatching(/^\d+$/)
const projects = async () => (await server.command('project.list')).projects
const appOfId = async (id: string) =>
  (await server.command('app.list')).apps.find((app: { id: string }) => app.id === id)

test('a project is created in the developer account of its owner, which is created if needed', async () => {
  await server.command('user.create', { username: 'nora', name: 'Nora N' })
  const first = await server.command('project.create', { name: 'Weather', owner: '@nora' })
  expect(first).toEqual({
    id: ID,
    name: 'Weather',
    developer_account_id: ID,
    developer_account_name: 'Nora N',
    owner: 'nora',
  })
  const second = await server.command('project.create', { name: 'Tides', owner: 'nora' })
  expect(second.developer_account_id).toBe(first.developer_account_id)
  expect((await projects()).slice(-2)).toEqual([
    { ...first, apps: [] },
    { ...second, apps: [] },
  ])
})

test('an app is created in the named project, and answers show the project', async () => {
  const project = await server.command('project.create', { name: 'Chosen', owner: 'bob' })
  const where = {
    project_id: project.id,
    project_name: 'Chosen',
    developer_account_id: project.developer_account_id,
    developer_account_name: project.developer_account_name,
  }
  const app = await server.command('app.create', { name: 'Placed', owner: 'bob', project: project.id })
  expect(app).toMatchObject(where)
  expect(await appOfId(app.id)).toMatchObject(where)
  const listed = (await projects()).find((item: { id: string }) => item.id === project.id)
  expect(listed.apps).toEqual([{ id: app.id, name: 'Placed' }])
})

test('an app can be in a project of another developer', async () => {
  const project = await server.command('project.create', { name: 'Shared', owner: 'bob' })
  const app = await server.command('app.create', { name: 'Guest', owner: 'erin', project: project.id })
  expect(await appOfId(app.id)).toMatchObject({
    owner: 'erin',
    project_id: project.id,
    developer_account_id: project.developer_account_id,
  })
})

test('an app without a project is created in the first project of its owner', async () => {
  const first = await server.command('app.create', { name: 'One', owner: 'chika' })
  expect(first).toMatchObject({ project_name: 'Default project', developer_account_name: 'Chika Tanaka' })
  await server.command('project.create', { name: 'Later', owner: 'chika' })
  const second = await server.command('app.create', { name: 'Two', owner: 'chika' })
  expect(second.project_id).toBe(first.project_id)
})

test('two first apps of a developer, created at the same time, share one project', async () => {
  await server.command('user.create', { username: 'twin' })
  const made = await Promise.all(['A', 'B'].map((name) => server.command('app.create', { name, owner: 'twin' })))
  expect(made[0].project_id).toBe(made[1].project_id)
})

test.each(['1', 'Weather', '99999999999999999999'])(
  'the unknown project %s is refused, and no app is created',
  async (project) => {
    const answer = await server.tryCommand('app.create', { name: 'Nowhere', owner: 'bob', project })
    expect(answer.status).toBe(404)
    expect(answer.body.detail).toBe(`There is no project [${project}].`)
    expect(await rows(server, `select 1 from client_app where name = 'Nowhere'`)).toEqual([])
  },
)

test('a project with an unknown owner or without a name is refused', async () => {
  expect((await server.tryCommand('project.create', { name: 'Lost', owner: 'nobody_here' })).status).toBe(404)
  expect((await server.tryCommand('project.create', { name: '', owner: 'bob' })).status).toBe(400)
})

const words = { description: 'Counts <your> steps.', website_url: 'https://steps.example/about' }

test('the consent page shows the description of an app, when it is created and after each change', async () => {
  const app = await server.command('app.create', { name: 'Steps', owner: 'bob', ...words })
  expect(app).toMatchObject(words)
  expect(await appOfId(app.id)).toMatchObject(words)
  const browser = await signedInBrowser(server, app, 'alice')
  const page = async () => {
    const { oauth_token } = await requestToken(server, appKeys(app), 'oob')
    return (await browser.open(`/oauth/authorize?oauth_token=${oauth_token}`)).text
  }
  const made = await page()
  expect(made).toContain('Counts &lt;your&gt; steps.')
  expect(made).toContain('<a href="https://steps.example/about" rel="noopener noreferrer">steps.example</a>')

  await server.command('app.update', { app: app.id, name: 'Strides', description: 'Counts strides.' })
  const changed = await page()
  expect(changed).toContain('Allow Strides?')
  expect(changed).toContain('Counts strides.')
  expect(changed).toContain('steps.example')

  await server.command('app.update', { app: app.id, description: '', website_url: '' })
  expect(await appOfId(app.id)).toMatchObject({ description: '', website_url: '' })
  expect(await page()).not.toContain('steps.example')
})

test.each([
  ['website_url', 'ftp://steps.example'],
  ['website_url', 'javascript:alert(1)'],
  ['website_url', 'steps.example'],
  ['website_url', 'https:steps.example'],
  ['website_url', 'https://'],
  ['website_url', 'https://steps.example/a b'],
  ['website_url', `https://steps.example/${'a'.repeat(500)}`],
  ['description', 'a'.repeat(201)],
])('the %s %s of an app is refused', async (name, value) => {
  const app = await server.command('app.create', { name: 'Kept', owner: 'bob', ...words })
  for (const [command, args] of [
    ['app.create', { name: 'Faulty', owner: 'bob' }],
    ['app.update', { app: app.id }],
  ] as const) {
    const answer = await server.tryCommand(command, { ...args, [name]: value })
    expect(answer.status, answer.text).toBe(400)
    expect(answer.text).toContain(name)
  }
  expect(await appOfId(app.id)).toMatchObject(words)
})
