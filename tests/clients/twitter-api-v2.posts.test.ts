import { ApiResponseError, type SendTweetV2Params, TwitterApi } from 'twitter-api-v2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LegacyHost, startLegacyHost } from '../support/legacy-host.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { refusalOf } from './refusal.ts'
import { twitterClientOf } from './twitter-client.ts'

let server: TestServer
let host: LegacyHost
let limited: TestServer
let limitedHost: LegacyHost
beforeAll(async () => {
  server = await startTestServer()
  host = await startLegacyHost(server)
  limited = await startTestServer(['--rate-limits', 'on'])
  limitedHost = await startLegacyHost(limited)
})
afterAll(async () => {
  await host.close()
  await limitedHost.close()
  await server.close()
  await limited.close()
})

const clientOf = (username: string, at = server, through = host) => twitterClientOf(at, through, username)
const appClient = () => new TwitterApi(server.credentials.apps[0]!.bearer_token!, { httpAgent: host.agent })

const refusal = (call: Promise<unknown>) => refusalOf(ApiResponseError, call)

test('the library writes a post and reads it back with author and mentions in the legacy naming', async () => {
  const text = "Quotes ' and * and ( ) & = + % ~ survive, so does 日本語 🎉 @bob #words"
  const made = await clientOf('alice').v2.tweet(text)
  expect(made.data.text).toBe(text.replace('&', '&amp;'))
  const read = await clientOf('bob').v2.singleTweet(made.data.id, {
    expansions: ['author_id', 'entities.mentions.username', 'edit_history_tweet_ids'],
    'tweet.fields': ['created_at', 'author_id', 'entities', 'public_metrics', 'edit_controls', 'conversation_id'],
    'user.fields': ['username', 'verified', 'public_metrics', 'most_recent_tweet_id'],
  })
  expect(read.data).toMatchObject({
    id: made.data.id,
    author_id: server.userId('alice'),
    conversation_id: made.data.id,
    edit_history_tweet_ids: [made.data.id],
    public_metrics: { retweet_count: 0, reply_count: 0, like_count: 0, quote_count: 0 },
    edit_controls: { edits_remaining: 5, is_edit_eligible: true },
  })
  expect(read.data.entities!.hashtags.map((tag) => tag.tag)).toEqual(['words'])
  expect(read.includes!.users!.map((user) => user.username)).toEqual(['alice', 'bob'])
  expect(read.includes!.users![0]).toMatchObject({
    most_recent_tweet_id: made.data.id,
    public_metrics: { tweet_count: expect.any(Number) },
  })
  expect(JSON.stringify(read)).not.toMatch(/"[a-z_]*post[a-z_]*":/)
})

test('the library reads private metrics of own posts and, by address, insights', async () => {
  const alice = clientOf('alice')
  const { id } = (await alice.v2.tweet('How often was I seen?')).data
  await server.command('views.add', {
    views: [
      { post: id, count: 9 },
      { post: id, kind: 'profile_click', count: 2 },
    ],
  })
  const read = await alice.v2.singleTweet(id, { 'tweet.fields': ['non_public_metrics', 'organic_metrics'] })
  expect(read.data).toMatchObject({
    non_public_metrics: { impression_count: 9, user_profile_clicks: 2 },
    organic_metrics: { impression_count: 9, retweet_count: 0 },
  })
  const insights = await alice.v2.get('insights/28hr', {
    tweet_ids: id,
    granularity: 'Total',
    requested_metrics: 'Impressions,Retweets',
  })
  expect(insights.data[0].measurement.metrics_total).toEqual([
    {
      tweet_id: id,
      value: [
        { metric_type: 'Impressions', metric_value: 9 },
        { metric_type: 'Retweets', metric_value: 0 },
      ],
    },
  ])
})

test('the library reads a lookup without a result as errors without data', async () => {
  const none = await appClient().v2.singleTweet('12')
  expect(none.data).toBeUndefined()
  expect(none.errors!.map((error) => error.detail)).toEqual(['Could not find tweet with id: [12].'])
})

test('replies and quotes of the library refer to the original posts', async () => {
  const root = await clientOf('alice').v2.tweet('What do you think of the bridge? @bob')
  const reply = await clientOf('bob').v2.reply('It holds.', root.data.id)
  const quote = await clientOf('chika').v2.quote('See this.', root.data.id)
  const found = await appClient().v2.tweets([reply.data.id, quote.data.id], {
    expansions: ['referenced_tweets.id', 'referenced_tweets.id.author_id', 'in_reply_to_user_id'],
    'tweet.fields': ['referenced_tweets', 'in_reply_to_user_id', 'conversation_id'],
  })
  expect(found.data.map((post) => post.referenced_tweets)).toEqual([
    [{ type: 'replied_to', id: root.data.id }],
    [{ type: 'quoted', id: root.data.id }],
  ])
  expect(found.data[0]).toMatchObject({
    in_reply_to_user_id: server.userId('alice'),
    conversation_id: root.data.id,
  })
  expect(found.includes!.tweets!.map((post) => post.id)).toEqual([root.data.id])
  expect(found.includes!.users!.map((user) => user.username)).toContain('alice')
})

test('a thread of the library is one conversation', async () => {
  const thread = await clientOf('dario').v2.tweetThread(['First, the flour.', 'Then the water.', 'Then we wait.'])
  const ids = thread.map((part) => part.data.id)
  const found = await appClient().v2.tweets(ids, { 'tweet.fields': ['conversation_id'] })
  expect(found.data.map((post) => post.conversation_id)).toEqual([ids[0], ids[0], ids[0]])
})

test('a poll of the library has its options and end time', async () => {
  const made = await clientOf('bob').v2.tweet('Tea or coffee?', {
    poll: { duration_minutes: 60, options: ['Tea', 'Coffee'] },
    reply_settings: 'mentionedUsers',
  })
  const read = await clientOf('bob').v2.singleTweet(made.data.id, {
    expansions: ['attachments.poll_ids'],
    'tweet.fields': ['attachments', 'reply_settings'],
    'poll.fields': ['duration_minutes', 'end_datetime', 'options', 'voting_status'],
  })
  expect(read.data.reply_settings).toBe('mentionedUsers')
  expect(read.includes!.polls![0]).toMatchObject({
    id: read.data.attachments!.poll_ids![0],
    duration_minutes: 60,
    voting_status: 'open',
    options: [
      { position: 1, label: 'Tea', votes: 0 },
      { position: 2, label: 'Coffee', votes: 0 },
    ],
  })
})

test('an edit works with the library although it has no edit_options', async () => {
  const alice = clientOf('alice')
  const first = await alice.v2.tweet('Tihs has a typo.')
  const edit = { edit_options: { previous_post_id: first.data.id } } as Partial<SendTweetV2Params>
  const second = await alice.v2.tweet('This has no typo.', edit)
  const read = await alice.v2.singleTweet(second.data.id, { 'tweet.fields': ['edit_history_tweet_ids'] })
  expect(read.data).toMatchObject({
    text: 'This has no typo.',
    edit_history_tweet_ids: [first.data.id, second.data.id],
  })
})

test('the library gets the partial error for a deleted post', async () => {
  const bob = clientOf('bob')
  const made = await bob.v2.tweet('Soon gone.')
  expect(await bob.v2.deleteTweet(made.data.id)).toEqual({ data: { deleted: true } })
  const found = await appClient().v2.tweets([made.data.id])
  expect(found.data).toBeUndefined()
  expect(found.errors).toMatchObject([
    {
      resource_type: 'tweet',
      title: 'Not Found Error',
      detail: `Could not find tweet with ids: [${made.data.id}].`,
      type: expect.stringMatching(/\/resource-not-found$/),
    },
  ])
})

test('users are found by id, by ids, by name and by names, with the pinned post', async () => {
  const app = appClient()
  const [alice, bob] = [server.userId('alice'), server.userId('bob')]
  expect((await app.v2.user(alice)).data).toEqual({ id: alice, name: 'Alice Moreau', username: 'alice' })
  expect((await app.v2.users([alice, bob])).data.map((user) => user.username)).toEqual(['alice', 'bob'])
  const byName = await app.v2.userByUsername('ALICE', {
    expansions: ['pinned_tweet_id'],
    'user.fields': ['pinned_tweet_id', 'verified_type', 'protected'],
    'tweet.fields': ['created_at'],
  })
  expect(byName.data).toMatchObject({ id: alice, protected: false, verified_type: 'blue' })
  expect(byName.includes!.tweets!.map((post) => post.id)).toEqual([byName.data.pinned_tweet_id])
  const byNames = await app.v2.usersByUsernames(['bob', 'nobody_at_all'])
  expect(byNames.data.map((user) => user.id)).toEqual([bob])
  expect(byNames.errors![0]).toMatchObject({
    resource_type: 'user',
    parameter: 'usernames',
    detail: 'Could not find user with usernames: [nobody_at_all].',
  })
})

test('the error class of the library shows detail and type of a refusal', async () => {
  const bob = clientOf('bob')
  await bob.v2.tweet('Said once.')
  const twice = await refusal(bob.v2.tweet('Said once.'))
  expect(twice.code).toBe(403)
  expect(twice.data.detail).toBe('You are not allowed to create a Tweet with duplicate content.')
  const wrong = await refusal(appClient().v2.singleTweet('12', { 'tweet.fields': ['shoe_size' as 'id'] }))
  expect(wrong.code).toBe(400)
  expect(wrong.message).toContain('Request failed with code 400 - Invalid Request: One or more parameters')
  expect(wrong.data.errors).toMatchObject([
    { parameters: { 'tweet.fields': ['shoe_size'] }, message: expect.stringContaining('`tweet.fields`') },
  ])
})

test('an unknown bearer token and a wrong secret are authentication errors for the library', async () => {
  const unknown = await refusal(new TwitterApi('not-a-token', { httpAgent: host.agent }).v2.user('12'))
  expect({ code: unknown.code, isAuthError: unknown.isAuthError }).toEqual({ code: 401, isAuthError: true })
  expect(unknown.data).toEqual({ title: 'Unauthorized', type: 'about:blank', status: 401, detail: 'Unauthorized' })
  const keys = server.keysOf('bob')
  const forged = new TwitterApi(
    { appKey: keys.consumerKey, appSecret: keys.consumerSecret, accessToken: keys.token!, accessSecret: 'wrong' },
    { httpAgent: host.agent },
  )
  expect((await refusal(forged.v2.me())).code).toBe(401)
})

test('the library reads an invalidated access token as a wrong one in version 2, and code 89 in version 1.1', async () => {
  const app = (await server.command('app.list')).apps[0]
  const pair = await server.command('user.token', { user: 'dario', app: app.id })
  const client = new TwitterApi(
    {
      appKey: server.credentials.apps[0]!.api_key,
      appSecret: server.credentials.apps[0]!.api_key_secret,
      accessToken: pair.access_token,
      accessSecret: pair.access_token_secret,
    },
    { httpAgent: host.agent },
  )
  expect(await client.v1.post('oauth/invalidate_token.json')).toEqual({ access_token: pair.access_token })
  const dead = await refusal(client.v2.me())
  expect(dead.code).toBe(401)
  expect(dead.data).toEqual({ title: 'Unauthorized', type: 'about:blank', status: 401, detail: 'Unauthorized' })
  expect((await refusal(client.v1.verifyCredentials())).hasErrorCode(89)).toBe(true)
})

test('the library reads the limit headers and the 429 when a window is used up', async () => {
  const bob = clientOf('bob', limited, limitedHost)
  const first = await bob.v2.get('users/me', {}, { fullResponse: true })
  expect(first.rateLimit).toMatchObject({ limit: 75, remaining: 74 })
  expect(first.rateLimit!.reset * 1000).toBeGreaterThan(Date.now())
  expect(first.rateLimit!.reset * 1000).toBeLessThanOrEqual(Date.now() + 900_000 + 1000)
  for (let call = 0; call < 74; call += 1) await bob.v2.me()
  const over = await refusal(bob.v2.me())
  expect({ code: over.code, rateLimitError: over.rateLimitError }).toEqual({ code: 429, rateLimitError: true })
  expect(over.rateLimit).toMatchObject({ limit: 75, remaining: 0 })
  expect(over.data).toMatchObject({ title: 'Too Many Requests', detail: 'Too Many Requests' })
})
