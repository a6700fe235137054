import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { idAt } from '../../src/process/ids.ts'
import { type As, startTestServer, type TestServer } from '../support/server.ts'
import { invalidRequest, makePost, notFoundOnly, rows } from './acting.ts'
import { newUser, walk } from './relating.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const postsOf = (id: string) => `/2/users/${id}/posts`
const idsOf = (body: { data?: { id: string }[] }) => (body.data ?? []).map((item) => item.id)
const EMPTY = { meta: { result_count: 0 } }

/** Stores posts of a user, one per second from `startMs` on. Returns them newest first. */
async function fill(author: string, count: number, startMs: number, columns = ''): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => idAt(startMs + index * 1_000, 900))
  const [names, values] = columns === '' ? ['', ''] : (columns.split('=') as [string, string])
  await rows(
    server,
    `insert into post (id, author_id, text, display_end, lang, conversation_id, first_version_id${names && `, ${names}`})
     select id, $1, 'number ' || id, 10, 'en', id, id${values && `, ${values}`} from unnest($2::bigint[]) as p (id)`,
    [author, ids],
  )
  return ids.reverse()
}

describe('the posts of a user', () => {
  test('are listed newest first, ten by default, with the ids of the page in meta', async () => {
    const { id } = await newUser(server, 'tl_order')
    const ids = await fill(id, 12, Date.UTC(2025, 0, 1))
    const page = await server.get(postsOf(id))
    expect(page.status).toBe(200)
    expect(idsOf(page.body)).toEqual(ids.slice(0, 10))
    expect(page.body.meta).toEqual({
      newest_id: ids[0],
      oldest_id: ids[9],
      next_token: expect.stringMatching(/^[0-9a-z]+$/),
      result_count: 10,
    })
    const last = await server.get(`${postsOf(id)}?pagination_token=${page.body.meta.next_token}`)
    expect(idsOf(last.body)).toEqual(ids.slice(10))
    expect(last.body.meta).toEqual({
      newest_id: ids[10],
      oldest_id: ids[11],
      previous_token: expect.any(String),
      result_count: 2,
    })
    const back = await server.get(`${postsOf(id)}?pagination_token=${last.body.meta.previous_token}`)
    expect(idsOf(back.body)).toEqual(ids.slice(0, 10))
  })

  test('of a user without posts are a page without data', async () => {
    const { id } = await newUser(server, 'tl_silent')
    const page = await server.get(postsOf(id))
    expect(page.status).toBe(200)
    expect(page.body).toEqual(EMPTY)
  })

  test('of an unknown user are not found', async () => {
    expect((await server.get(postsOf('999999999999'))).body).toEqual(notFoundOnly)
    expect((await server.get(postsOf('9999999999999999999'))).body).toEqual(notFoundOnly)
  })

  test('are paged without a gap while new ones arrive', async () => {
    const { id } = await newUser(server, 'tl_walk')
    const ids = await fill(id, 23, Date.UTC(2025, 1, 1))
    const first = await server.get(`${postsOf(id)}?max_results=5`)
    await fill(id, 3, Date.UTC(2025, 1, 2))
    const rest = await walk(server, `${postsOf(id)}?max_results=5&until_id=${first.body.meta.oldest_id}`, 'app')
    expect([...idsOf(first.body), ...rest.ids]).toEqual(ids)
    const second = await server.get(`${postsOf(id)}?max_results=5&pagination_token=${first.body.meta.next_token}`)
    expect(idsOf(second.body)).toEqual(ids.slice(5, 10))
  })

  test('come in their newest version only', async () => {
    const first = await makePost(server, 'alice', { text: 'The tpyo of the timeline' })
    const edited = await makePost(server, 'alice', {
      text: 'The typo of the timeline',
      edit_options: { previous_post_id: first },
    })
    const page = await server.get(`${postsOf(server.userId('alice'))}?max_results=5`)
    expect(idsOf(page.body)[0]).toBe(edited)
    expect(idsOf(page.body)).not.toContain(first)
  })

  test('never include promoted-only posts, not even for their author', async () => {
    const { id, as } = await newUser(server, 'tl_nullcast')
    await makePost(server, as, { text: 'only for an advertisement', nullcast: true })
    expect((await server.get(postsOf(id), as)).body).toEqual(EMPTY)
  })

  test('leave out replies and reposts on request', async () => {
    const { id, as } = await newUser(server, 'tl_exclude')
    const plain = await makePost(server, as, { text: 'a word of my own' })
    const answer = await makePost(server, as, { text: 'and more', reply: { in_reply_to_post_id: plain } })
    const other = await makePost(server, 'bob', { text: 'worth repeating in a timeline' })
    const repost = (await server.post(`/2/users/${id}/reposts`, { post_id: other }, as)).body.data.id
    const read = async (query: string) => idsOf((await server.get(`${postsOf(id)}${query}`)).body)
    expect(await read('')).toEqual([repost, answer, plain])
    expect(await read('?exclude=replies')).toEqual([repost, plain])
    expect(await read('?exclude=reposts')).toEqual([answer, plain])
    expect(await read('?exclude=replies,reposts')).toEqual([plain])
    const bad = await server.get(`${postsOf(id)}?exclude=quotes`)
    expect(bad.status).toBe(400)
    expect(bad.body.errors[0].message).toBe(
      'The `exclude` query parameter value [quotes] is not one of [replies,reposts]',
    )
  })

  test('are no longer listed when they are deleted', async () => {
    const { id, as } = await newUser(server, 'tl_delete')
    const kept = await makePost(server, as, { text: 'this stays' })
    const gone = await makePost(server, as, { text: 'this goes' })
    await server.delete(`/2/posts/${gone}`, as)
    expect(idsOf((await server.get(postsOf(id))).body)).toEqual([kept])
  })
})

describe('whose posts may be listed', () => {
  const refused = (id: string) => ({
    errors: [
      {
        value: id,
        detail: `Sorry, you are not authorized to see the User with id: [${id}].`,
        title: 'Authorization Error',
        resource_type: 'user',
        parameter: 'id',
        resource_id: id,
        section: 'data',
        type: `${server.runtime.problemBase}/not-authorized-for-resource`,
      },
    ],
  })

  test('a protected account shows them to itself and its followers, and others get an error', async () => {
    const id = server.userId('erin')
    for (const as of [{ user: 'erin' }, { user: 'bob' }] as As[])
      expect((await server.get(postsOf(id), as)).body.meta.result_count).toBeGreaterThan(0)
    for (const as of [{ user: 'alice' }, 'app'] as As[]) {
      const answer = await server.get(postsOf(id), as)
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual(refused(id))
    }
  })

  test('a block hides them in both directions', async () => {
    const one = await newUser(server, 'tl_blocker')
    const two = await newUser(server, 'tl_blocked')
    await fill(one.id, 1, Date.UTC(2025, 2, 1))
    await fill(two.id, 1, Date.UTC(2025, 2, 2))
    await server.command('relation.add', { kind: 'block', source: 'tl_blocker', target: 'tl_blocked' })
    expect((await server.get(postsOf(one.id), two.as)).body).toEqual(refused(one.id))
    expect((await server.get(postsOf(two.id), one.as)).body).toEqual(refused(two.id))
    await server.command('relation.remove', { kind: 'block', source: 'tl_blocker', target: 'tl_blocked' })
    expect((await server.get(postsOf(one.id), two.as)).body.meta.result_count).toBe(1)
  })

  test('a mute does not hide them here', async () => {
    const viewer = await newUser(server, 'tl_muter')
    await server.command('relation.add', { kind: 'mute', source: 'tl_muter', target: 'bob' })
    expect((await server.get(postsOf(server.userId('bob')), viewer.as)).body.meta.result_count).toBeGreaterThan(0)
  })

  test('a suspended user is not found', async () => {
    const { id } = await newUser(server, 'tl_suspended')
    await server.command('user.update', { user: 'tl_suspended', suspended: true })
    const answer = await server.get(postsOf(id))
    expect(answer.status).toBe(200)
    expect(answer.body.errors[0].detail).toBe(`User has been suspended: [${id}].`)
  })
})

describe('the bounds', () => {
  const at = Date.UTC(2025, 3, 1)
  let path: string
  let ids: string[]
  beforeAll(async () => {
    const { id } = await newUser(server, 'tl_bounds')
    path = postsOf(id)
    ids = await fill(id, 8, at)
  })
  const read = async (query: string) => idsOf((await server.get(`${path}?${query}`)).body)

  test('since_id and until_id are exclusive', async () => {
    expect(await read(`since_id=${ids[3]}`)).toEqual(ids.slice(0, 3))
    expect(await read(`until_id=${ids[3]}`)).toEqual(ids.slice(4))
    expect(await read(`since_id=${ids[6]}&until_id=${ids[3]}`)).toEqual(ids.slice(4, 6))
    expect(await read('since_id=9999999999999999999')).toEqual([])
    expect(await read('until_id=9999999999999999999')).toEqual(ids)
  })

  test('start_time is inclusive and end_time exclusive', async () => {
    expect(await read('start_time=2025-04-01T00:00:05Z')).toEqual(ids.slice(0, 3))
    expect(await read('end_time=2025-04-01T00:00:05Z')).toEqual(ids.slice(3))
    expect(await read('start_time=2025-04-01T00:00:02Z&end_time=2025-04-01T00:00:04Z')).toEqual(ids.slice(4, 6))
    expect(await read('start_time=2025-04-01T00:00:05.900Z')).toEqual(ids.slice(0, 3))
    expect(await read('start_time=2025-04-01T02:00:05%2B02:00')).toEqual(ids.slice(0, 3))
    expect(await read('end_time=9999-12-31T23:59:59Z')).toEqual(ids)
  })

  test('an id wins over a time on its side', async () => {
    expect(await read(`since_id=${ids[3]}&start_time=2025-04-01T00:00:07Z`)).toEqual(ids.slice(0, 3))
    expect(await read(`until_id=${ids[3]}&end_time=2025-04-01T00:00:01Z`)).toEqual(ids.slice(4))
  })

  test('hold on every page', async () => {
    const inside = `max_results=5&since_id=${ids[7]}&end_time=2025-04-01T00:00:07Z`
    const first = await server.get(`${path}?${inside}`)
    expect(idsOf(first.body)).toEqual(ids.slice(1, 6))
    const second = await server.get(`${path}?${inside}&pagination_token=${first.body.meta.next_token}`)
    expect(idsOf(second.body)).toEqual([ids[6]])
    expect(second.body.meta.next_token).toBeUndefined()
    const back = await server.get(`${path}?${inside}&pagination_token=${second.body.meta.previous_token}`)
    expect(idsOf(back.body)).toEqual(ids.slice(1, 6))
  })

  test.each([
    ['start_time=yesterday', 'start_time', 'yesterday'],
    ['end_time=2025-02-30T00:00:00Z', 'end_time', '2025-02-30T00:00:00Z'],
    ['end_time=2025-02-03', 'end_time', '2025-02-03'],
    ['start_time=2025-02-03T24:00:00Z', 'start_time', '2025-02-03T24:00:00Z'],
  ])('%s is refused', async (query, name, value) => {
    const answer = await server.get(`${path}?${query}`)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(
      invalidRequest(server, {
        parameters: { [name]: [value] },
        message: `The \`${name}\` query parameter value [${value}] is not a valid RFC3339 date-time`,
      }),
    )
  })

  test('times before the first id and times in the wrong order are refused', async () => {
    const early = await server.get(`${path}?start_time=2009-01-01T00:00:00Z`)
    expect(early.status).toBe(400)
    expect(early.body.errors).toEqual([
      {
        parameters: { start_time: ['2009-01-01T00:00:00Z'] },
        message: "Invalid 'start_time':'2009-01-01T00:00:00Z'. 'start_time' must be on or after 2010-11-06T00:00:00Z",
      },
    ])
    const turned = await server.get(`${path}?start_time=2025-04-02T00:00:00Z&end_time=2025-04-01T00:00:00Z`)
    expect(turned.status).toBe(400)
    expect(turned.body.errors[0].parameters).toEqual({ start_time: ['2025-04-02T00:00:00Z'] })
  })

  test.each(['since_id=abc', 'until_id=-1', 'max_results=4', 'max_results=101', 'pagination_token=zzz'])(
    '%s is refused',
    async (query) => {
      const answer = await server.get(`${path}?${query}`)
      expect(answer.status).toBe(400)
      expect(Object.keys(answer.body.errors[0].parameters)).toEqual([query.split('=')[0]])
    },
  )
})

describe('the reach', () => {
  test('is 3200 posts: a request beyond gives success without data', async () => {
    const { id } = await newUser(server, 'tl_reach')
    const ids = await fill(id, 3_210, Date.UTC(2025, 4, 1))
    const { ids: walked } = await walk(server, `${postsOf(id)}?max_results=100&post.fields=id`, 'app')
    expect(walked).toEqual(ids.slice(0, 3_200))
    const beyond = await server.get(`${postsOf(id)}?until_id=${ids[3_199]}`)
    expect(beyond.status).toBe(200)
    expect(beyond.body).toEqual(EMPTY)
  })

  test('is 800 posts without replies', async () => {
    const { id } = await newUser(server, 'tl_reach_plain')
    const ids = await fill(id, 805, Date.UTC(2025, 5, 1))
    await fill(
      id,
      20,
      Date.UTC(2025, 6, 1),
      `in_reply_to_post_id, in_reply_to_user_id=${ids[0]}::bigint, ${id}::bigint`,
    )
    const { ids: walked } = await walk(server, `${postsOf(id)}?max_results=100&exclude=replies`, 'app')
    expect(walked).toEqual(ids.slice(0, 800))
  })
})
