import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { accessToken, DAY, HOUR, makePost } from './acting.ts'
import { from, listening, liveSpace, newHost } from './space-acting.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const ALL =
  'created_at,creator_id,ended_at,host_ids,id,invited_user_ids,is_ticketed,lang,participant_count,scheduled_start,speaker_ids,started_at,state,subscriber_count,title,topic_ids,updated_at'
const lookUp = async (id: string, fields = ALL, as?: Parameters<TestServer['get']>[1]) =>
  (await server.get(`/2/spaces/${id}?space.fields=${fields}`, as)).body
const found = async (query: string) =>
  ((await server.get(`/2/spaces/search?${query}`)).body.data ?? []).map((item: { id: string }) => item.id)

const notFound = (id: string, parameter: string) => ({
  value: id,
  detail: `Could not find space with ${parameter}: [${id}].`,
  title: 'Not Found Error',
  resource_type: 'space',
  parameter,
  resource_id: id,
  type: `${server.runtime.problemBase}/resource-not-found`,
})
const hidden = (id: string, parameter: string) => ({
  value: id,
  detail: `Sorry, you are not authorized to see the Space with ${parameter}: [${id}].`,
  title: 'Authorization Error',
  resource_type: 'space',
  parameter,
  resource_id: id,
  section: 'data',
  type: `${server.runtime.problemBase}/not-authorized-for-resource`,
})

describe('a space', () => {
  test('goes from scheduled through live to ended, and shows only the members that it has', async () => {
    const host = await newHost(server, 'sp_states')
    const start = from(server, HOUR)
    const { id } = await server.command('spaces.create', {
      user: host.username,
      title: 'Why the bees come back',
      scheduled_start: start,
      hosts: ['bob'],
      invited: ['chika'],
      topics: ['Gardening'],
    })
    expect(id).toMatch(/^1[a-zA-Z0-9]{12}$/)
    const scheduled = {
      id,
      state: 'scheduled',
      title: 'Why the bees come back',
      lang: 'en',
      creator_id: host.id,
      host_ids: [host.id, server.userId('bob')],
      invited_user_ids: [server.userId('chika')],
      topic_ids: ['707'],
      is_ticketed: false,
      participant_count: 0,
      subscriber_count: 0,
      scheduled_start: `${start.slice(0, 19)}.000Z`,
      created_at: expect.stringMatching(/\.000Z$/),
      updated_at: expect.stringMatching(/\.000Z$/),
    }
    expect(await lookUp(id)).toEqual({ data: scheduled })

    await server.command('spaces.start', { space: id })
    await server.command('spaces.join', { space: id, user: 'chika' })
    await server.command('spaces.speak', { space: id, user: 'chika' })
    const live = {
      ...scheduled,
      state: 'live',
      started_at: expect.stringMatching(/\.000Z$/),
      participant_count: 2,
      speaker_ids: [server.userId('chika')],
    }
    expect(await lookUp(id)).toEqual({ data: live })

    await server.command('spaces.end', { space: id })
    expect(await lookUp(id)).toEqual({ data: { ...live, state: 'ended', ended_at: expect.any(String) } })
    expect((await server.get(`/2/spaces/${id}`)).body).toEqual({ data: { id, state: 'ended' } })
  })

  test('that is cancelled is gone', async () => {
    const host = await newHost(server, 'sp_cancel')
    const { id } = await server.command('spaces.create', {
      user: host.username,
      title: 'zither evening',
      scheduled_start: from(server, HOUR),
    })
    expect(await found('query=zither')).toEqual([id])
    expect(await server.command('spaces.cancel', { space: id })).toEqual({ id, state: 'cancelled' })
    expect((await server.get(`/2/spaces/${id}`)).body).toEqual({ errors: [notFound(id, 'id')] })
    expect(await found('query=zither')).toEqual([])
    expect((await server.tryCommand('spaces.start', { space: id })).status).toBe(404)
  })

  test('expands creator, hosts, speakers, invited users and topics, each once', async () => {
    const id = await liveSpace(server, 'sp_expand', { hosts: ['bob'], invited: ['chika'], topics: ['Music', 'Books'] })
    await server.command('spaces.join', { space: id, user: 'chika' })
    await server.command('spaces.speak', { space: id, user: 'chika' })
    const { body } = await server.get(
      `/2/spaces/${id}?expansions=creator_id,host_ids,invited_user_ids,speaker_ids,topic_ids&topic.fields=description&user.fields=id`,
    )
    expect(body.data).toMatchObject({ topic_ids: ['110', '103'], speaker_ids: [server.userId('chika')] })
    expect(body.includes.users.map((item: { username: string }) => item.username).sort()).toEqual([
      'bob',
      'chika',
      'sp_expand',
    ])
    expect(body.includes.topics).toEqual([
      { id: '110', name: 'Music', description: 'Songs, albums and concerts' },
      { id: '103', name: 'Books', description: 'Reading and writing' },
    ])
    expect(body.errors).toBeUndefined()
  })

  test('a suspended host is an error of the expansion only', async () => {
    const other = await newHost(server, 'sp_gone_host')
    const id = await liveSpace(server, 'sp_with_gone', { hosts: [other.username] })
    await server.command('user.update', { user: other.username, suspended: true })
    const { body } = await server.get(`/2/spaces/${id}?expansions=host_ids`)
    expect(body.data.host_ids).toContain(other.id)
    expect(body.includes.users).toHaveLength(1)
    expect(body.errors).toEqual([
      expect.objectContaining({ detail: `User has been suspended: [${other.id}].`, parameter: 'host_ids' }),
    ])
  })
})

describe('who sees a space', () => {
  test('nobody while its creator is suspended', async () => {
    const id = await liveSpace(server, 'sp_suspended', { title: 'quetzal watching' })
    await server.command('user.update', { user: 'sp_suspended', suspended: true })
    expect((await server.get(`/2/spaces?ids=${id},1unknown`)).body).toEqual({
      errors: [hidden(id, 'ids'), notFound('1unknown', 'ids')],
    })
    expect(await found('query=quetzal')).toEqual([])
    expect((await server.get(`/2/spaces/${id}/posts`)).body).toEqual({ errors: [hidden(id, 'id')] })
    await server.command('user.update', { user: 'sp_suspended', suspended: false })
    expect(await found('query=quetzal')).toEqual([id])
  })

  test('only followers after its creator became protected', async () => {
    const id = await liveSpace(server, 'sp_protected')
    await server.command('relation.add', { kind: 'follow', source: 'chika', target: 'sp_protected' })
    await server.command('user.update', { user: 'sp_protected', protected: true })
    expect((await server.get(`/2/spaces/${id}`)).body).toEqual({ errors: [hidden(id, 'id')] })
    expect((await server.get(`/2/spaces/${id}`, await listening(server, 'bob'))).body.data).toBeUndefined()
    expect((await server.get(`/2/spaces/${id}`, await listening(server, 'chika'))).body.data.id).toBe(id)
  })

  test('not those whom its creator blocks, who cannot join either', async () => {
    const id = await liveSpace(server, 'sp_blocking')
    await server.command('relation.add', { kind: 'block', source: 'sp_blocking', target: 'dario' })
    expect((await server.get(`/2/spaces/${id}`, await listening(server, 'dario'))).body).toEqual({
      errors: [hidden(id, 'id')],
    })
    const refused = await server.tryCommand('spaces.join', { space: id, user: 'dario' })
    expect(refused.status).toBe(403)
    expect((await lookUp(id, 'participant_count')).data.participant_count).toBe(1)
  })
})

describe('lists of spaces', () => {
  test('by creators: the live and scheduled ones, newest first', async () => {
    const [first, second] = [await newHost(server, 'sp_by_one'), await newHost(server, 'sp_by_two')]
    const scheduled = (await server.command('spaces.create', { user: 'sp_by_one', scheduled_start: from(server, DAY) }))
      .id
    const ended = (await server.command('spaces.create', { user: 'sp_by_one', title: 'over' })).id
    await server.command('spaces.end', { space: ended })
    const live = (await server.command('spaces.create', { user: 'sp_by_two', title: 'now' })).id
    const { body } = await server.get(
      `/2/spaces/by/creator_ids?user_ids=${first.id},${second.id},1,9999999999999999999&space.fields=title`,
    )
    expect(body).toEqual({
      data: [
        { id: live, state: 'live', title: 'now' },
        { id: scheduled, state: 'scheduled' },
      ],
      meta: { result_count: 2 },
    })
    expect((await server.get('/2/spaces/by/creator_ids?user_ids=1')).body).toEqual({ meta: { result_count: 0 } })
  })

  test('search finds all words of a title, in any case and order, by state', async () => {
    const live = await liveSpace(server, 'sp_search_a', { title: 'Café culture: Kettledrum & Tea' })
    await newHost(server, 'sp_search_b')
    const scheduled = (
      await server.command('spaces.create', {
        user: 'sp_search_b',
        title: 'kettledrum lessons',
        scheduled_start: from(server, HOUR),
      })
    ).id
    expect(await found('query=KETTLEDRUM')).toEqual([scheduled, live])
    expect(await found('query=kettledrum&state=all')).toEqual([scheduled, live])
    expect(await found('query=kettledrum&state=live')).toEqual([live])
    expect(await found('query=kettledrum&state=scheduled')).toEqual([scheduled])
    expect(await found('query=kettledrum&max_results=1')).toEqual([scheduled])
    expect(await found('query=tea%20cafe%20kettledrum')).toEqual([live])
    expect(await found('query=kettle')).toEqual([])
    expect(await found('query=%26')).toEqual([])
    await server.command('spaces.update', { space: live, title: 'Only tea', topics: ['Food'] })
    expect(await found('query=kettledrum')).toEqual([scheduled])
    await server.command('spaces.end', { space: live })
    expect(await found('query=only%20tea')).toEqual([])
  })

  test('search refuses a state that is not one of three', async () => {
    const { status, body } = await server.get('/2/spaces/search?query=x&state=ended')
    expect(status).toBe(400)
    expect(body.errors[0].message).toBe('The `state` query parameter value [ended] is not one of [live,scheduled,all]')
  })
})

describe('posts of a space', () => {
  const posts = async (id: string, query = '', as?: Parameters<TestServer['get']>[1]) =>
    ((await server.get(`/2/spaces/${id}/posts${query}`, as)).body.data ?? []).map((item: { id: string }) => item.id)

  test('are those with its link and those that its speakers shared, newest first', async () => {
    const id = await liveSpace(server, 'sp_posts')
    const { url } = await server.command('spaces.subscribe', { space: id, user: 'bob' })
    const shared = await makePost(server, 'bob', { text: 'A picture of our garden' })
    const linked = await makePost(server, 'chika', { text: `Listen with me: ${url}` })
    const legacy = await makePost(server, 'dario', { text: `Now: https://twitter.com/i/spaces/${id}?s=20` })
    await makePost(server, 'dario', { text: `Elsewhere: https://example.com/i/spaces/${id}` })
    await makePost(server, 'dario', { text: `Unknown: ${url.replace(id, '1nothing')}` })
    await server.command('spaces.share', { space: id, user: 'sp_posts', post: shared })
    await server.command('spaces.share', { space: id, user: 'sp_posts', post: shared })
    expect(await posts(id)).toEqual([legacy, linked, shared])
    expect(await posts(id, '?max_results=2')).toEqual([legacy, linked])
    expect((await server.get(`/2/spaces/${id}/posts`)).body.meta).toEqual({ result_count: 3 })
    await server.delete(`/2/posts/${linked}`, { user: 'chika' })
    expect(await posts(id)).toEqual([legacy, shared])
  })

  test('leave out those that the caller may not see', async () => {
    const id = await liveSpace(server, 'sp_hidden_post')
    const { url } = await server.command('spaces.subscribe', { space: id, user: 'bob' })
    await server.command('user.create', { username: 'sp_author' })
    const { apps } = await server.command('app.list')
    const pair = await server.command('user.token', { user: 'sp_author', app: apps[0].id })
    const app = server.credentials.apps[0]!
    const keys = {
      consumerKey: app.api_key,
      consumerSecret: app.api_key_secret,
      token: pair.access_token,
      tokenSecret: pair.access_token_secret,
    }
    const post = await makePost(server, { keys }, { text: `Join ${url}` })
    expect(await posts(id)).toEqual([post])
    await server.command('user.update', { user: 'sp_author', protected: true })
    expect(await posts(id)).toEqual([])
    const refused = await server.tryCommand('spaces.share', { space: id, user: 'sp_hidden_post', post })
    expect(refused.body.detail).toBe('Only a public Post can be shared in a space.')
  })
})

describe('buyers of a space', () => {
  test('are listed for its creator only, newest first, page by page', async () => {
    await newHost(server, 'sp_seller')
    const { id } = await server.command('spaces.create', { user: 'sp_seller', title: 'Masterclass', ticketed: true })
    const creator = {
      bearer: await accessToken(server, 'alice', ['space.read', 'post.read', 'users.read']),
    }
    expect((await server.get(`/2/spaces/${id}/buyers`, creator)).body).toEqual({ errors: [hidden(id, 'id')] })
    const alices = (await server.command('spaces.create', { user: 'alice', title: 'Mine', ticketed: true })).id
    for (const user of ['bob', 'chika', 'dario', 'bob']) await server.command('spaces.buy', { space: alices, user })
    const pages: string[][] = []
    let token = ''
    do {
      const { body } = await server.get(`/2/spaces/${alices}/buyers?max_results=2${token}`, creator)
      pages.push(body.data.map((item: { username: string }) => item.username))
      token = body.meta.next_token === undefined ? '' : `&pagination_token=${body.meta.next_token}`
    } while (token !== '')
    expect(pages).toEqual([['dario', 'chika'], ['bob']])
    expect((await server.get(`/2/spaces/1unknown/buyers`, creator)).body).toEqual({
      errors: [notFound('1unknown', 'id')],
    })
    await server.command('spaces.end', { space: alices })
  })
})
