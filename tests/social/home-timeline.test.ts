import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { idAt } from '../../src/process/ids.ts'
import { type As, startTestServer, type TestServer } from '../support/server.ts'
import { DAY, invalidRequest, makePost, rows } from './acting.ts'
import { newUser, walk } from './relating.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const homeOf = (id: string) => `/2/users/${id}/timelines/reverse_chronological`
const idsOf = (body: { data?: { id: string }[] }) => (body.data ?? []).map((item) => item.id)
const EMPTY = { meta: { result_count: 0 } }

interface Reader {
  id: string
  as: As
  follows(...names: string[]): Promise<void>
  home(query?: string): Promise<string[]>
}

async function newReader(name: string): Promise<Reader> {
  const { id, as } = await newUser(server, name)
  return {
    id,
    as,
    follows: async (...names) => {
      for (const target of names) await server.command('relation.add', { kind: 'follow', source: name, target })
    },
    home: async (query = '') => {
      const page = await server.get(`${homeOf(id)}${query}`, as)
      expect(page.status).toBe(200)
      expect(page.body.meta.newest_id).toBe(page.body.data?.[0].id)
      expect(page.body.meta.oldest_id).toBe(page.body.data?.at(-1).id)
      return idsOf(page.body)
    },
  }
}

test('a user who follows nobody and posts nothing has a page without data', async () => {
  const { id, as } = await newReader('home_empty')
  expect((await server.get(homeOf(id), as)).body).toEqual(EMPTY)
})

test('it has posts of the user and of followed users, newest first, and nothing of others', async () => {
  const reader = await newReader('home_order')
  const one = await newUser(server, 'home_one')
  const two = await newUser(server, 'home_two')
  const other = await newUser(server, 'home_other')
  await reader.follows('home_one', 'home_two')
  const first = await makePost(server, one.as, { text: 'first of one' })
  const own = await makePost(server, reader.as, { text: 'my own' })
  await makePost(server, other.as, { text: 'nobody follows me' })
  const second = await makePost(server, two.as, { text: 'second of two' })
  expect(await reader.home()).toEqual([second, own, first])
  await server.command('relation.remove', { kind: 'follow', source: 'home_order', target: 'home_one' })
  expect(await reader.home()).toEqual([second, own])
})

test('a pending follow request shows nothing', async () => {
  const reader = await newReader('home_waiting')
  await makePost(server, 'erin', { text: 'still not for everybody' })
  const asked = await server.post(
    `/2/users/${reader.id}/following`,
    { target_user_id: server.userId('erin') },
    reader.as,
  )
  expect(asked.body.data.pending_follow).toBe(true)
  expect(await reader.home()).toEqual([])
  await server.command('follow.approve', { source: 'home_waiting', target: 'erin' })
  expect((await reader.home()).length).toBeGreaterThan(0)
})

test('only its user reads it, and never an app without a user', async () => {
  const reader = await newReader('home_owner')
  const answer = await server.get(homeOf(reader.id), { user: 'bob' })
  expect(answer.status).toBe(400)
  expect(answer.body).toEqual(
    invalidRequest(server, {
      parameters: { id: [reader.id] },
      message: `The \`id\` query parameter value [${reader.id}] must be the same as the authenticating user [${server.userId('bob')}]`,
    }),
  )
  const app = await server.get(homeOf(reader.id), 'app')
  expect(app.status).toBe(403)
  expect(app.body.title).toBe('Unsupported Authentication')
})

describe('what is left out', () => {
  test('muted authors, until the mute ends', async () => {
    const reader = await newReader('home_mute')
    const loud = await newUser(server, 'home_loud')
    await reader.follows('home_loud')
    const id = await makePost(server, loud.as, { text: 'LISTEN' })
    await server.command('relation.add', { kind: 'mute', source: 'home_mute', target: 'home_loud' })
    expect(await reader.home()).toEqual([])
    await server.command('relation.remove', { kind: 'mute', source: 'home_mute', target: 'home_loud' })
    expect(await reader.home()).toEqual([id])
  })

  test('blocked and suspended users', async () => {
    const reader = await newReader('home_block')
    const gone = await newUser(server, 'home_gone')
    const shut = await newUser(server, 'home_shut')
    await reader.follows('home_gone', 'home_shut')
    await makePost(server, gone.as, { text: 'soon suspended' })
    await makePost(server, shut.as, { text: 'soon blocked' })
    expect(await reader.home()).toHaveLength(2)
    await server.command('user.update', { user: 'home_gone', suspended: true })
    await server.command('relation.add', { kind: 'block', source: 'home_shut', target: 'home_block' })
    expect((await server.get(homeOf(reader.id), reader.as)).body).toEqual(EMPTY)
  })

  test('promoted-only posts, and older versions', async () => {
    const reader = await newReader('home_versions')
    await reader.follows('alice')
    const first = await makePost(server, 'alice', { text: 'home, first wording' })
    const edited = await makePost(server, 'alice', {
      text: 'home, second wording',
      edit_options: { previous_post_id: first },
    })
    await makePost(server, 'alice', { text: 'home, an advertisement', nullcast: true })
    expect((await reader.home('?max_results=5'))[0]).toBe(edited)
    expect(await reader.home()).not.toContain(first)
  })

  test('community posts, unless they are shared with followers', async () => {
    const reader = await newReader('home_community')
    const member = await newUser(server, 'home_member')
    const [community] = await rows(server, 'select id from community limit 1')
    await rows(server, 'insert into community_member (community_id, user_id) values ($1, $2)', [
      community.id,
      member.id,
    ])
    await reader.follows('home_member')
    const within = { community_id: community.id }
    const inside = await makePost(server, member.as, { text: 'for the community alone', ...within })
    const shared = await makePost(server, member.as, { text: 'for all', ...within, share_with_followers: true })
    expect(await reader.home()).toEqual([shared])
    expect(idsOf((await server.get(`/2/users/${member.id}/posts`)).body)).toEqual([shared, inside])
  })

  test('replies of followed users to people whom the reader does not follow', async () => {
    const reader = await newReader('home_replies')
    const friend = await newUser(server, 'home_friend')
    const pal = await newUser(server, 'home_pal')
    const stranger = await newUser(server, 'home_stranger')
    await reader.follows('home_friend', 'home_pal')
    const root = await makePost(server, stranger.as, { text: 'a question of a stranger' })
    const own = await makePost(server, reader.as, { text: 'a question of mine' })
    const question = await makePost(server, pal.as, { text: 'a question of a pal' })
    const answer = (as: As, to: string, text: string) =>
      makePost(server, as, { text, reply: { in_reply_to_post_id: to } })
    await answer(friend.as, root, 'to a stranger')
    const toPal = await answer(friend.as, question, 'to a pal')
    const toMe = await answer(friend.as, own, 'to the reader')
    const thread = await answer(friend.as, toMe, 'to myself')
    const mine = await answer(reader.as, root, 'mine to a stranger')
    expect(await reader.home()).toEqual([mine, thread, toMe, toPal, question, own])
    expect(await reader.home('?exclude=replies')).toEqual([question, own])
  })

  test('reposts, on request', async () => {
    const reader = await newReader('home_reposts')
    const friend = await newUser(server, 'home_reposter')
    await reader.follows('home_reposter')
    const plain = await makePost(server, friend.as, { text: 'my own words' })
    const source = await makePost(server, 'dario', { text: 'to be repeated at home' })
    const repost = (await server.post(`/2/users/${friend.id}/reposts`, { post_id: source }, friend.as)).body.data.id
    expect(await reader.home()).toEqual([repost, plain])
    expect(await reader.home('?exclude=reposts')).toEqual([plain])
    expect(await reader.home('?exclude=reposts,replies')).toEqual([plain])
  })
})

describe('a long timeline', () => {
  const startMs = Date.UTC(2024, 0, 1)
  let reader: Reader
  let ids: string[]

  // Thirty authors, some of whom write a hundred times as much as others; the last one stopped early.
  beforeAll(async () => {
    reader = await newReader('home_long')
    const authors: string[] = []
    for (let number = 0; number < 30; number++) {
      const made = await server.command('user.create', { username: `home_author${number}`, password: 'long enough' })
      authors.push(made.id)
      await reader.follows(`home_author${number}`)
    }
    ids = Array.from({ length: 3_400 }, (_, index) => idAt(startMs + index * 60_000, 902))
    const writers = ids.map(
      (_, index) => authors[index < 40 ? 29 : Math.floor((((index * 7_919) % 997) / 997) ** 3 * 29)]!,
    )
    await rows(
      server,
      `insert into post (id, author_id, text, display_end, lang, conversation_id, first_version_id)
       select id, author, 'number ' || id, 10, 'en', id, id from unnest($1::bigint[], $2::bigint[]) as p (id, author)`,
      [ids, writers],
    )
    ids.reverse()
  })

  test('has a hundred posts a page by default', async () => {
    expect(await reader.home()).toEqual(ids.slice(0, 100))
    expect(await reader.home('?max_results=1')).toEqual(ids.slice(0, 1))
    expect((await server.get(`${homeOf(reader.id)}?max_results=0`, reader.as)).status).toBe(400)
    expect((await server.get(`${homeOf(reader.id)}?max_results=101`, reader.as)).status).toBe(400)
  })

  test('reaches back 3200 posts where they are older than a week, without gap or repeat, in both directions', async () => {
    const { ids: walked, tokens } = await walk(server, `${homeOf(reader.id)}?max_results=97`, reader.as)
    expect(walked).toEqual(ids.slice(0, 3_200))
    const last = await server.get(`${homeOf(reader.id)}?max_results=97&pagination_token=${tokens.at(-1)}`, reader.as)
    const back: string[] = []
    for (let token = last.body.meta.previous_token; token !== undefined; ) {
      const page = await server.get(`${homeOf(reader.id)}?max_results=100&pagination_token=${token}`, reader.as)
      back.unshift(...idsOf(page.body))
      token = page.body.meta.previous_token
    }
    expect([...back, ...idsOf(last.body)]).toEqual(ids.slice(0, 3_200))
    const beyond = await server.get(`${homeOf(reader.id)}?until_id=${ids[3_199]}`, reader.as)
    expect(beyond.status).toBe(200)
    expect(beyond.body).toEqual(EMPTY)
  })

  test('respects ids and times, where ids win', async () => {
    expect(await reader.home(`?max_results=5&until_id=${ids[500]}`)).toEqual(ids.slice(501, 506))
    expect(await reader.home(`?since_id=${ids[500]}&until_id=${ids[480]}`)).toEqual(ids.slice(481, 500))
    const minute = (index: number) => `${new Date(startMs + (3_399 - index) * 60_000).toISOString().slice(0, 19)}Z`
    const times = `start_time=${minute(700)}&end_time=${minute(690)}`
    expect(await reader.home(`?${times}`)).toEqual(ids.slice(691, 701))
    expect(await reader.home(`?${times}&since_id=${ids[695]}`)).toEqual(ids.slice(691, 695))
    expect(await reader.home(`?${times}&since_id=${ids[10]}&until_id=${ids[7]}`)).toEqual(ids.slice(8, 10))
  })

  test('reaches all posts of the last week, however many', async () => {
    const second = await newReader('home_week')
    const { id } = await newUser(server, 'home_chatter')
    await second.follows('home_chatter')
    const now = server.runtime.clock.now()
    const young = Array.from({ length: 3_260 }, (_, index) => idAt(now - 3_600_000 + index * 500, 903))
    const old = idAt(now - 8 * DAY, 903)
    await rows(
      server,
      `insert into post (id, author_id, text, display_end, lang, conversation_id, first_version_id)
       select id, $1, 'number ' || id, 10, 'en', id, id from unnest($2::bigint[]) as p (id)`,
      [id, [old, ...young]],
    )
    young.reverse()
    expect(await second.home(`?until_id=${young[3_250]}`)).toEqual(young.slice(3_251))
    expect(await second.home(`?until_id=${young.at(-1)}`)).toEqual([])
  })
})
