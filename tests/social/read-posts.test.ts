import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { DAY, invalidRequest, makePost } from './acting.ts'

let server: TestServer
let first: string
let second: string
beforeAll(async () => {
  server = await startTestServer()
  first = await makePost(server, 'alice', { text: 'first of two' })
  second = await makePost(server, 'bob', { text: 'second of two', reply: { in_reply_to_post_id: first } })
})
afterAll(() => server.close())

const names = (users: { username: string }[]) => users.map((user) => user.username)
const notFound = (id: string, parameter: string) => ({
  value: id,
  detail: `Could not find post with ${parameter}: [${id}].`,
  title: 'Not Found Error',
  resource_type: 'post',
  parameter,
  resource_id: id,
  type: `${server.runtime.problemBase}/resource-not-found`,
})

describe('lookup of posts', () => {
  test('takes the fields that nothing here fills, and never shows them', async () => {
    const answer = await server.get(`/2/posts/${first}?post.fields=article,context_annotations,withheld`)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.data).toEqual({ id: first, text: 'first of two' })
  })

  test('gives only id and text, in the order of the ids', async () => {
    const read = await server.get(`/2/posts?ids=${second},${first}`)
    expect(read.status).toBe(200)
    expect(read.text).toBe(
      JSON.stringify({
        data: [
          { id: second, text: 'second of two' },
          { id: first, text: 'first of two' },
        ],
      }),
    )
    expect(read.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(read.headers.get('api-version')).toBe('2.166')
  })

  test('reports the ids without a post besides the others', async () => {
    const read = await server.get(`/2/posts?ids=1,${first},9223372036854775807,9223372036854775808,9999999999999999999`)
    expect(read.status).toBe(200)
    expect(read.body).toEqual({
      data: [{ id: first, text: 'first of two' }],
      errors: ['1', '9223372036854775807', '9223372036854775808', '9999999999999999999'].map((id) =>
        notFound(id, 'ids'),
      ),
    })
  })

  test('has no data when every id is invalid', async () => {
    const read = await server.get('/2/posts?ids=1,2')
    expect(read.status).toBe(200)
    expect(read.body).toEqual({ errors: [notFound('1', 'ids'), notFound('2', 'ids')] })
  })

  test('of one post that does not exist is a 200 with only the same error', async () => {
    for (const id of ['1', '9223372036854775808']) {
      const read = await server.get(`/2/posts/${id}`)
      expect(read.status).toBe(200)
      expect(read.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(read.body).toEqual({ errors: [notFound(id, 'id')] })
    }
  })

  test('accepts 100 ids and rejects 101', async () => {
    const ids = Array.from({ length: 99 }, (_, index) => String(index + 1))
    const read = await server.get(`/2/posts?ids=${[...ids, first]}`)
    expect(read.body.data).toHaveLength(1)
    expect(read.body.errors).toHaveLength(99)
    const over = await server.get(`/2/posts?ids=${[...ids, first, second]}`)
    expect(over.status).toBe(400)
    expect(over.body).toEqual(
      invalidRequest(server, {
        parameters: { ids: [[...ids, first, second].join()] },
        message: 'The number of values in the `ids` query parameter list [101] is not between 1 and 100',
      }),
    )
  })

  test.each([
    ['no ids', '', { ids: [] }, 'The `ids` query parameter can not be empty'],
    ['an empty list', 'ids=', { ids: [] }, 'The `ids` query parameter can not be empty'],
    ['a bad id', 'ids=1,abc', { ids: ['1,abc'] }, 'The `ids` query parameter value [abc] is not valid'],
    ['a gap in the list', 'ids=1,,2', { ids: ['1,,2'] }, 'The `ids` query parameter value [] is not valid'],
    [
      'an id of 20 digits',
      `ids=${'1'.repeat(20)}`,
      { ids: ['1'.repeat(20)] },
      `The \`ids\` query parameter value [${'1'.repeat(20)}] is not valid`,
    ],
    [
      'a repeated field',
      'ids=1&post.fields=lang,lang',
      { 'post.fields': ['lang,lang'] },
      'The `post.fields` query parameter value [lang] is given more than once',
    ],
    [
      'an empty list of fields',
      'ids=1&post.fields=',
      { 'post.fields': [] },
      'The `post.fields` query parameter can not be empty',
    ],
  ])('refuses %s', async (_name, query, parameters, message) => {
    const read = await server.get(`/2/posts?${query}`)
    expect(read.status).toBe(400)
    expect(read.body).toEqual(invalidRequest(server, { parameters, message }))
  })

  test('lists the fields and expansions that exist when one is unknown', async () => {
    const read = await server.get('/2/posts?ids=1&post.fields=lang,colour&expansions=mood')
    expect(read.status).toBe(400)
    expect(read.body.errors).toEqual([
      {
        parameters: { 'post.fields': ['lang,colour'] },
        message: expect.stringMatching(
          /^The `post.fields` query parameter value \[colour\] is not one of \[.*author_id,.*\]$/,
        ),
      },
      {
        parameters: { expansions: ['mood'] },
        message: expect.stringMatching(
          /^The `expansions` query parameter value \[mood\] is not one of \[.*author_id,.*\]$/,
        ),
      },
    ])
  })

  test('rejects an unknown parameter and lists the known ones', async () => {
    const read = await server.get('/2/posts?ids=1&max_results=5')
    expect(read.status).toBe(400)
    expect(read.body.errors).toEqual([
      {
        parameters: { max_results: ['5'] },
        message: expect.stringMatching(
          /^The query parameter \[max_results\] is not one of \[ids,post\.fields,.*expansions.*\]$/,
        ),
      },
    ])
  })

  test('rejects a path that is not an id', async () => {
    const read = await server.get('/2/posts/abc')
    expect(read.status).toBe(400)
    expect(read.body).toEqual(
      invalidRequest(server, {
        parameters: { id: ['abc'] },
        message: 'The `id` query parameter value [abc] is not valid',
      }),
    )
  })
})

describe('expansions', () => {
  test('include each object once and add their own link to the data', async () => {
    const third = await makePost(server, 'bob', { text: 'hello @alice @bob', reply: { in_reply_to_post_id: first } })
    const read = await server.get(
      `/2/posts?ids=${second},${third}&expansions=author_id,in_reply_to_user_id,entities.mentions.username,referenced_posts.id`,
    )
    expect(names(read.body.includes.users).sort()).toEqual(['alice', 'bob'])
    expect(read.body.includes.posts).toEqual([{ id: first, text: 'first of two' }])
    expect(read.body.data[0]).toEqual({
      id: second,
      text: 'second of two',
      author_id: server.userId('bob'),
      in_reply_to_user_id: server.userId('alice'),
      referenced_posts: [{ type: 'replied_to', id: first }],
    })
    expect(read.body.errors).toBeUndefined()
  })

  test('follow a referenced post to its author; the posts are included too', async () => {
    const read = await server.get(`/2/posts/${second}?expansions=referenced_posts.id.author_id&user.fields=verified`)
    expect(read.body.includes).toEqual({
      posts: [{ id: first, text: 'first of two', author_id: server.userId('alice') }],
      users: [{ id: server.userId('alice'), name: 'Alice Moreau', username: 'alice', verified: true }],
    })
  })

  test('show the requested fields of included objects too', async () => {
    const read = await server.get(
      `/2/posts/${second}?expansions=author_id,referenced_posts.id&post.fields=author_id,lang&user.fields=location`,
    )
    expect(read.body.includes.posts).toEqual([
      { id: first, text: 'first of two', author_id: server.userId('alice'), lang: expect.any(String) },
    ])
    expect(read.body.includes.users[0].location).toBe('Lagos')
  })

  test('that find nothing leave no includes', async () => {
    const read = await server.get(`/2/posts/${first}?expansions=referenced_posts.id,attachments.poll_ids,geo.place_id`)
    expect(read.body).toEqual({ data: { id: first, text: 'first of two' } })
  })

  test('fields of an object that is not expanded change nothing', async () => {
    const read = await server.get(`/2/posts/${first}?user.fields=location&poll.fields=voting_status`)
    expect(read.body).toEqual({ data: { id: first, text: 'first of two' } })
  })
})

describe('private metrics', () => {
  const nonPublic = ['impression_count', 'url_link_clicks', 'user_profile_clicks', 'engagements']
  const fieldErrors = (id: string, member: string, leaves: string[], parameter: string, section: string) =>
    leaves.map((leaf) => ({
      resource_type: 'post',
      field: `${member}.${leaf}`,
      parameter,
      resource_id: id,
      value: id,
      title: 'Field Authorization Error',
      section,
      detail: `Sorry, you are not authorized to access '${member}.${leaf}' on the Post with ${parameter} : [${id}].`,
      type: `${server.runtime.problemBase}/not-authorized-for-field`,
    }))

  test('are visible to the author', async () => {
    const read = await server.get(`/2/posts/${first}?post.fields=non_public_metrics,organic_metrics,promoted_metrics`, {
      user: 'alice',
    })
    expect(read.body.errors).toBeUndefined()
    expect(read.body.data).toEqual({
      id: first,
      text: 'first of two',
      non_public_metrics: {
        impression_count: 0,
        url_link_clicks: 0,
        user_profile_clicks: 0,
        engagements: expect.any(Number),
      },
      organic_metrics: {
        impression_count: 0,
        like_count: 0,
        reply_count: expect.any(Number),
        repost_count: 0,
        url_link_clicks: 0,
        user_profile_clicks: 0,
      },
    })
  })

  test.each([['another user', { user: 'bob' }] as const, ['an app', 'app'] as const])(
    'are refused for %s, member by member, and the post is withheld',
    async (_name, as) => {
      const read = await server.get(`/2/posts?ids=${first}&post.fields=non_public_metrics`, as)
      expect(read.status).toBe(200)
      expect(read.body).toEqual({ errors: fieldErrors(first, 'non_public_metrics', nonPublic, 'ids', 'data') })
    },
  )

  test('of an included post of another user are rejected in the section includes', async () => {
    const read = await server.get(`/2/posts/${second}?expansions=referenced_posts.id&post.fields=non_public_metrics`, {
      user: 'bob',
    })
    expect(read.body.data.id).toBe(second)
    expect(read.body.includes).toBeUndefined()
    expect(read.body.errors).toEqual(
      fieldErrors(first, 'non_public_metrics', nonPublic, 'referenced_posts.id', 'includes'),
    )
  })

  test('are hidden from the author too when the post is older than thirty days', async () => {
    const id = await makePost(server, 'alice', { text: 'ageing' })
    const read = () => server.get(`/2/posts/${id}?post.fields=non_public_metrics`, { user: 'alice' })
    await server.command('clock', { advance_ms: 30 * DAY - 60_000 })
    expect((await read()).body.data.non_public_metrics).toBeDefined()
    await server.command('clock', { advance_ms: 120_000 })
    expect((await read()).body).toEqual({ errors: fieldErrors(id, 'non_public_metrics', nonPublic, 'id', 'data') })
    await server.command('clock', { reset: true })
  })
})
