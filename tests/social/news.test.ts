import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clear, subscribe } from '../activity/subscribed-activity.ts'
import { arrived } from '../streams/stream-lines.ts'
import { openStream } from '../support/read-stream.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { makePost } from './acting.ts'

const ALL = 'name,summary,hook,category,contexts,keywords,cluster_posts_results,last_updated_at_ms,disclaimer,id'
const HOUR_MS = 3600_000

let server: TestServer
const ids: string[] = []
beforeAll(async () => {
  server = await startTestServer([], { events: true })
  const link = 'https://news.example.com/rocket?from=feed'
  ids.push(
    await makePost(server, 'alice', {
      text: `NASA launched a new rocket from Florida this morning. What a sight! ${link}`,
    }),
  )
  ids.push(await makePost(server, 'bob', { text: 'Just saw the NASA rocket in Florida, the launch was loud #liftoff' }))
  ids.push(await makePost(server, 'chika', { text: 'The NASA launch over Florida: the rocket reached orbit #liftoff' }))
  await makePost(server, 'dario', { text: 'My tomatoes are ripe at last' })
  await server.command('topics.work')
})
afterAll(() => server.close())

const search = async (query: string, more = `&news.fields=${ALL}`) => {
  const answer = await server.get(`/2/news/search?query=${encodeURIComponent(query)}${more}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

describe('a story', () => {
  test('is made from the posts of several people about the same thing', async () => {
    const { data, meta } = await search('rocket florida')
    expect(meta).toEqual({ result_count: 1 })
    const [story] = data
    expect(story).toMatchObject({
      id: story.rest_id,
      category: 'Science',
      contexts: { entities: { organizations: ['NASA'], places: ['Florida'] } },
      disclaimer: expect.any(String),
      last_updated_at_ms: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    expect(story.cluster_posts_results.map((item: { post_id: string }) => item.post_id).sort()).toEqual([...ids].sort())
    expect(story.keywords).toEqual(expect.arrayContaining(['NASA', 'Florida', 'rocket']))
    const sentences = `${story.name} ${story.summary} ${story.hook}`
    expect(sentences).toContain('NASA')
    expect(sentences).not.toContain('https://')
    const one = await server.get(`/2/news/${story.rest_id}?news.fields=${ALL}`)
    expect(one.body.data).toEqual(story)
  })

  test('of words without spaces, in characters of two units, is cut between them', async () => {
    const text = `a${'𝐀'.repeat(101)} https://example.com/unspaced`
    for (const username of ['alice', 'bob', 'chika']) await makePost(server, username, { text })
    await server.command('topics.work')
    const { data } = await search(`a${'𝐀'.repeat(101)}`)
    expect(data[0].name).toBe(`a${'𝐀'.repeat(43)}…`)
  })

  test('has only its ids unless members are asked for, and updated_at is last_updated_at_ms', async () => {
    const { data } = await search('rocket', '')
    expect(data[0]).toEqual({ id: data[0].rest_id, rest_id: data[0].rest_id })
    const { data: dated } = await search('rocket', '&news.fields=updated_at')
    expect(Object.keys(dated[0]).sort()).toEqual(['id', 'last_updated_at_ms', 'rest_id'])
  })

  test('is not found by other words, and phrases need their order', async () => {
    expect((await search('rocket tomatoes')).meta.result_count).toBe(0)
    expect((await search('"florida rocket nothing"')).meta.result_count).toBe(0)
  })

  test('grows with new posts, keeps its id and is updated', async () => {
    const [before] = (await search('rocket')).data
    await server.command('clock', { advance_ms: HOUR_MS })
    const id = await makePost(server, 'dario', {
      text: 'NASA says the rocket from Florida will return on Friday #liftoff',
    })
    await server.command('topics.work')
    const [after] = (await search('rocket')).data
    expect(after.rest_id).toBe(before.rest_id)
    expect(after.cluster_posts_results).toHaveLength(4)
    expect(after.cluster_posts_results).toContainEqual({ post_id: id })
    expect(Date.parse(after.last_updated_at_ms)).toBeGreaterThan(Date.parse(before.last_updated_at_ms))
    await server.command('topics.work')
    expect((await search('rocket')).data[0].last_updated_at_ms).toBe(after.last_updated_at_ms)
  })

  test('does not show deleted posts and posts of accounts that are hidden now', async () => {
    const [story] = (await search('rocket')).data
    await server.delete(`/2/posts/${ids[0]}`, { user: 'alice' })
    await server.command('user.update', { user: 'bob', protected: true })
    const one = await server.get(`/2/news/${story.rest_id}?news.fields=cluster_posts_results`)
    expect(one.body.data.cluster_posts_results).toHaveLength(2)
    await server.command('user.update', { user: 'bob', protected: false })
  })

  test('is found for as many hours as asked for', async () => {
    await server.command('clock', { advance_ms: 3 * HOUR_MS })
    expect((await search('rocket', '&max_age_hours=2')).meta.result_count).toBe(0)
    expect((await search('rocket', '&max_age_hours=4')).meta.result_count).toBe(1)
    for (const wrong of ['max_age_hours=0', 'max_age_hours=721', 'max_results=101', 'news.fields=author'])
      expect((await server.get(`/2/news/search?query=x&${wrong}`)).status, wrong).toBe(400)
    expect((await server.get('/2/news/search?query=%21')).status).toBe(400)
  })

  test('that does not exist is an error', async () => {
    const answer = await server.get('/2/news/9223372036854775807')
    const detail = 'Could not find news with id: [9223372036854775807].'
    expect(answer.status).toBe(200)
    // The seed's `resource_type` has no value for news.
    expect(answer.body).toEqual({ errors: [{ title: 'Not Found Error', type: 'about:blank', status: 404, detail }] })
  })
})

test('posts of one person are not a story', async () => {
  for (const number of [1, 2, 3, 4])
    await makePost(server, 'alice', { text: `My great Acropolis travel diary, part ${number} #acropolisdiary` })
  await server.command('topics.work')
  expect((await search('acropolis diary')).meta.result_count).toBe(0)
})

test('a new story reaches activity subscriptions whose keyword it contains', async () => {
  await subscribe(server, { event_type: 'news.new', filter: { keyword: 'Lighthouse' }, tag: 'yes' })
  await subscribe(server, { event_type: 'news.new', filter: { keyword: 'submarine' }, tag: 'no' })
  const stream = await openStream(server, '/2/activity/stream', 'app')
  const made = await server.command('trigger', {
    event_type: 'news.new',
    text: 'The old lighthouse burns since midnight',
  })
  expect(made.event_place).not.toBeNull()
  const lines = await arrived([stream], 1)
  expect(lines).toHaveLength(1)
  expect(lines[0].data).toMatchObject({
    event_type: 'news.new',
    filter: { keyword: 'Lighthouse' },
    tag: 'yes',
    payload: { id: made.news_id, headline: expect.stringContaining('lighthouse'), hook: expect.any(String) },
  })
  expect(lines[0].data.payload.cluster_posts_results).toHaveLength(3)
  stream.close()
  await clear(server)
})
