import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type * as Xdk from '@xdevplatform/xdk'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type LegacyHost, startLegacyHost } from '../support/legacy-host.ts'
import { loadXdk } from '../support/load-xdk.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { refusalOf } from './refusal.ts'

const CALLBACK = 'http://127.0.0.1:3000/callback'

let server: TestServer
let host: LegacyHost
let xdk: typeof Xdk
beforeAll(async () => {
  server = await startTestServer()
  host = await startLegacyHost(server)
  // The library reads the global fetch when it is loaded. There is no other way to redirect its fixed sign-in addresses.
  vi.stubGlobal('fetch', host.fetch)
  xdk = await loadXdk('xdk')
})
afterAll(async () => {
  vi.unstubAllGlobals()
  await host.close()
  await server.close()
})

const firstApp = () => server.credentials.apps[0]!
const person = (username: string) => server.credentials.users.find((user) => user.username === username)!
const oauth1Of = (username: string) =>
  new xdk.OAuth1({
    apiKey: firstApp().api_key,
    apiSecret: firstApp().api_key_secret,
    callback: CALLBACK,
    accessToken: person(username).access_token,
    accessTokenSecret: person(username).access_token_secret,
  })
/** The library at the address of the server, which its settings allow. */
const userClient = (username: string) => new xdk.Client({ baseUrl: server.baseUrl, oauth1: oauth1Of(username) })
const appClient = () => new xdk.Client({ baseUrl: server.baseUrl, bearerToken: firstApp().bearer_token })

const refusal = (call: Promise<unknown>) => refusalOf(xdk.ApiError, call)

test('the library signs as a user and reads the user, at its own address and at ours', async () => {
  const at = { ours: userClient('bob'), theirs: new xdk.Client({ oauth1: oauth1Of('bob') }) }
  for (const client of Object.values(at)) {
    const me = await client.users.getMe({ userFields: ['created_at', 'public_metrics'] })
    expect(me.data).toMatchObject({ id: server.userId('bob'), username: 'bob', createdAt: expect.stringMatching(/Z$/) })
  }
  expect(host.asked.map((request) => request.host)).toContain('api.x.com')
})

test('the library finds users by ids, by name and by names', async () => {
  const app = appClient()
  const ids = [server.userId('alice'), server.userId('dario')]
  expect((await app.users.getByIds(ids)).data!.map((user) => user.username)).toEqual(['alice', 'dario'])
  expect((await app.users.getById(ids[1]!)).data!.name).toBe('Dario Conti')
  const alice = await app.users.getByUsername('alice', {
    userFields: ['verified_type', 'public_metrics'],
    expansions: ['pinned_post_id'],
    postFields: ['created_at'],
  })
  expect(alice.data).toMatchObject({ id: ids[0], verifiedType: 'blue', pinnedPostId: expect.any(String) })
  expect(alice.includes!.posts!.map((post) => post.id)).toEqual([alice.data!.pinnedPostId])
  const names = await app.users.getByUsernames(['bob', 'nobody_at_all'])
  expect(names.data!.map((user) => user.id)).toEqual([server.userId('bob')])
  expect(names.errors).toMatchObject([{ title: 'Not Found Error', resourceType: 'user', value: 'nobody_at_all' }])
})

test('the library writes a post, answers it, quotes it, and deletes it', async () => {
  const made = await userClient('alice').posts.create({ text: 'Written with the official library. @bob' })
  const id = made.data!.id
  const reply = await userClient('bob').posts.create({ text: 'Seen.', reply: { inReplyToTweetId: id } })
  const quote = await userClient('chika').posts.create({ text: 'Look here.', quoteTweetId: id })
  const found = await appClient().posts.getByIds([id, reply.data!.id, quote.data!.id], {
    postFields: ['conversation_id', 'public_metrics'],
    expansions: ['author_id'],
  })
  expect(found.data!.map((post) => post.conversationId)).toEqual([id, id, quote.data!.id])
  expect(found.data!.map((post) => post.authorId)).toEqual(['alice', 'bob', 'chika'].map((name) => server.userId(name)))
  expect(found.data![0]!.publicMetrics).toMatchObject({ replyCount: 1, quoteCount: 1 })
  expect(found.includes!.users!.map((user) => user.username)).toEqual(['alice', 'bob', 'chika'])
  expect(await userClient('alice').posts.delete(id)).toEqual({ data: { deleted: true } })
  const gone = await appClient().posts.getByIds([id])
  expect(gone.errors).toMatchObject([{ title: 'Not Found Error', resourceId: id }])
})

test('a poll and an edit work with the library', async () => {
  const alice = userClient('alice')
  const poll = await alice.posts.create({
    text: 'Lunch?',
    poll: { durationMinutes: 30, options: ['Now', 'Later'] },
  })
  const read = await alice.posts.getById(poll.data!.id, {
    expansions: ['attachments.poll_ids'],
    pollFields: ['options', 'duration_minutes'],
  })
  expect(read.includes!.polls).toMatchObject([{ durationMinutes: 30, options: [{ label: 'Now' }, { label: 'Later' }] }])
  const first = await alice.posts.create({ text: 'Lunhc at noon.' })
  const second = await alice.posts.create({
    text: 'Lunch at noon.',
    editOptions: { previousPostId: first.data!.id },
  })
  const edited = await server.get(`/2/posts/${second.data!.id}?post.fields=edit_history_post_ids`)
  expect(edited.body.data.edit_history_post_ids).toEqual([first.data!.id, second.data!.id])
})

// The library requests neutral fields on a legacy path and reads neutral members of the answer.
test('a request with neutral fields on a legacy path is answered in the neutral naming', async () => {
  const root = await userClient('alice').posts.create({ text: 'Which words do you read? @bob' })
  const reply = await userClient('bob').posts.create({ text: 'These.', reply: { inReplyToTweetId: root.data!.id } })
  const read = await appClient().posts.getById(reply.data!.id, {
    postFields: ['edit_controls'],
    // The library's types have `referenced_posts`, but the reference only has the form with `.id`.
    expansions: ['edit_history_post_ids', 'referenced_posts.id' as 'referenced_posts'],
  })
  expect(read.data!.editHistoryPostIds).toEqual([reply.data!.id])
  expect(read.data!.referencedPosts).toEqual([{ type: 'replied_to', id: root.data!.id }])
  expect(read.includes!.posts!.map((post) => post.id)).toContain(root.data!.id)
})

test('the library reads the analytics of own posts and media, and the private metrics', async () => {
  const alice = userClient('alice')
  const made = await alice.posts.create({ text: 'Counted with the official library.' })
  const id = made.data!.id
  await server.command('views.add', {
    views: [
      { post: id, count: 12 },
      { post: id, kind: 'link_click' },
    ],
  })
  const now = server.runtime.clock.now()
  const [start, end] = [new Date(now - 3600_000).toISOString(), new Date(now).toISOString()]
  const total = await alice.posts.getAnalytics([id], start, end)
  expect(total.data).toMatchObject([{ id, timestampedMetrics: [{ metrics: { impressions: 12, urlClicks: 1 } }] }])
  const hours = await alice.posts.getAnalytics([id, '12'], start, end, {
    granularity: 'hourly',
    analyticsFields: ['impressions', 'retweets'],
  })
  expect(hours.data![0]!.timestampedMetrics!.at(-1)!.metrics).toEqual({ impressions: 12, retweets: 0 })
  expect(hours.errors).toMatchObject([{ title: 'Not Found Error', resourceId: '12' }])
  const media = await alice.media.getAnalytics(['7_12'], start, end, { granularity: 'daily' })
  expect(media.errors).toMatchObject([{ title: 'Not Found Error', resourceId: '7_12' }])
  const read = await alice.posts.getById(id, { postFields: ['non_public_metrics', 'organic_metrics'] })
  expect(read.data).toMatchObject({
    nonPublicMetrics: { impressionCount: 12, urlLinkClicks: 1 },
    organicMetrics: { impressionCount: 12 },
  })
})

test('the library reads a lookup without a result as errors without data', async () => {
  const none = await appClient().posts.getById('12')
  expect(none.data).toBeUndefined()
  expect(none.errors!.map((error) => error.title)).toEqual(['Not Found Error'])
})

test('the error class of the library has the status and body of a refusal', async () => {
  const unknown = await refusal(
    new xdk.Client({ baseUrl: server.baseUrl, bearerToken: 'not-a-token' }).users.getById('12'),
  )
  expect(unknown.status).toBe(401)
  expect(unknown.data).toEqual({ title: 'Unauthorized', type: 'about:blank', status: 401, detail: 'Unauthorized' })
  const missing = await refusal(appClient().webhooks.delete('12'))
  expect(missing.status).toBe(404)
  const twice = userClient('dario')
  await twice.posts.create({ text: 'Said once.' })
  const refused = await refusal(twice.posts.create({ text: 'Said once.' }))
  expect({ status: refused.status, detail: refused.data.detail }).toEqual({
    status: 403,
    detail: 'You are not allowed to create a Tweet with duplicate content.',
  })
})

test('the library registers, lists, checks and removes a webhook on a local receiver', async () => {
  const challenged: string[] = []
  const receiver = createServer((request, response) => {
    const token = new URL(request.url!, 'http://receiver').searchParams.get('crc_token') ?? ''
    challenged.push(token)
    const answer = createHmac('sha256', firstApp().api_key_secret).update(token).digest('base64')
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ response_token: `sha256=${answer}` }))
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  try {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/events`
    const app = appClient()
    const made = await app.webhooks.create({ url })
    expect(made).toEqual({ id: expect.any(String), url, valid: true, createdAt: expect.any(String) })
    const listed = await app.webhooks.get({ webhookConfigFields: ['url', 'valid'] })
    expect(listed.data).toMatchObject([{ id: (made as { id?: string }).id, url, valid: true }])
    const id = listed.data![0]!.id!
    expect((await userClient('alice').webhooks.validate(id)).data).toEqual({ attempted: true, valid: true })
    expect(challenged).toHaveLength(2)
    expect(await app.webhooks.delete(id)).toEqual({ data: { deleted: true } })
    expect((await app.webhooks.get()).data ?? []).toEqual([])
  } finally {
    receiver.closeAllConnections()
    await new Promise((resolve) => receiver.close(resolve))
  }
})

/** The library's steps up to the link that a person opens. */
async function startedFlow(callback: string) {
  const flow = new xdk.OAuth1({ apiKey: firstApp().api_key, apiSecret: firstApp().api_key_secret, callback })
  return { flow, link: await flow.startOAuthFlow() }
}

test('the library completes the OAuth 1.0a flow with a callback', async () => {
  const { flow, link } = await startedFlow(CALLBACK)
  expect(link).toMatch(/^https:\/\/x\.com\/oauth\/authorize\?oauth_token=/)
  const approved = await host.visitor().decide(link, person('chika'), 'approve')
  const pair = await flow.getAccessToken(new URL(approved.location!).searchParams.get('oauth_verifier')!)
  expect(pair.accessToken).toMatch(new RegExp(`^${server.userId('chika')}-`))
  // The object that ran the flow still signs with the secret of the request token, so a new one is needed.
  const fresh = new xdk.OAuth1({
    apiKey: firstApp().api_key,
    apiSecret: firstApp().api_key_secret,
    callback: CALLBACK,
    ...pair,
  })
  expect((await new xdk.Client({ oauth1: fresh }).users.getMe()).data!.username).toBe('chika')
})

test('the library completes the OAuth 1.0a flow with a PIN', async () => {
  const { flow, link } = await startedFlow('oob')
  const page = await host.visitor().decide(link, person('dario'), 'approve')
  const pin = /<code>(\d{7})<\/code>/.exec(page.text)![1]!
  expect((await flow.getAccessToken(pin)).accessToken).toMatch(new RegExp(`^${server.userId('dario')}-`))
})

test('the sign-in link of the library skips the page the second time', async () => {
  const { flow } = await startedFlow(CALLBACK)
  const link = flow.getAuthorizationUrl(true)
  expect(link).toMatch(/^https:\/\/x\.com\/i\/oauth\/authenticate\?oauth_token=/)
  const silent = await host.visitor().decide(link, person('bob'), 'approve')
  expect(new URL(silent.location!).searchParams.get('oauth_verifier')).toMatch(/^\w{20,}$/)
})

/** Runs the code flow with the library's PKCE functions. */
async function codeFlow(config: { clientId: string; clientSecret?: string }, scope: string[]) {
  const oauth2 = new xdk.OAuth2({ ...config, redirectUri: CALLBACK, scope })
  const verifier = xdk.generateCodeVerifier()
  await oauth2.setPkceParameters(verifier, await xdk.generateCodeChallenge(verifier))
  const link = await oauth2.getAuthorizationUrl('my-state')
  const approved = await host.visitor().decide(link, person('bob'), 'approve')
  const back = new URL(approved.location!)
  expect(back.searchParams.get('state')).toBe('my-state')
  return { oauth2, token: await oauth2.exchangeCode(back.searchParams.get('code')!, verifier) }
}

test('a confidential client completes the code flow with the PKCE functions of the library', async () => {
  const scope = ['tweet.read', 'tweet.write', 'users.read', 'offline.access']
  const config = { clientId: firstApp().client_id, clientSecret: firstApp().client_secret }
  const { oauth2, token } = await codeFlow(config, scope)
  expect(token).toMatchObject({ token_type: 'bearer', expires_in: 7200, refresh_token: expect.any(String) })
  expect(token.scope!.split(' ').sort()).toEqual([...scope].sort())
  const client = new xdk.Client({ baseUrl: server.baseUrl, accessToken: token.access_token })
  expect((await client.users.getMe()).data!.username).toBe('bob')
  const made = await client.posts.create({ text: 'Posted with a scope.' })
  expect(await client.posts.delete(made.data!.id)).toEqual({ data: { deleted: true } })

  const renewed = await oauth2.refreshToken()
  expect(renewed.access_token).not.toBe(token.access_token)
  expect(oauth2.isTokenExpired()).toBe(false)
  const after = new xdk.Client({ accessToken: renewed.access_token })
  expect((await after.users.getMe()).data!.username).toBe('bob')
  await expect(oauth2.refreshToken(token.refresh_token)).rejects.toThrow(/400.*Value passed for the token was invalid/)
})

test('a public client completes the code flow without a secret', async () => {
  const app = await server.command('app.create', {
    name: 'Native app',
    owner: 'bob',
    client_type: 'public',
    callback_urls: [CALLBACK],
  })
  const { token } = await codeFlow({ clientId: app.client_id }, ['tweet.read', 'users.read'])
  expect(token.refresh_token).toBeUndefined()
  const client = new xdk.Client({ baseUrl: server.baseUrl, accessToken: token.access_token })
  expect((await client.users.getMe()).data!.username).toBe('bob')
  expect((await refusal(client.posts.create({ text: 'No write scope.' }))).status).toBe(403)
})
