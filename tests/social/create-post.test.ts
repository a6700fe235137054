import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { DAY, forbidden, invalidRequest, keysFor, makePost, postCount, readPost, rows } from './acting.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const create = (body: unknown, user = 'alice') => server.post('/2/posts', body, { user })
const storedPosts = async () => Number((await rows(server, 'select count(*) from post'))[0].count)

/** Checks that the draft is rejected with 400 and that nothing is stored. Returns the faults. */
async function refused(body: unknown, user = 'alice'): Promise<{ parameters: object; message: string }[]> {
  const before = await storedPosts()
  const answer = await create(body, user)
  expect(answer.status, answer.text).toBe(400)
  expect(answer.body).toEqual(invalidRequest(server, ...answer.body.errors))
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
  expect(await storedPosts()).toBe(before)
  return answer.body.errors
}

test('a created post is answered with 201, its id and its text only', async () => {
  const made = await create({ text: 'The plainest post' })
  expect(made.status).toBe(201)
  expect(made.body).toEqual({ data: { id: expect.stringMatching(/^[0-9]{19}$/), text: 'The plainest post' } })
  expect(made.headers.get('content-type')).toBe('application/json; charset=utf-8')
})

test('an app without a user cannot create a post', async () => {
  const answer = await server.post('/2/posts', { text: 'from nobody' }, 'app')
  expect(answer.status).toBe(403)
  expect(answer.body).toEqual({
    title: 'Unsupported Authentication',
    detail:
      'Authenticating with OAuth 2.0 Application-Only is forbidden for this endpoint.  Supported authentication types are [OAuth 1.0a User Context, OAuth 2.0 User Context].',
    type: `${server.runtime.problemBase}/unsupported-authentication`,
    status: 403,
  })
})

test('a new post shows its author, source, language, time and a conversation of its own', async () => {
  const id = await makePost(server, 'dario', { text: 'The bread rises slowly in the cold kitchen this morning' })
  const post = await readPost(
    server,
    id,
    'author_id,source,lang,conversation_id,created_at,reply_settings,display_text_range,possibly_sensitive,paid_partnership,in_reply_to_user_id,referenced_posts,attachments,geo,community_id,entities,note_post',
  )
  expect(post).toEqual({
    id,
    text: 'The bread rises slowly in the cold kitchen this morning',
    author_id: server.userId('dario'),
    source: 'First app',
    lang: 'en',
    conversation_id: id,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
    reply_settings: 'everyone',
    display_text_range: [0, 55],
    possibly_sensitive: false,
    paid_partnership: false,
  })
})

describe('quotes', () => {
  test('an enterprise app quotes a post: the quote starts its own conversation and is counted', async () => {
    const quoted = await makePost(server, 'bob', { text: 'Quote me' })
    const id = await makePost(server, 'alice', { text: 'Gladly', quote_post_id: quoted })
    expect(await readPost(server, id, 'referenced_posts,conversation_id,in_reply_to_user_id')).toEqual({
      id,
      text: 'Gladly',
      conversation_id: id,
      referenced_posts: [{ type: 'quoted', id: quoted }],
    })
    expect((await readPost(server, quoted, 'public_metrics')).public_metrics).toMatchObject({
      quote_count: 1,
      reply_count: 0,
      repost_count: 0,
    })
  })

  test.each(['self-serve', 'free'])('an app on the tier %s cannot quote and learns where to enrol', async (tier) => {
    const { apps } = await server.command('app.list')
    await server.command('app.update', { app: apps[1].id, tier })
    const keys = await keysFor(server, 'alice', 1)
    const quoted = await makePost(server, 'bob', { text: `Not for the tier ${tier}` })
    const before = await storedPosts()
    const answer = await server.post('/2/posts', { text: 'no', quote_post_id: quoted }, { keys })
    expect(answer.status).toBe(403)
    expect(answer.body).toEqual({
      client_id: apps[1].id,
      detail: expect.stringContaining(`the app is on the tier ${tier}`),
      registration_url: expect.stringMatching(/^http:\/\//),
      title: 'Client Forbidden',
      required_enrollment: 'Appropriate Level of API Access',
      reason: 'client-not-enrolled',
      type: `${server.runtime.problemBase}/client-forbidden`,
    })
    expect(await storedPosts()).toBe(before)
  })

  test('a quoted post that does not exist makes quote_post_id invalid', async () => {
    const [fault] = await refused({ text: 'nothing there', quote_post_id: '999' })
    expect(fault!.parameters).toEqual({ quote_post_id: ['999'] })
  })
})

describe('polls', () => {
  const poll = { options: ['tea', 'coffee'], duration_minutes: 5 }

  test('a poll comes with the post by expansion, open until the clock passes its end', async () => {
    const id = await makePost(server, 'bob', { text: 'What to drink?', poll })
    const address = `/2/posts/${id}?expansions=attachments.poll_ids&poll.fields=duration_minutes,end_datetime,voting_status&post.fields=created_at`
    const open = (await server.get(address)).body
    const pollId = open.data.attachments.poll_ids[0]
    expect(open.data.attachments).toEqual({ poll_ids: [pollId] })
    expect(open.includes.polls).toEqual([
      {
        id: pollId,
        options: [
          { position: 1, label: 'tea', votes: 0 },
          { position: 2, label: 'coffee', votes: 0 },
        ],
        duration_minutes: 5,
        end_datetime: expect.any(String),
        voting_status: 'open',
      },
    ])
    const lasts = Date.parse(open.includes.polls[0].end_datetime) - Date.parse(open.data.created_at)
    expect(lasts / 1000).toBeGreaterThanOrEqual(299)
    expect(lasts / 1000).toBeLessThanOrEqual(301)
    await server.command('clock', { advance_ms: 5 * 60_000 + 1_000 })
    expect((await server.get(address)).body.includes.polls[0].voting_status).toBe('closed')
  })

  test.each([
    [
      'four options of 25 characters for a week',
      { options: ['a', 'b', 'c', 'é'.repeat(25)], duration_minutes: 10_080 },
    ],
    ['reply settings of its own', { ...poll, reply_settings: 'following' }],
  ])('a poll with %s is accepted', async (name, given) => {
    const id = await makePost(server, 'bob', { text: `Poll with ${name}`, poll: given })
    const post = await readPost(server, id, 'reply_settings')
    expect(post.reply_settings).toBe('reply_settings' in given ? 'following' : 'everyone')
  })

  test.each([
    ['one option', { ...poll, options: ['a'] }],
    ['five options', { ...poll, options: ['a', 'b', 'c', 'd', 'e'] }],
    ['an empty option', { ...poll, options: ['a', ''] }],
    ['an option of 26 characters', { ...poll, options: ['a', 'b'.repeat(26)] }],
    ['four minutes', { ...poll, duration_minutes: 4 }],
    ['more than a week', { ...poll, duration_minutes: 10_081 }],
    ['a half minute', { ...poll, duration_minutes: 5.5 }],
    ['a duration in words', { ...poll, duration_minutes: '5' }],
    ['no duration', { options: ['a', 'b'] }],
    ['an unknown member', { ...poll, secret: true }],
    ['open reply settings', { ...poll, reply_settings: 'everyone' }],
  ])('a poll with %s is refused', async (_name, given) => {
    const [fault] = await refused({ text: 'a wrong poll', poll: given })
    expect(Object.keys(fault!.parameters)[0]).toMatch(/^\$\.poll/)
  })
})

test.each(['following', 'mentionedUsers', 'subscribers', 'verified'])(
  'reply_settings %s is kept and shown',
  async (setting) => {
    const id = await makePost(server, 'bob', { text: `Answers by ${setting}`, reply_settings: setting })
    expect((await readPost(server, id, 'reply_settings')).reply_settings).toBe(setting)
  },
)

test('paid_partnership is shown, made_with_ai and nullcast are kept', async () => {
  const id = await makePost(server, 'bob', {
    text: 'An advertisement made by a machine',
    paid_partnership: true,
    made_with_ai: true,
    nullcast: true,
  })
  expect((await readPost(server, id, 'paid_partnership')).paid_partnership).toBe(true)
  expect((await rows(server, 'select made_with_ai, nullcast from post where id = $1', [id]))[0]).toEqual({
    made_with_ai: true,
    nullcast: true,
  })
})

test('a promoted-only post is not the most recent post of its author', async () => {
  const latest = await makePost(server, 'bob', { text: 'For everybody' })
  const promoted = await makePost(server, 'bob', { text: 'For those who are paid for', nullcast: true })
  const recent = async () =>
    (await server.get(`/2/users/${server.userId('bob')}?user.fields=most_recent_post_id`)).body.data.most_recent_post_id
  expect(await recent()).toBe(latest)
  const other = await makePost(server, 'bob', { text: 'Gone at once' })
  await server.delete(`/2/posts/${other}`, { user: 'bob' })
  expect(await recent()).toBe(latest)
  expect((await readPost(server, promoted, 'text')).text).toBe('For those who are paid for')
})

describe('communities', () => {
  const communityId = async () => (await rows(server, 'select id from community'))[0].id as string

  test('a member posts in a community and may share it with followers', async () => {
    const community = await communityId()
    const id = await makePost(server, 'bob', {
      text: 'Peas are in',
      community_id: community,
      share_with_followers: true,
    })
    expect((await readPost(server, id, 'community_id')).community_id).toBe(community)
    expect((await rows(server, 'select share_with_followers from post where id = $1', [id]))[0]).toEqual({
      share_with_followers: true,
    })
  })

  test('a user who is not a member of a community cannot post in it', async () => {
    const community = await communityId()
    await rows(server, 'delete from community_member where user_id = $1', [server.userId('dario')])
    const before = await storedPosts()
    const answer = await create({ text: 'Let me in', community_id: community }, 'dario')
    expect(answer.status).toBe(403)
    expect(answer.body).toEqual(forbidden('Only members of a community can create a Post in it.'))
    expect(await storedPosts()).toBe(before)
  })

  test('an unknown community makes community_id invalid', async () => {
    expect((await refused({ text: 'where?', community_id: '42' }))[0]!.parameters).toEqual({ community_id: ['42'] })
    expect((await refused({ text: 'where?', community_id: '9999999999999999999' }))[0]!.parameters).toEqual({
      community_id: ['9999999999999999999'],
    })
  })

  test('share_with_followers without a community is refused', async () => {
    const [fault] = await refused({ text: 'share', share_with_followers: true })
    expect(fault!.parameters).toEqual({ share_with_followers: ['true'] })
  })
})

describe('places', () => {
  const lisbon = 'a1f0c2d4e5b60002'

  test('a known place is shown and comes by expansion', async () => {
    const id = await makePost(server, 'bob', { text: 'On the hills', geo: { place_id: lisbon } })
    const read = await server.get(`/2/posts/${id}?expansions=geo.place_id&place.fields=country_code,geo,place_type`)
    expect(read.body.data.geo).toEqual({ place_id: lisbon })
    expect(read.body.includes.places).toEqual([
      {
        id: lisbon,
        full_name: 'Lisbon, Portugal',
        country_code: 'PT',
        place_type: 'city',
        geo: { type: 'Feature', bbox: [-9.23, 38.69, -9.09, 38.8], properties: {} },
      },
    ])
  })

  test('an unknown place is refused', async () => {
    const [fault] = await refused({ text: 'nowhere', geo: { place_id: 'ffffffffffffffff' } })
    expect(fault!.parameters).toEqual({ 'geo.place_id': ['ffffffffffffffff'] })
  })

  test('the place is silently left out when its author has geo off', async () => {
    await server.command('user.update', { user: 'dario', geo_enabled: false })
    const id = await makePost(server, 'dario', { text: 'Hidden kitchen', geo: { place_id: lisbon } })
    expect(await readPost(server, id, 'geo')).toEqual({ id, text: 'Hidden kitchen' })
    const unknown = await makePost(server, 'dario', { text: 'No kitchen', geo: { place_id: 'ffffffffffffffff' } })
    expect(await readPost(server, unknown, 'geo')).toEqual({ id: unknown, text: 'No kitchen' })
  })
})

test('a deep link into messages is appended to the text and weighs nothing', async () => {
  const link = `https://example.com/messages/compose?recipient_id=${server.userId('bob')}`
  const text = 'm'.repeat(280)
  const made = await create({ text, direct_message_deep_link: link }, 'dario')
  expect(made.status).toBe(201)
  const { entities, text: shown } = await readPost(server, made.body.data.id, 'entities')
  expect(shown.startsWith(`${text} `)).toBe(true)
  expect(entities.urls).toHaveLength(1)
  expect(entities.urls[0]).toMatchObject({ expanded_url: link, start: 281, end: shown.length })
  expect((await refused({ text: 'x', direct_message_deep_link: 'https://example.com/' }))[0]!.parameters).toEqual({
    direct_message_deep_link: ['https://example.com/'],
  })
})

test.each([['for_super_followers_only', { for_super_followers_only: true }]])(
  '%s, which this server cannot do yet, is refused and nothing is stored',
  async (name, member) => {
    const faults = await refused({ text: `with ${name}`, ...member })
    expect(faults).toHaveLength(1)
    expect(Object.keys(faults[0]!.parameters)).toEqual([name])
    expect(faults[0]!.message).toMatch(/this server has no/)
  },
)

test('of poll, quote, deep link, media and card only one may be given', async () => {
  const poll = { options: ['a', 'b'], duration_minutes: 5 }
  const [fault] = await refused({ text: 'too much', poll, quote_post_id: '1' })
  expect(fault).toEqual({
    parameters: { poll: [JSON.stringify(poll)], quote_post_id: ['1'] },
    message: 'You can only provide one of poll or quote_post_id or direct_message_deep_link or media or card_uri.',
  })
})

test.each([
  ['an unknown member', { text: 'x', colour: 'red' }, '$.colour'],
  ['an unknown member inside reply', { text: 'x', reply: { in_reply_to_post_id: '1', loud: true } }, '$.reply.loud'],
  ['a reply without its target', { text: 'x', reply: {} }, '$.reply.in_reply_to_post_id'],
  ['a text that is a number', { text: 5 }, '$.text'],
  ['a text that is null', { text: null }, '$.text'],
  ['a flag in words', { text: 'x', nullcast: 'true' }, '$.nullcast'],
  ['an id that is a number', { text: 'x', quote_post_id: 1 }, '$.quote_post_id'],
  ['an id with letters', { text: 'x', reply: { in_reply_to_post_id: '1a' } }, '$.reply.in_reply_to_post_id'],
  ['an id of 20 digits', { text: 'x', quote_post_id: '1'.repeat(20) }, '$.quote_post_id'],
  ['unknown reply settings', { text: 'x', reply_settings: 'everyone' }, '$.reply_settings'],
  ['a list in place of an object', { text: 'x', geo: [] }, '$.geo'],
  ['a list as the whole body', [], '$'],
  ['no member at all', {}, 'text'],
  ['an empty text', { text: '' }, 'text'],
  ['blanks only', { text: ' \n\t ' }, 'text'],
])('a body with %s is refused with the name of the fault', async (_name, body, where) => {
  const faults = await refused(body)
  expect(faults.map((fault) => Object.keys(fault.parameters)[0])).toContain(where)
})

describe('duplicates', () => {
  const refusal = forbidden('You are not allowed to create a Post with duplicate content.')

  test('the same text is rejected from the same author, but not from another author or as a reply', async () => {
    const id = await makePost(server, 'bob', { text: 'Say it once' })
    const count = await postCount(server, 'bob')
    const again = await create({ text: ' Say it once ' }, 'bob')
    expect(again.status).toBe(403)
    expect(again.body).toEqual(refusal)
    expect(await postCount(server, 'bob')).toBe(count)
    expect((await create({ text: 'Say it once' }, 'dario')).status).toBe(201)
    const poll = { options: ['yes', 'no'], duration_minutes: 5 }
    expect((await create({ text: 'Say it once', poll }, 'bob')).status).toBe(201)
    expect((await create({ text: 'Say it once', poll }, 'bob')).body).toEqual(refusal)
    expect((await create({ text: 'Say it once', reply: { in_reply_to_post_id: id } }, 'bob')).status).toBe(201)
  })

  test('the same text about another quoted post is another post, about the same one it is not', async () => {
    const [first, second] = [
      await makePost(server, 'alice', { text: 'Quoted first' }),
      await makePost(server, 'alice', { text: 'Quoted second' }),
    ]
    expect((await create({ text: 'Well said', quote_post_id: first }, 'bob')).status).toBe(201)
    expect((await create({ text: 'Well said', quote_post_id: second }, 'bob')).status).toBe(201)
    expect((await create({ text: 'Well said' }, 'bob')).status).toBe(201)
    expect((await create({ text: 'Well said', quote_post_id: first }, 'bob')).body).toEqual(refusal)
  })

  test('of ten equal posts at the same moment exactly one is stored', async () => {
    const count = await postCount(server, 'dario')
    const answers = await Promise.all(Array.from({ length: 10 }, () => create({ text: 'All at once' }, 'dario')))
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array(9).fill(403)])
    expect(await rows(server, "select 1 from post where text = 'All at once'")).toHaveLength(1)
    expect(await postCount(server, 'dario')).toBe(count + 1)
  })

  test('the same text may be posted again after a day of the clock, not before', async () => {
    await makePost(server, 'bob', { text: 'Good morning' })
    await server.command('clock', { advance_ms: DAY - 60_000 })
    expect((await create({ text: 'Good morning' }, 'bob')).body).toEqual(refusal)
    await server.command('clock', { advance_ms: 61_000 })
    expect((await create({ text: 'Good morning' }, 'bob')).status).toBe(201)
    expect((await create({ text: 'Good morning' }, 'bob')).body).toEqual(refusal)
  })

  test('the same text may be posted again as soon as the first post is deleted', async () => {
    const id = await makePost(server, 'bob', { text: 'Regretted' })
    await server.delete(`/2/posts/${id}`, { user: 'bob' })
    expect((await create({ text: 'Regretted' }, 'bob')).status).toBe(201)
  })
})
