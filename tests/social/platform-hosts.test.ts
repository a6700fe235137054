import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { change } from '../../src/api-kit/runtime.ts'
import { grantAdd, issueTokens } from '../../src/identity/oauth2/tokens.ts'
import { sendExactly } from '../identity/steps.ts'
import { makeMp4, makePng } from '../support/make-media.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { sign } from '../support/sign.ts'
import { until } from '../support/until.ts'

let server: TestServer
let withMedia: string
beforeAll(async () => {
  server = await startTestServer([], { events: true })
  const media = { media: makePng(20, 10).toString('base64'), media_category: 'post_image' }
  const picture = await server.post('/2/media/upload', media, { user: 'alice' })
  withMedia = await postOf('Look', [picture.body.data.id])
})
afterAll(() => server.close())

const postOf = async (text: string, mediaIds: string[]): Promise<string> =>
  (await server.post('/2/posts', { text, media: { media_ids: mediaIds } }, { user: 'alice' })).body.data.id

interface Sent {
  method?: string
  host?: string
  user?: string
  bearer?: string
  json?: unknown
}

/** A request as a program sends it that has the platform's names built in. */
function ask(path: string, { method = 'GET', host = 'api.twitter.com', user, bearer, json }: Sent = {}) {
  const app = `Bearer ${bearer ?? server.credentials.apps[0]!.bearer_token}`
  const authorization = user ? sign(method, `https://${host}${path}`, server.keysOf(user), {}) : app
  const body = json === undefined ? {} : { body: JSON.stringify(json) }
  const headers = { host, authorization, ...(json === undefined ? {} : { 'content-type': 'application/json' }) }
  return sendExactly(server, { method, path, headers, ...body })
}

describe('at the host names of the platform', () => {
  test('every post has its versions, also where nobody asks for them', async () => {
    const bare = await ask(`/2/tweets/${withMedia}`)
    expect(Object.keys(bare.body.data).sort()).toEqual(['edit_history_tweet_ids', 'id', 'text'])
    expect(bare.body.data.edit_history_tweet_ids).toEqual([withMedia])
    for (const fields of ['tweet.fields=lang', 'post.fields=lang', 'tweet.fields=lang,edit_history_tweet_ids'])
      expect((await ask(`/2/tweets?ids=${withMedia}&${fields}`)).body.data[0]).toMatchObject({
        lang: expect.any(String),
        edit_history_tweet_ids: [withMedia],
      })
    const pinned = await ask('/2/users/by/username/alice?expansions=pinned_tweet_id')
    expect(pinned.body.includes.tweets[0].edit_history_tweet_ids).toHaveLength(1)
    const made = await ask('/2/tweets', { method: 'POST', user: 'alice', json: { text: 'From a program' } })
    expect(made.status).toBe(201)
    expect(made.body.data.edit_history_tweet_ids).toEqual([made.body.data.id])
    expect(made.headers.get('location')).toBe(`https://api.twitter.com/2/tweets/${made.body.data.id}`)
    expect((await ask('/2/tweets?ids=1&tweet.fields=')).status).toBe(400)
    const wrong = await ask('/2/tweets?ids=1&tweet.fields=shoe_size')
    expect(wrong.body.errors[0].parameters).toEqual({ 'tweet.fields': ['shoe_size'] })
  })

  test('the words are legacy, whatever the request says', async () => {
    const path = '/2/users/me?user.fields=public_metrics'
    expect((await ask(path, { user: 'alice' })).body.data.public_metrics).toHaveProperty('tweet_count')
    const neutral = await ask(`/2/posts/${withMedia}?post.fields=public_metrics`, { host: 'API.X.com' })
    expect(neutral.body.data.public_metrics).toHaveProperty('retweet_count')
    const missing = await ask('/2/posts?ids=1')
    expect(missing.body.errors[0].resource_type).toBe('tweet')
  })

  test('problem types have the address of the platform', async () => {
    for (const host of ['api.twitter.com', 'api.x.com']) {
      const base = 'https://api.twitter.com/2/problems'
      expect((await ask('/2/tweets/1', { host })).body.errors[0].type).toBe(`${base}/resource-not-found`)
      expect((await ask('/2/tweets?ids=x', { host })).body.type).toBe(`${base}/invalid-request`)
      expect((await ask('/2/users/me', { host })).body.type).toBe(`${base}/unsupported-authentication`)
      expect((await ask('/2/%zz', { host })).body.type).toBe(`${base}/invalid-request`)
    }
    expect((await server.get('/2/posts/1')).body.errors[0].type).toBe(`${server.baseUrl}/2/problems/resource-not-found`)
  })

  test('faults of a request and broken rules are JSON, and refused credentials are problems', async () => {
    const typeOf = async (path: string, sent: Sent = {}) => (await ask(path, sent)).headers.get('content-type')
    expect(await typeOf('/2/tweets?ids=x')).toBe('application/json; charset=utf-8')
    const twice = { method: 'POST', user: 'bob', json: { text: 'The same again' } }
    await ask('/2/tweets', twice)
    const again = await ask('/2/tweets', twice)
    expect([again.status, again.headers.get('content-type')]).toEqual([403, 'application/json; charset=utf-8'])
    expect(await typeOf('/2/tweets?ids=1', { bearer: 'wrong' })).toBe('application/problem+json; charset=utf-8')
    expect(await typeOf('/2/users/me')).toBe('application/problem+json; charset=utf-8')
    const elsewhere = await server.get('/2/posts?ids=x')
    expect(elsewhere.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
  })

  test('an invalidated token is refused like any wrong credential', async () => {
    const keys = { ...server.keysOf('alice'), token: '1-unknown' }
    const path = '/2/users/me'
    const authorization = sign('GET', `https://api.twitter.com${path}`, keys, {})
    const refused = await sendExactly(server, { path, headers: { host: 'api.twitter.com', authorization } })
    expect(refused.body).toEqual({ title: 'Unauthorized', type: 'about:blank', status: 401, detail: 'Unauthorized' })
    expect((await server.get(path, { keys })).body.errors[0].code).toBe(89)
  })

  test('pictures have the address of the media host, which serves them', async () => {
    const query = 'expansions=attachments.media_keys,author_id&media.fields=url&user.fields=profile_image_url'
    const { body } = await ask(`/2/tweets/${withMedia}?${query}`)
    const { url } = body.includes.media[0]
    expect(url).toMatch(/^https:\/\/pbs\.twimg\.com\/media\/3_/)
    const { pathname, host } = new URL(url)
    for (const end of ['', '?name=orig', ':large']) {
      const served = await ask(pathname + end, { host })
      expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/png'])
    }
    const face = body.includes.users[0].profile_image_url
    expect(face).toMatch(/^https:\/\/pbs\.twimg\.com\/profile_images\/\d+\/default_normal\.png$/)
    expect((await ask(new URL(face).pathname, { host })).status).toBe(200)
    const old = await ask(`/1.1/statuses/show.json?id=${withMedia}`)
    expect(old.body.extended_entities.media[0].media_url_https).toBe(url)
    expect(old.body.user.profile_image_url_https).toBe(face)
    const elsewhere = await server.get(`/2/posts/${withMedia}?${query}`)
    expect(elsewhere.body.includes.media[0].url).toBe(`${server.baseUrl}${pathname}`)
  })

  test('videos have the address of the host for videos', async () => {
    const film = makeMp4()
    const begun = await server.post(
      '/2/media/upload/initialize',
      { media_type: 'video/mp4', media_category: 'post_video', total_bytes: film.length },
      { user: 'alice' },
    )
    const { id, media_key: key } = begun.body.data
    const part = { media: film.toString('base64'), segment_index: 0 }
    await server.post(`/2/media/upload/${id}/append`, part, { user: 'alice' })
    await server.request('POST', `/2/media/upload/${id}/finalize`, { as: { user: 'alice' } })
    const look = () => ask(`/2/media/${key}?media.fields=variants,preview_image_url`, { user: 'alice' })
    const { data } = await until(async () => {
      const { body } = await look()
      return body.data?.variants ? body : undefined
    })
    for (const { url } of data.variants) expect(url).toMatch(/^https:\/\/video\.twimg\.com\/media\/7_/)
    expect(data.preview_image_url).toMatch(/^https:\/\/pbs\.twimg\.com\/media\/7_/)
    const { host, pathname } = new URL(data.variants[0].url)
    expect((await ask(pathname, { host })).headers.get('content-type')).toBe('video/mp4')
  })

  test('links to media items are displayed and opened as the platform does', async () => {
    const { body } = await ask(`/2/tweets/${withMedia}?tweet.fields=entities`, { host: 'api.x.com' })
    const [link] = body.data.entities.urls
    const code = link.url.slice('https://t.co/'.length)
    expect(link.expanded_url).toBe(`https://x.com/alice/status/${withMedia}/photo/1`)
    expect(link.display_url).toBe(`pic.x.com/${code}`)
    const old = await ask(`/1.1/statuses/show.json?id=${withMedia}`)
    expect(old.body.extended_entities.media[0]).toMatchObject({
      display_url: `pic.twitter.com/${code}`,
      expanded_url: `https://twitter.com/alice/status/${withMedia}/photo/1`,
    })
    expect(old.text).not.toContain(server.baseUrl)
    const opened = await ask(`/${code}`, { host: 't.co' })
    expect([opened.status, opened.headers.get('location')]).toEqual([
      302,
      `https://twitter.com/alice/status/${withMedia}/photo/1`,
    ])
    expect((await ask('/nothing123', { host: 't.co' })).status).toBe(404)
    const kept = await server.get(`/2/posts/${withMedia}?post.fields=entities`)
    expect(kept.body.data.entities.urls[0].expanded_url).toBe(`${server.baseUrl}/alice/status/${withMedia}/photo/1`)
  })

  test('links that people wrote stay', async () => {
    const url = 'https://example.com/media/3_1/picture.png'
    const text = `Say "url":"${server.baseUrl}/media/x"`
    const made = await server.post('/2/posts', { text: `${text} and ${url}` }, { user: 'alice' })
    const { body } = await ask(`/2/tweets/${made.body.data.id}?tweet.fields=entities`)
    expect(body.data.entities.urls[0].expanded_url).toBe(url)
    expect(body.data.text).toMatch(text)
  })

  test('lines of a stream have the same addresses and versions', async () => {
    const path = '/2/tweets/search/stream?expansions=author_id&user.fields=profile_image_url'
    await server.post('/2/tweets/search/stream/rules', { add: [{ value: 'streamed' }] })
    const { hostname, port } = new URL(server.baseUrl)
    const authorization = `Bearer ${server.credentials.apps[0]!.bearer_token}`
    const line = new Promise<string>((resolve, reject) => {
      const headers = { host: 'api.x.com', authorization }
      const request = httpRequest({ hostname, port, path, headers, agent: false }, async (answer) => {
        void server.post('/2/posts', { text: 'A streamed post' }, { user: 'alice' })
        for await (const text of answer.setEncoding('utf8'))
          if (text.trim() !== '') {
            request.destroy()
            resolve(text)
            return
          }
      })
      request.on('error', reject)
      request.end()
    })
    const { data, includes } = JSON.parse(await line)
    expect(data.edit_history_tweet_ids).toEqual([data.id])
    expect(includes.users[0].profile_image_url).toMatch(/^https:\/\/pbs\.twimg\.com\//)
  })

  test('a trusted proxy may name the host', async () => {
    const behind = await startTestServer(['--trust-proxy', '1'], { newDatabase: true })
    const authorization = `Bearer ${behind.credentials.apps[0]!.bearer_token}`
    const headers = { host: 'inner.test', 'x-forwarded-host': 'api.x.com', authorization }
    try {
      const path = '/2/users/by/username/alice?expansions=pinned_post_id'
      const { body } = await sendExactly(behind, { path, headers })
      expect(body, JSON.stringify(body)).toHaveProperty('includes.tweets')
      expect(body.includes.tweets[0]).toHaveProperty('edit_history_tweet_ids')
    } finally {
      await behind.close()
    }
  })

  test('an unknown path is refused in the old shape below version 1.1 only', async () => {
    expect((await ask('/1.1/nothing.json')).body.errors[0].code).toBe(34)
    expect((await ask('/2/nothing')).body.status).toBe(404)
  })
})

describe('a request that uses neither spelling', () => {
  const path = '/2/users/by/username/alice?user.fields=public_metrics'
  const countIn = (body: { data: { public_metrics: object } }) =>
    Object.keys(body.data.public_metrics).find((name) => /^(?:post|tweet)_count$/.test(name))

  test.each([
    ['auto', 'post_count'],
    ['neutral', 'post_count'],
    ['legacy', 'tweet_count'],
  ])('has the words of the setting %s', async (naming, expected) => {
    const other = await startTestServer(['--naming', naming])
    try {
      expect(countIn((await other.get(path)).body)).toBe(expected)
      const { body } = await other.get('/2/posts?ids=1')
      expect(body.errors[0].resource_type).toBe('post')
      const likes = `/2/users/${other.userId('alice')}/likes`
      const wordOf = async (json: object) =>
        (await other.post(likes, json, { user: 'alice' })).body.errors[0].parameters
      expect(Object.keys(await wordOf({ post_id: 'x' }))).toEqual(['$.post_id'])
      expect(Object.keys(await wordOf({ tweet_id: 'x' }))).toEqual(['$.tweet_id'])
    } finally {
      await other.close()
    }
  })

  test('follows the words in which its token was asked for', async () => {
    const { runtime } = server
    const { apps } = await server.command('app.list')
    const bearers = await change(runtime, async (tx) => {
      const made = []
      for (const naming of ['legacy', 'neutral']) {
        const id = runtime.ids.next()
        const scopes = ['post.read', 'users.read']
        const now = runtime.clock.now()
        await grantAdd.count(tx, id, apps[0].id, server.userId('alice'), scopes, naming, new Date(now))
        made.push((await issueTokens(tx, { id, scopes }, now)).access)
      }
      return made
    })
    const [legacy, neutral] = bearers as [string, string]
    expect(countIn((await server.get(path, { bearer: legacy })).body)).toBe('tweet_count')
    expect(countIn((await server.get(path, { bearer: neutral })).body)).toBe('post_count')
    const named = await server.get('/2/posts?ids=1', { bearer: legacy })
    expect(named.body.errors[0].resource_type).toBe('post')
  })

  test('is refused by a server with another word for the setting', async () => {
    await expect(startTestServer(['--naming', 'old'])).rejects.toThrow(/auto.*neutral.*legacy/)
  })
})
