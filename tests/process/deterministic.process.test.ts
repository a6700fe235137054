import { createHash } from 'node:crypto'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Browser } from '../support/browser.ts'
import {
  type ChildServer,
  removeFolder,
  runRostra,
  startChildServer,
  temporaryFolder,
} from '../support/child-server.ts'
import { makePng } from '../support/make-media.ts'
import { type SigningKeys, sign } from '../support/sign.ts'

// Links in answers contain the port, so all servers have the same one.
const PORT = 33_000 + (process.pid % 900)
const start = (seed: string, dataDir?: string) =>
  startChildServer({
    ...(dataDir ? { dataDir } : {}),
    flags: ['--deterministic', seed, '--port', String(PORT), '--workers', '4'],
  })

const VERIFIER = 'v'.repeat(60)
const CALLBACK = 'http://127.0.0.1:3000/callback'
// biome-ignore lint/suspicious/noExplicitAny: the script reads members of answers.
type Body = any

/** Calls the server in many ways, and returns every answer with its headers. */
async function runScript(server: ChildServer): Promise<string[]> {
  const { apps, users, admin_key: adminKey } = server.credentials
  const answers: string[] = []
  const keep = (what: string, status: number, headers: Headers, text: string) => {
    const shown = [...headers].filter(([name]) => !/-limit-/.test(name)).map((pair) => pair.join(': '))
    answers.push([what, status, ...shown, '', text].join('\n'))
  }
  const keysOf = (username: string): SigningKeys => {
    const user = users.find((item) => item.username === username)!
    return {
      consumerKey: apps[0]!.api_key,
      consumerSecret: apps[0]!.api_key_secret,
      token: user.access_token,
      tokenSecret: user.access_token_secret,
    }
  }
  const request = async (method: string, path: string, header: string | undefined, body?: BodyInit, type?: string) => {
    const headers = {
      ...(header === undefined ? {} : { authorization: header }),
      ...(type === undefined ? {} : { 'content-type': type }),
    }
    const answer = await fetch(server.baseUrl + path, { method, headers, body, redirect: 'manual' })
    const text = await answer.text()
    keep(`${method} ${path}`, answer.status, answer.headers, text)
    try {
      return JSON.parse(text) as Body
    } catch {
      return text as Body
    }
  }
  const by = (username: string) => (method: string, path: string, json?: unknown) =>
    request(
      method,
      path,
      sign(method, server.baseUrl + path, keysOf(username)),
      json === undefined ? undefined : JSON.stringify(json),
      json === undefined ? undefined : 'application/json',
    )
  const alice = by('alice')
  const bob = by('bob')
  const app = (path: string) => request('GET', path, `Bearer ${apps[0]!.bearer_token}`)
  const form = (path: string, fields: Record<string, string>, header?: string) =>
    request('POST', path, header, new URLSearchParams(fields).toString(), 'application/x-www-form-urlencoded')
  const command = (name: string, args: object = {}) =>
    request('POST', `/_rostra/commands/${name}`, `Bearer ${adminKey}`, JSON.stringify(args), 'application/json')

  // Posts and users.
  const me = (await alice('GET', '/2/users/me?user.fields=created_at,public_metrics')).data.id
  const other = (await bob('GET', '/2/users/me')).data.id
  const posts: string[] = []
  for (const text of ['One', 'Two #tag', 'Three @bob', 'Four https://example.com/a'])
    posts.push((await alice('POST', '/2/posts', { text })).data.id)
  await alice('POST', '/2/posts', { text: 'One' })
  await bob('POST', '/2/posts', { text: 'A reply', reply: { in_reply_to_post_id: posts[0] } })
  await bob('POST', '/2/posts', { text: 'A quote', quote_post_id: posts[1] })
  const poll = await bob('POST', '/2/posts', { text: 'Which?', poll: { options: ['a', 'b'], duration_minutes: 60 } })
  await app(`/2/posts/${poll.data.id}?expansions=attachments.poll_ids&poll.fields=end_datetime,voting_status`)
  await bob('POST', `/2/users/${other}/likes`, { post_id: posts[0] })
  await bob('POST', `/2/users/${other}/reposts`, { post_id: posts[1] })
  await alice('POST', `/2/users/${me}/following`, { target_user_id: other })
  await alice('POST', `/2/users/${me}/muting`, { target_user_id: other })
  await app(`/2/posts?ids=${posts.join()}&post.fields=created_at,public_metrics,entities,conversation_id`)
  await app(`/2/users/${me}/posts?max_results=5`)
  await app(`/2/users/${me}/posts?max_results=5&pagination_token=none`)
  await app('/2/posts/search/recent?query=from:alice&max_results=10')
  await app('/2/posts/counts/recent?query=from:alice')
  await alice('GET', `/2/users/${me}/timelines/reverse_chronological?max_results=3`)
  await alice('DELETE', `/2/posts/${posts[3]}`)
  await app(`/2/posts/${posts[3]}`)
  await app('/2/users/by/username/nobody_at_all')
  await app('/2/nothing/here')
  await request('GET', '/2/users/me', 'Bearer wrong')

  // Media.
  const picture = new FormData()
  picture.append('media', new Blob([new Uint8Array(makePng())]))
  picture.append('media_category', 'post_image')
  const media = await request(
    'POST',
    '/2/media/upload',
    sign('POST', `${server.baseUrl}/2/media/upload`, keysOf('alice')),
    picture,
  )
  const pictured = await alice('POST', '/2/posts', { text: 'Seen', media: { media_ids: [media.data.id] } })
  const seen = await app(`/2/posts/${pictured.data.id}?expansions=attachments.media_keys&media.fields=url`)
  await request('GET', new URL(seen.includes.media[0].url).pathname, undefined)

  // Lists, messages, rules, jobs.
  const list = (await alice('POST', '/2/lists', { name: 'Kept' })).data.id
  await alice('POST', `/2/lists/${list}/members`, { user_id: other })
  await alice('POST', `/2/users/${me}/pinned_lists`, { list_id: list })
  await app(`/2/lists/${list}/members`)
  await bob('POST', `/2/dm_conversations/with/${me}/messages`, { text: 'Hello' })
  await alice('GET', '/2/dm_events?dm_event.fields=created_at,sender_id')
  await request(
    'POST',
    '/2/posts/search/stream/rules',
    `Bearer ${apps[0]!.bearer_token}`,
    JSON.stringify({ add: [{ value: 'cat', tag: 'cats' }] }),
    'application/json',
  )
  await app('/2/posts/search/stream/rules')
  await request('POST', '/2/compliance/jobs', `Bearer ${apps[0]!.bearer_token}`, '{"type":"posts"}', 'application/json')

  // Apps, users and tokens.
  const made = await command('app.create', { name: 'Made', owner: 'alice', tier: 'self-serve' })
  const carol = await command('user.create', { username: 'scripted', name: 'Scripted' })
  await command('user.token', { user: carol.username, app: made.id })
  await request(
    'POST',
    '/oauth/request_token',
    sign(
      'POST',
      `${server.baseUrl}/oauth/request_token`,
      { ...keysOf('alice'), token: undefined, tokenSecret: undefined },
      { form: { oauth_callback: CALLBACK } },
    ),
    `oauth_callback=${encodeURIComponent(CALLBACK)}`,
    'application/x-www-form-urlencoded',
  )
  const browser = new Browser(server.baseUrl)
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: apps[0]!.client_id,
    redirect_uri: CALLBACK,
    scope: 'post.read users.read offline.access',
    state: 'kept',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const asked = await browser.open(`/2/oauth2/authorize?${query}`)
  keep('the sign-in page', asked.status, asked.headers, asked.text)
  const consent = await browser.signIn(asked, users[0] as { username: string; password: string })
  keep('the consent page', consent.status, consent.headers, consent.text)
  const left = (await browser.decide(consent, 'approve')).leftFor!
  answers.push(left.href, ...browser.cookieLines)
  const basic = `Basic ${Buffer.from(`${apps[0]!.client_id}:${apps[0]!.client_secret}`).toString('base64')}`
  const code = {
    grant_type: 'authorization_code',
    code: left.searchParams.get('code')!,
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
  }
  const tokens = await form('/2/oauth2/token', code, basic)
  await request('GET', '/2/users/me', `Bearer ${tokens.access_token}`)
  const renewed = await form(
    '/2/oauth2/token',
    { grant_type: 'refresh_token', refresh_token: tokens.refresh_token },
    basic,
  )
  await form('/2/oauth2/revoke', { token: renewed.access_token }, basic)

  // Advertising, and time.
  const account = (server.credentials as Body).ads_account_id
  const funding = (await alice('GET', `/ads/12/accounts/${account}/funding_instruments`)).data[0].id
  const campaign = await alice(
    'POST',
    `/ads/12/accounts/${account}/campaigns?funding_instrument_id=${funding}&name=Spring&daily_budget_amount_local_micro=5000000`,
  )
  await alice('GET', `/ads/12/accounts/${account}/campaigns/${campaign.data?.id}`)
  await alice('POST', `/ads/12/accounts/${account}/scheduled_posts?text=Later&scheduled_at=2026-01-02T13:00:00Z`)
  await command('clock', { advance: '2h' })
  await alice('GET', `/ads/12/accounts/${account}/scheduled_posts`)
  await app('/2/posts/search/recent?query=from:alice&max_results=10&post.fields=created_at')
  await app('/2/trends/by/woeid/1')
  await command('spaces.create', { user: 'alice', title: 'Later' })
  await request('GET', '/health', undefined)
  return answers
}

describe('with a seed', () => {
  const folder = temporaryFolder()
  const dataDir = path.join(folder, 'data')
  let server: ChildServer
  let first: string[]
  beforeAll(async () => {
    server = await start('seed-1', dataDir)
    first = await runScript(server)
  })
  afterAll(async () => {
    await server?.stop()
    removeFolder(folder)
  })

  test('time stands still, and most of the script succeeds', () => {
    expect(first.length).toBeGreaterThan(60)
    const heads = first.map((text) => text.split('\n').slice(0, 2).join(' '))
    expect(heads.filter((head) => / [45]\d\d$/.test(head))).toEqual([
      'POST /2/posts 403',
      expect.stringMatching(/pagination_token=none 400$/),
      'GET /2/nothing/here 404',
      'GET /2/users/me 401',
    ])
    expect(first[0]).toContain('date: Fri, 02 Jan 2026 12:00:00 GMT')
  })

  test('the same script gives the same answers after a reset', async () => {
    await fetch(`${server.baseUrl}/_rostra/reset`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.credentials.admin_key}` },
    })
    expect(await runScript(server)).toEqual(first)
  })

  test('another server gives the same answers', async () => {
    await server.stop()
    server = await start('seed-1')
    expect(await runScript(server)).toEqual(first)
  })

  test('a second start on the same data repeats no id and no token', async () => {
    await server.stop()
    server = await start('seed-1', dataDir)
    const made = await (
      await fetch(`${server.baseUrl}/_rostra/commands/user.create`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.credentials.admin_key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ username: 'later', name: 'Later' }),
      })
    ).text()
    const { id, password } = JSON.parse(made)
    const before = first.join()
    expect({ id: before.includes(id), password: before.includes(password) }).toEqual({ id: false, password: false })
  })

  test('another seed has other keys, and is refused on the same data', async () => {
    await server.stop()
    const other = await runRostra(['start', '--deterministic', 'seed-2', '--port', '0', '--data-dir', dataDir])
    expect(other.code).toBe(1)
    expect(other.stderr).toContain('was not made with this seed of --deterministic')
    const { admin_key: before } = server.credentials
    server = await start('seed-2')
    expect(server.credentials.admin_key).not.toBe(before)
  })
})
