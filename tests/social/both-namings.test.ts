import http from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { makePost } from './acting.ts'

let server: TestServer
let target: string
let reply: string
const WORDS = 'post repost reposts retweet tweet Tweets posts Post'
beforeAll(async () => {
  server = await startTestServer()
  target = await makePost(server, 'alice', { text: WORDS })
  reply = await makePost(server, 'bob', { text: 'A post about posts', reply: { in_reply_to_post_id: target } })
})
afterAll(() => server.close())

// biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests assert.
type Body = any
const NEUTRAL = '?post.fields=public_metrics,edit_history_post_ids,referenced_posts&expansions=referenced_posts.id'
const LEGACY = '?tweet.fields=public_metrics,edit_history_tweet_ids,referenced_tweets&expansions=referenced_tweets.id'

function expectNeutral(body: Body): void {
  expect(Object.keys(body.data).sort()).toEqual([
    'edit_history_post_ids',
    'id',
    'public_metrics',
    'referenced_posts',
    'text',
  ])
  expect(Object.keys(body.data.public_metrics)).toContain('repost_count')
  expect(body.data.referenced_posts).toEqual([{ type: 'replied_to', id: target }])
  expect(body.data.text).toBe('A post about posts')
  expect(Object.keys(body.includes)).toEqual(['posts'])
  expect(body.includes.posts[0].text).toBe(WORDS)
}

function expectLegacy(body: Body): void {
  expect(Object.keys(body.data).sort()).toEqual([
    'edit_history_tweet_ids',
    'id',
    'public_metrics',
    'referenced_tweets',
    'text',
  ])
  expect(Object.keys(body.data.public_metrics)).toContain('retweet_count')
  expect(Object.keys(body.data.public_metrics)).not.toContain('repost_count')
  expect(body.data.referenced_tweets).toEqual([{ type: 'replied_to', id: target }])
  expect(body.data.text).toBe('A post about posts')
  expect(Object.keys(body.includes)).toEqual(['tweets'])
  expect(body.includes.tweets[0].text).toBe(WORDS)
}

describe('the naming of a lookup is', () => {
  test('neutral by default', async () => {
    expectNeutral((await server.get(`/2/posts/${reply}${NEUTRAL}`)).body)
  })

  test('legacy on a legacy path', async () => {
    expectLegacy((await server.get(`/2/tweets/${reply}${LEGACY}`)).body)
    const bare = await server.get(`/2/tweets?ids=${reply},42&expansions=author_id`)
    expect(bare.body.data[0]).toEqual({ id: reply, text: 'A post about posts', author_id: server.userId('bob') })
    expect(bare.body.errors[0].resource_type).toBe('tweet')
  })

  // Some client libraries send neutral parameters to legacy paths and read neutral members.
  test('neutral on a legacy path whose query uses only neutral names', async () => {
    expectNeutral((await server.get(`/2/tweets/${reply}${NEUTRAL}`)).body)
  })

  test('legacy on a neutral path whose query uses a legacy name or value', async () => {
    expectLegacy((await server.get(`/2/posts/${reply}${LEGACY}`)).body)
    expectLegacy(
      (await server.get(`/2/posts/${reply}${NEUTRAL.replace('edit_history_post_ids', 'edit_history_tweet_ids')}`)).body,
    )
  })

  test('legacy for a request to a legacy host, with or without a port', async () => {
    const path = '/2/users/by/username/alice?user.fields=public_metrics'
    for (const host of ['api.x.com', 'api.twitter.com:443'])
      expect((await getFrom(host, path)).data.public_metrics).toHaveProperty('tweet_count')
    expectLegacy(await getFrom('api.x.com', `/2/tweets/${reply}${LEGACY}`))
    expect((await getFrom('posts.example.com', path)).data.public_metrics).toHaveProperty('post_count')
  })

  describe('for an app that is set to legacy', () => {
    const set = async (naming: string) => {
      const { apps } = await server.command('app.list')
      await server.command('app.update', { app: apps[0].id, naming })
    }
    afterEach(() => set('auto'))

    test('legacy on a neutral path, at once and only while it is set', async () => {
      await set('legacy')
      expectLegacy((await server.get(`/2/posts/${reply}${NEUTRAL}`)).body)
      expectLegacy((await server.get(`/2/posts/${reply}${NEUTRAL}`, { user: 'dario' })).body)
      expectNeutral((await server.get(`/2/posts/${reply}${NEUTRAL}`, 'second-app')).body)
      await set('auto')
      expectNeutral((await server.get(`/2/posts/${reply}${NEUTRAL}`)).body)
    })
  })
})

function getFrom(host: string, path: string): Promise<Body> {
  const authorization = `Bearer ${server.credentials.apps[0]!.bearer_token}`
  return new Promise((resolve, reject) => {
    http
      .get(`${server.baseUrl}${path}`, { headers: { host, authorization }, agent: false }, (answer) => {
        let text = ''
        answer.on('data', (chunk) => {
          text += chunk
        })
        answer.on('end', () => resolve(JSON.parse(text)))
      })
      .on('error', reject)
  })
}

test('users have both namings too: pinned post, metrics, included posts', async () => {
  const legacy = await server.get(
    '/2/users/by/username/alice?user.fields=public_metrics&expansions=pinned_tweet_id&tweet.fields=author_id',
  )
  expect(legacy.body.data.public_metrics).toHaveProperty('tweet_count')
  expect(legacy.body.data.public_metrics).not.toHaveProperty('post_count')
  expect(legacy.body.includes.tweets[0].id).toBe(legacy.body.data.pinned_tweet_id)
  const neutral = await server.get('/2/users/by/username/alice?user.fields=public_metrics&expansions=pinned_post_id')
  expect(neutral.body.data.public_metrics).toHaveProperty('post_count')
  expect(neutral.body.includes.posts[0].id).toBe(neutral.body.data.pinned_post_id)
})

test('texts, names and urls of people are never renamed', async () => {
  await server.command('user.create', { username: 'post', name: 'Post repost', description: 'posts and #reposts' })
  await server.command('user.create', { username: 'tweet', name: 'Tweet retweet' })
  const id = await makePost(server, 'alice', {
    text: '#post #reposts @post https://example.com/posts?post=repost $POST',
  })
  const legacy = await server.get(
    `/2/tweets/${id}?tweet.fields=entities,source&expansions=entities.mentions.username&user.fields=description`,
  )
  expect(legacy.body.data.text).toMatch(/^#post #reposts @post https:\S+ \$POST$/)
  const { hashtags, urls, mentions, cashtags } = legacy.body.data.entities
  expect(hashtags.map((tag: Body) => tag.tag)).toEqual(['post', 'reposts'])
  expect(urls[0].expanded_url).toBe('https://example.com/posts?post=repost')
  expect(mentions[0].username).toBe('post')
  expect(cashtags[0].tag).toBe('POST')
  expect(legacy.body.includes.users[0]).toMatchObject({
    username: 'post',
    name: 'Post repost',
    description: 'posts and #reposts',
  })
  const neutral = await server.get('/2/users/by?usernames=tweet,post&user.fields=public_metrics')
  expect(neutral.body.data.map((user: Body) => user.username)).toEqual(['tweet', 'post'])
  expect(neutral.body.data[0].public_metrics).toHaveProperty('post_count')
  expect(
    (await server.get('/2/users/by/username/tweet?user.fields=public_metrics')).body.data.public_metrics,
  ).toHaveProperty('post_count')
})

describe('writing in legacy words', () => {
  test('a post is created, edited, quoted and deleted on the legacy path', async () => {
    const made = await server.post(
      '/2/tweets',
      { text: 'a tweet', reply: { in_reply_to_tweet_id: target } },
      { user: 'alice' },
    )
    expect(made.status).toBe(201)
    expect(made.body).toEqual({ data: { id: expect.any(String), text: 'a tweet' } })
    const quote = await server.post('/2/tweets', { text: 'a quote', quote_tweet_id: target }, { user: 'alice' })
    const edited = await server.post(
      '/2/tweets',
      { text: 'an edit', edit_options: { previous_post_id: quote.body.data.id } },
      { user: 'alice' },
    )
    expect(edited.status).toBe(201)
    const read = await server.get(
      `/2/tweets/${edited.body.data.id}?tweet.fields=edit_history_tweet_ids,referenced_tweets`,
    )
    expect(read.body.data).toMatchObject({
      edit_history_tweet_ids: [quote.body.data.id, edited.body.data.id],
      referenced_tweets: [{ type: 'quoted', id: target }],
    })
    expect((await server.delete(`/2/tweets/${made.body.data.id}`, { user: 'alice' })).body).toEqual({
      data: { deleted: true },
    })
  })

  test('a legacy body on the neutral path is understood and answered in legacy words', async () => {
    const made = await server.post(
      '/2/posts',
      { text: 'legacy body', reply: { in_reply_to_tweet_id: target } },
      { user: 'dario' },
    )
    expect(made.status).toBe(201)
    const refused = await server.post('/2/posts', { text: 'legacy body two', quote_tweet_id: '42' }, { user: 'dario' })
    expect(refused.status).toBe(400)
    expect(refused.body.errors).toEqual([
      { parameters: { quote_tweet_id: ['42'] }, message: 'There is no tweet [42] that you can see.' },
    ])
  })

  test('a neutral body on the legacy path is understood, and so is one with names of both', async () => {
    for (const [path, body] of [
      ['/2/tweets', { text: 'neutral answer', reply: { in_reply_to_post_id: target } }],
      ['/2/tweets', { text: 'neutral quote', quote_post_id: target }],
      ['/2/posts', { text: 'of both', quote_tweet_id: target, edit_options: undefined, reply_settings: 'following' }],
      [`/2/users/${server.userId('dario')}/retweets`, { post_id: target }],
    ] as const)
      expect((await server.post(path, body, { user: 'dario' })).status, JSON.stringify(body)).toBeLessThan(300)
    const twice = { text: 'twice', quote_post_id: target, quote_tweet_id: target }
    const refused = await server.post('/2/tweets', twice, { user: 'dario' })
    expect(refused.status).toBe(400)
    expect(refused.body.errors[0].parameters).toEqual({ '$.quote_post_id': [] })
    expect(refused.body.errors[0].message).toContain('$.quote_post_id: is not an allowed member')
  })

  test('a parameter in both spellings counts as given twice', async () => {
    const read = await server.get(`/2/posts/${target}?post.fields=lang&tweet.fields=created_at`)
    expect(read.status).toBe(200)
    expect(Object.keys(read.body.data)).toEqual(expect.arrayContaining(['lang', 'created_at']))
  })

  test('a text in legacy words does not make a request legacy', async () => {
    const refused = await server.post('/2/posts', { text: 'tweet retweet', quote_post_id: '42' }, { user: 'dario' })
    expect(refused.body.errors).toEqual([
      { parameters: { quote_post_id: ['42'] }, message: 'There is no post [42] that you can see.' },
    ])
  })
})

describe('errors use the naming of the request', () => {
  const asDario = { user: 'dario' } as const

  test('a missing post', async () => {
    const error = {
      value: '42',
      detail: 'Could not find tweet with ids: [42].',
      title: 'Not Found Error',
      resource_type: 'tweet',
      parameter: 'ids',
      resource_id: '42',
      type: `${server.runtime.problemBase}/resource-not-found`,
    }
    expect((await server.get('/2/tweets?ids=42')).body).toEqual({ errors: [error] })
    const neutral = (await server.get('/2/posts?ids=42')).body
    expect(neutral.errors[0]).toMatchObject({ detail: 'Could not find post with ids: [42].', resource_type: 'post' })
  })

  test('a post that is hidden, in the data and behind an expansion', async () => {
    const hidden = await makePost(server, 'erin', { text: 'hidden words' })
    const answer = await makePost(server, 'bob', { text: 'to the hidden', reply: { in_reply_to_post_id: hidden } })
    const read = await server.get(`/2/tweets?ids=${answer},${hidden}&expansions=referenced_tweets.id`)
    expect(read.body.errors).toMatchObject([
      {
        detail: `Sorry, you are not authorized to see the Tweet with ids: [${hidden}].`,
        resource_type: 'tweet',
        section: 'data',
      },
      {
        detail: `Sorry, you are not authorized to see the Tweet with referenced_tweets.id: [${hidden}].`,
        parameter: 'referenced_tweets.id',
        resource_type: 'tweet',
        section: 'includes',
      },
    ])
  })

  test('a private metric', async () => {
    const read = await server.get(`/2/tweets/${target}?tweet.fields=organic_metrics`)
    expect(read.body.errors.map((error: Body) => error.field)).toContain('organic_metrics.retweet_count')
    expect(read.body.errors[0].detail).toMatch(
      /^Sorry, you are not authorized to access 'organic_metrics\.\w+' on the Tweet with id : \[\d+\]\.$/,
    )
  })

  test('an unknown field, with the allowed ones in the same naming', async () => {
    const read = await server.get('/2/tweets?ids=1&tweet.fields=mood')
    expect(Object.keys(read.body.errors[0].parameters)).toEqual(['tweet.fields'])
    expect(read.body.errors[0].message).toMatch(
      /^The `tweet\.fields` query parameter value \[mood\] is not one of \[.*referenced_tweets.*\]$/,
    )
    expect(read.body.errors[0].message).not.toMatch(/post/)
  })

  test('rules of the product', async () => {
    await server.post('/2/tweets', { text: 'twice' }, asDario)
    const twice = await server.post('/2/tweets', { text: 'twice' }, asDario)
    expect(twice.body.detail).toBe('You are not allowed to create a Tweet with duplicate content.')
    expect((await server.delete(`/2/tweets/${target}`, asDario)).body.detail).toBe(
      'You are not authorized to delete this Tweet.',
    )
    const poll = { options: ['a', 'b'], duration_minutes: 5 }
    const both = await server.post('/2/tweets', { text: 'x', poll, quote_tweet_id: '1' }, asDario)
    expect(both.body.errors[0].message).toBe(
      'You can only provide one of poll or quote_tweet_id or direct_message_deep_link or media or card_uri.',
    )
    expect(Object.keys(both.body.errors[0].parameters).sort()).toEqual(['poll', 'quote_tweet_id'])
    const empty = await server.post('/2/tweets', { text: '' }, asDario)
    expect(empty.body.errors[0].message).toBe('The text of a tweet cannot be empty.')
  })

  test('what the client sent stays as it was sent', async () => {
    const users = await server.get('/2/users/by?usernames=repost&tweet.fields=lang')
    expect(users.body.errors[0]).toMatchObject({
      detail: 'Could not find user with usernames: [repost].',
      value: 'repost',
      resource_type: 'user',
    })
    const place = await server.post('/2/tweets', { text: 'somewhere', geo: { place_id: 'post' } }, asDario)
    expect(place.body.errors[0]).toEqual({
      parameters: { 'geo.place_id': ['post'] },
      message: 'There is no place [post].',
    })
  })
})
