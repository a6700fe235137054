import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rows } from '../social/acting.ts'
import { type AdsScene, createAdsScene, startAdsScene } from './ads-scene.ts'
import { cardMedia, libraryImage } from './library-media.ts'

let sandbox: AdsScene
let production: AdsScene
let alice: string
beforeAll(async () => {
  sandbox = await startAdsScene()
  production = await createAdsScene(sandbox.server, 'production')
  alice = sandbox.server.userId('alice')
})
afterAll(() => sandbox.close())

const all = { tweet_type: 'PUBLISHED', include_mentions_and_replies: true }
const post = (scene: AdsScene, text: string, values = {}) => scene.made('post', { as_user_id: alice, text, ...values })
const listed = async (scene: AdsScene, timeline: string): Promise<string[]> => {
  const answer = await scene.get('posts', { ...all, timeline_type: timeline })
  return answer.body.data.map((item: { id_str: string }) => item.id_str)
}
const outbox = async () => Number((await rows(sandbox.server, 'select count(*) as n from event_outbox'))[0].n)

describe.each([
  ['promoted-only', {}, 'NULLCAST'],
  ['for followers', { nullcast: false }, 'ORGANIC'],
])('a %s post of the sandbox', (kind, values, timeline) => {
  let id: string
  let events: number
  let count: number
  const postCount = async () =>
    (await sandbox.server.get(`/2/users/${alice}?user.fields=public_metrics`, { user: 'alice' })).body.data
      .public_metrics.post_count
  beforeAll(async () => {
    count = await postCount()
    events = await outbox()
    id = (await post(sandbox, `Persimmon ${kind} @bob`, values)).id_str
  })

  test('is listed in the sandbox as what it is, and not in production', async () => {
    expect(await listed(sandbox, timeline)).toContain(id)
    expect(await listed(sandbox, 'ALL')).toContain(id)
    expect(await listed(sandbox, timeline === 'ORGANIC' ? 'NULLCAST' : 'ORGANIC')).not.toContain(id)
    expect(await listed(production, 'ALL')).not.toContain(id)
    const named = await production.get('posts', { ...all, post_ids: id, timeline_type: 'ALL' })
    expect(named.body.data).toEqual([])
  })

  test('is not found in version 2, not even by its author', async () => {
    const answer = await sandbox.server.get(`/2/posts/${id}`, { user: 'alice' })
    expect(answer.body.data).toBeUndefined()
    expect(answer.body.errors[0].title).toBe('Not Found Error')
    const like = await sandbox.server.post(`/2/users/${alice}/likes`, { post_id: id }, { user: 'alice' })
    expect(like.status).toBeGreaterThanOrEqual(400)
  })

  test('is in no timeline and no search, changes no counter and causes no event', async () => {
    const { server } = sandbox
    for (const path of [
      `/2/users/${alice}/posts`,
      `/2/users/${server.userId('bob')}/mentions`,
      `/2/users/${server.userId('bob')}/timelines/reverse_chronological`,
      '/2/posts/search/all?query=persimmon',
    ]) {
      const answer = await server.get(path, { user: 'bob' })
      const found = (answer.body.data ?? []).map((item: { id: string }) => item.id)
      expect(found, path).not.toContain(id)
    }
    expect(await postCount()).toBe(count)
    expect(await outbox()).toBe(events)
  })

  test('can be promoted in the sandbox only', async () => {
    const lineItem = await sandbox.lineItem()
    const promoted = await sandbox.post('promoted_posts', { line_item_id: lineItem, post_ids: id })
    expect(promoted.status, promoted.text).toBe(200)
    const refused = await production.post('promoted_posts', { line_item_id: await production.lineItem(), post_ids: id })
    expect(refused.status).toBe(404)
    expect(refused.body.errors[0].code).toBe('POST_NOT_FOUND')
    expect((await sandbox.get('post_previews', { post_ids: id, tweet_type: 'PUBLISHED' })).body.data).toHaveLength(1)
    expect((await production.get('post_previews', { post_ids: id, tweet_type: 'PUBLISHED' })).body.data).toEqual([])
  })

  test('is not the same as the post of production with its words', async () => {
    const again = await post(production, `Persimmon ${kind} @bob`, values)
    expect(again.id_str).not.toBe(id)
  })
})

test('a card of the sandbox cannot be shown by a post of version 2', async () => {
  const components = [
    { type: 'MEDIA', media_key: await cardMedia.square(sandbox) },
    { type: 'DETAILS', title: 'Shop', destination: { type: 'WEBSITE', url: 'https://example.com' } },
  ]
  const { card_uri } = (await sandbox.json('POST', 'cards', { name: 'A shop', components })).body.data
  const answer = await sandbox.server.post('/2/posts', { text: 'With a card', card_uri }, { user: 'alice' })
  expect(answer.status).toBe(400)
  expect(answer.body.errors[0].message).toBe(`There is no card [${card_uri}].`)
  expect((await post(sandbox, 'With a card', { card_uri })).card_uri).toBe(card_uri)
})

test('media of a post of the sandbox enters the library of its account, and no library of production', async () => {
  const key = await libraryImage(sandbox)
  await post(sandbox, 'A picture of the sandbox', { media_keys: key })
  const item = await sandbox.get(`media_library/${key}`)
  expect(item.body.data.tweeted ?? item.body.data.posted).toBe(true)
  expect((await production.get(`media_library/${key}`)).status).toBe(404)
})
