import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeApp } from '../identity/steps.ts'
import { signedIn } from '../pages/signed-in.ts'
import type { Browser, Page } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { answersCorrectly, type Receiver, repliesWith, startReceiver } from '../webhooks/receiver.ts'

let server: TestServer
let erin: Browser
let receiver: Receiver
beforeAll(async () => {
  server = await startTestServer(['--private-webhooks', 'on'])
  erin = await signedIn(server, 'erin')
  receiver = await startReceiver(repliesWith(500))
})
afterAll(async () => {
  await receiver.close()
  await server.close()
})

/** Sends the form of a page that posts to an address. */
async function send(browser: Browser, page: Page, action: string, fields: Record<string, string>): Promise<Page> {
  const form = page.forms.find((item) => item.action === action)
  if (!form) throw new Error(`no form for ${action}: ${page.text}`)
  return browser.post(action, { ...form.fields, ...fields })
}

const APP = {
  name: 'Erin <i>reads</i>',
  description: 'Reads "posts"',
  website_url: 'https://example.org/',
  callback_urls: 'https://example.org/done\nerin://done',
  permission_level: 'read-write',
  client_type: 'public',
  project: 'new',
  new_project: 'Reading',
}

/** The text of a term in a list of facts. */
const factOf = (page: Page, term: string) => new RegExp(`<dt>${term}</dt><dd>([^<]*)</dd>`).exec(page.text)?.[1]

async function createdApp(fields: Record<string, string> = {}) {
  const made = await send(erin, await erin.open('/i/developer'), '/i/developer/apps', { ...APP, ...fields })
  const id = /\/i\/developer\/apps\/(\d+)/.exec(made.text)?.[1] ?? ''
  return { made, id, path: `/i/developer/apps/${id}` }
}

describe('the page of developers', () => {
  test('deletes an app with its tokens and webhooks, after it was confirmed, and only for its owner', async () => {
    const { made, id, path } = await createdApp({ name: 'Short-lived' })
    const bearer = factOf(made, 'Bearer token')!
    const token = await server.command('user.token', { user: 'alice', app: id, oauth2: true })
    const unconfirmed = await erin.post(`${path}/delete`, { csrf: (await erin.open(path)).forms[0]!.fields.csrf! })
    expect(unconfirmed.status).toBe(400)
    const alice = await signedIn(server, 'alice')
    const csrf = (await alice.open('/i/developer')).forms[0]!.fields.csrf!
    expect((await alice.post(`${path}/delete`, { csrf, understood: 'yes' })).status).toBe(404)
    expect((await server.get('/2/users/by/username/erin', { bearer })).status).toBe(200)
    const after = await send(erin, await erin.open(path), `${path}/delete`, { understood: 'yes' })
    expect(after.text).toContain('The app was deleted.')
    expect(after.text).not.toContain('Short-lived')
    expect((await erin.open(path)).status).toBe(404)
    for (const ended of [bearer, token.access_token])
      expect((await server.get('/2/users/by/username/erin', { bearer: ended })).status).toBe(401)
    expect((await server.command('app.list', { query: id })).apps).toEqual([])
    const other = await createdApp({ name: 'Deleted by an operator' })
    expect(await server.command('app.delete', { app: other.id })).toMatchObject({ id: other.id, deleted: true })
    expect((await erin.open(other.path)).status).toBe(404)
  })

  test('creates an app whose keys work and are shown once', async () => {
    const { made, id, path } = await createdApp()
    expect(made.headers.get('cache-control')).toBe('no-store')
    expect(made.text).not.toContain('<i>reads')
    const bearer = factOf(made, 'Bearer token')!
    expect((await server.get('/2/users/by/username/erin', { bearer })).status).toBe(200)
    const page = await erin.open(path)
    for (const secret of ['Bearer token', 'API key secret', 'Client secret'])
      expect(factOf(page, secret)).toBeUndefined()
    expect(page.text).not.toContain(bearer)
    expect(factOf(page, 'API key')).toBe(factOf(made, 'API key'))
    const { apps } = await server.command('app.list', {})
    expect(apps.find((app: { id: string }) => app.id === id)).toMatchObject({
      name: 'Erin <i>reads</i>',
      owner: 'erin',
      project_name: 'Reading',
      tier: 'self-serve',
      permission_level: 'read-write',
      client_type: 'public',
      callback_urls: ['https://example.org/done', 'erin://done'],
    })
    expect((await erin.open('/i/developer')).text).toContain('Erin &lt;i&gt;reads&lt;/i&gt;')
  })

  test.each([
    [{ name: '' }, 'A name has 1 to 50 characters.'],
    [{ callback_urls: 'javascript:alert(1)' }, 'callbacks cannot use the scheme javascript'],
    [{ website_url: 'ftp://x' }, 'website_url must be an http or https URL'],
    [{ permission_level: 'all' }, 'Choose one of the three.'],
    [{ project: '1' }, 'Choose one of your projects.'],
    [{ new_project: '' }, 'The name of a project has 1 to 50 characters.'],
  ])('says beside the field why %j is refused', async (fields, sentence) => {
    const { made } = await createdApp(fields)
    expect(made.status).toBe(400)
    expect(made.text).toContain(sentence)
    expect(made.text).toContain('aria-invalid="true"')
  })

  test('changes an app, and makes new keys that end the old ones', async () => {
    const { made, path } = await createdApp({ name: 'Changing' })
    const bearer = factOf(made, 'Bearer token')!
    const page = await erin.open(path)
    const saved = await send(erin, page, `${path}/update`, { ...APP, name: 'Changed', permission_level: 'read' })
    expect(saved.text).toContain('The app was saved.')
    expect(factOf(saved, 'Permission')).toBe('Read')
    expect((await send(erin, page, `${path}/rotate`, {})).status).toBe(400)
    const rotated = await send(erin, page, `${path}/rotate`, { understood: 'yes' })
    expect((await server.get('/2/users/by/username/erin', { bearer })).status).toBe(401)
    const fresh = factOf(rotated, 'Bearer token')!
    expect((await server.get('/2/users/by/username/erin', { bearer: fresh })).status).toBe(200)
  })

  test('shows the usage as a picture with words', async () => {
    const { made, path } = await createdApp({ name: 'Counted' })
    await server.get('/2/users/by/username/alice', { bearer: factOf(made, 'Bearer token')! })
    const timeline = `/2/users/${server.userId('alice')}/posts?max_results=5`
    const read = await server.get(timeline, { bearer: factOf(made, 'Bearer token')! })
    const page = await erin.open(path)
    expect(page.text).toMatch(/<svg class="plot"[^>]*role="img" aria-label="Posts read in the last 30 days: \d+/)
    expect(page.text).toContain(`aria-label="Posts read in the last 30 days: ${read.body.data.length},`)
  })

  test('registers, validates and removes webhooks with the challenge', async () => {
    const { made, path } = await createdApp({ name: 'Hooked' })
    const page = await erin.open(path)
    receiver.answerChallengesWith(repliesWith(500))
    const refused = await send(erin, page, `${path}/webhooks`, { url: receiver.url() })
    expect([refused.status, refused.text.includes('CrcValidationFailed')]).toEqual([400, true])
    receiver.answerChallengesWith(answersCorrectly(factOf(made, 'API key secret')!))
    const registered = await send(erin, page, `${path}/webhooks`, { url: receiver.url() })
    expect(registered.text).toContain('The webhook was registered.')
    expect((await send(erin, registered, `${path}/webhooks/validate`, {})).text).toContain('passed the challenge')
    receiver.answerChallengesWith(repliesWith(500))
    expect((await send(erin, registered, `${path}/webhooks/validate`, {})).text).toContain('CrcValidationFailed')
    const removed = await send(erin, registered, `${path}/webhooks/delete`, {})
    expect(removed.text).toContain('The webhook was removed.')
    expect(removed.text).toContain('This app has no webhooks.')
  })
})

describe('requests at the same moment', () => {
  test('create as many projects as one after the other', async () => {
    const dario = await signedIn(server, 'dario')
    const page = await dario.open('/i/developer')
    const create = (_: unknown, at: number) =>
      send(dario, page, '/i/developer/apps', { ...APP, new_project: `P ${at}` })
    const made = await Promise.all(Array.from({ length: 12 }, create))
    expect(made.filter(({ status }) => status === 200)).toHaveLength(10)
    expect(made.find(({ status }) => status === 400)!.text).toContain('You have 10 projects.')
  })

  test('find no app that another one deletes', async () => {
    const { path } = await createdApp({ name: 'Twice gone' })
    const page = await erin.open(path)
    const asked = ['delete', 'rotate', 'delete', 'rotate'].map((name) =>
      send(erin, page, `${path}/${name}`, { understood: 'yes' }),
    )
    for (const { status } of await Promise.all(asked)) expect([200, 404]).toContain(status)
  })

  test('refuse a webhook whose app is deleted during the challenge', async () => {
    for (const isRight of [true, false]) {
      const { made, id } = await createdApp({ name: 'Gone' })
      receiver.answerChallengesWith(async (response, token) => {
        await server.command('app.delete', { app: id })
        if (isRight) answersCorrectly(factOf(made, 'API key secret')!)(response, token)
        else repliesWith(500)(response, token)
      })
      const answer = await server.post(
        '/2/webhooks',
        { url: receiver.url() },
        { bearer: factOf(made, 'Bearer token')! },
      )
      expect(answer.status, answer.text).toBe(isRight ? 401 : 400)
    }
  })
})

describe('an app of somebody else', () => {
  test('is not found, whatever is sent', async () => {
    const app = await makeApp(server, { owner: 'bob', name: 'Of Bob' })
    const path = `/i/developer/apps/${app.id}`
    const csrf = (await erin.open('/i/developer')).forms[0]!.fields.csrf!
    expect((await fetch(`${server.baseUrl}${path}`, { redirect: 'manual' })).status).toBe(302)
    for (const form of ['update', 'rotate', 'webhooks', 'webhooks/validate', 'webhooks/delete']) {
      const sent = await erin.post(`${path}/${form}`, { csrf, ...APP, understood: 'yes', url: receiver.url() })
      expect([form, sent.status]).toEqual([form, 404])
      expect((await erin.post(`${path}/${form}`, { ...APP })).status).toBe(403)
    }
    expect((await server.get('/2/users/by/username/erin', { bearer: app.bearer_token })).status).toBe(200)
  })
})
