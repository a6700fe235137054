import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { publishScheduledPosts } from '../../src/ads/posts/publish-scheduled.ts'
import { DAY, HOUR, makePost, readPost, rows } from '../social/acting.ts'
import { uploadWhole } from '../social/uploading.ts'
import { makeGif, makePng } from '../support/make-media.ts'
import type { As } from '../support/server.ts'
import { type AdsScene, ALICE, startAdsScene } from './ads-scene.ts'
import { cardMedia, libraryGif, libraryImage } from './library-media.ts'

let scene: AdsScene
let alice: string
let bob: string
beforeAll(async () => {
  scene = await startAdsScene([], { environment: 'production' })
  alice = scene.server.userId('alice')
  bob = scene.server.userId('bob')
})
afterAll(() => scene.close())
afterEach(() => scene.server.command('clock', { reset: true }))

const BOB: As = { user: 'bob' }
const MINUTE = 60_000
type Values = NonNullable<Parameters<AdsScene['post']>[1]>

let texts = 0
const words = (more = '') => `Later ${++texts}${more}`
const iso = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`
const minutes = (ms: number) => iso(Math.floor(ms / MINUTE) * MINUTE)
const now = () => scene.server.runtime.clock.now()
const pass = (ms: number) => scene.server.command('clock', { advance_ms: ms })
const work = () => scene.server.command('ads.work')
const allow = (user: string, ...permissions: string[]) =>
  scene.server.command('ads.account.grant', { account: scene.account, user, permissions })

// Each test has its own hours, so they do not fill each other's windows.
let hours = 10
const ahead = () => now() + ++hours * HOUR
const schedule = (values: Values = {}, as: As = ALICE) =>
  scene.post('scheduled_posts', { text: words(), scheduled_at: iso(ahead()), ...values }, as)
const scheduled = async (values: Values = {}) => {
  const answer = await schedule(values)
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
  return answer.body.data
}
const read = async (id: string) => (await scene.get(`scheduled_posts/${id}`)).body.data
const refusal = ({ status, body }: { status: number; body: { errors: Record<string, unknown>[] } }) => ({
  status,
  code: body.errors[0]!.code,
  parameter: body.errors[0]!.parameter,
})
/** Moves the clock to the time of a post, and runs the tasks. */
const publish = async (post: { id: string; scheduled_at: string }) => {
  await pass(Math.max(0, Date.parse(post.scheduled_at) - now() + 1_000))
  await work()
  return read(post.id)
}
const website = async () => {
  const components = [
    { type: 'MEDIA', media_key: await cardMedia.square(scene) },
    { type: 'DETAILS', title: 'Shop', destination: { type: 'WEBSITE', url: 'https://example.com' } },
  ]
  return (await scene.json('POST', 'cards', { name: 'The <shop>', components })).body.data.card_uri as string
}

describe.each([
  ['draft_posts', { text: 'A draft' }],
  ['scheduled_posts', { text: 'Scheduled', scheduled_at: iso(Date.now() + 300 * DAY) }],
])('%s', (path, values: Values) => {
  const one = (id: string) => `${path}/${id}`

  test('are created for the FULL promotable user by default, and do not echo the account', async () => {
    const { status, body } = await scene.post(path, { ...values, name: 'Name' })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.request.params).toEqual({ ...values, name: 'Name', ...('scheduled_at' in values ? due(values) : {}) })
    expect(body.data).toMatchObject({ user_id: alice, nullcast: true, name: 'Name', card_uri: null, media_keys: [] })
    expect(body.data.id).toMatch(/^[0-9]+$/)
    expect(body.data).not.toHaveProperty('deleted')
    expect((await scene.get(one(body.data.id))).body).toEqual({
      request: { params: { [`${path.slice(0, -1)}_id`]: body.data.id } },
      data: body.data,
    })
  })
  const due = ({ scheduled_at }: Values) => ({ scheduled_at: minutes(Date.parse(String(scheduled_at))) })

  test('are created by users who may compose for the user, and for followers only by the FULL user', async () => {
    await allow('bob', 'CREATIVE_MANAGER', 'POST_COMPOSER')
    expect((await scene.post(path, values, BOB)).body.data.user_id).toBe(alice)
    const organic = { status: 403, code: 'ACTION_NOT_ALLOWED', parameter: 'nullcast' }
    expect(refusal(await scene.post(path, { ...values, nullcast: false }, BOB))).toEqual(organic)
    const { id } = (await scene.post(path, { ...values, as_user_id: bob }, BOB)).body.data
    expect(refusal(await scene.put(one(id), { nullcast: false }, BOB))).toEqual(organic)
    expect((await scene.post(path, { ...values, nullcast: false })).body.data.nullcast).toBe(false)
    await allow('bob', 'CREATIVE_MANAGER')
    expect(refusal(await scene.post(path, values, BOB))).toEqual({ ...organic, parameter: 'as_user_id' })
    expect(refusal(await scene.post(path, { ...values, as_user_id: scene.server.userId('dario') }))).toEqual({
      status: 400,
      code: 'INVALID_USER_ID',
      parameter: 'as_user_id',
    })
  })

  test('need words without media, media of the library, and a card of the account', async () => {
    const at = (more: Values) => scene.post(path, { ...values, ...more } as Values)
    expect(refusal(await at({ text: undefined }))).toMatchObject({ status: 400, code: 'MISSING_PARAMETER' })
    expect(refusal(await at({ text: ' ' }))).toMatchObject({ status: 400, code: 'POST_CANNOT_BE_BLANK' })
    const image = await libraryImage(scene, 80, 80)
    const pictured = await at({ text: undefined, media_keys: image })
    expect(pictured.body.data).toMatchObject({ text: '', media_keys: [image] })
    const { media_key: loose } = await uploadWhole(scene.server, makePng())
    expect(refusal(await at({ media_keys: loose }))).toMatchObject({ status: 404, code: 'MEDIA_NOT_FOUND' })
    expect(refusal(await at({ card_uri: 'card://1' }))).toMatchObject({ status: 404, code: 'CARD_NOT_FOUND' })
    const card = await website()
    expect((await at({ card_uri: card })).body.data.card_uri).toBe(card)
    expect(refusal(await at({ card_uri: card, media_keys: image }))).toMatchObject({ code: 'EXCLUSIVE_PARAMETERS' })
    expect(refusal(await at({ name: 'n'.repeat(81) }))).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'name' })
  })

  test('change in what is sent, and an empty value takes a member away', async () => {
    const image = await libraryImage(scene, 80, 80)
    const { id } = (await scene.post(path, { ...values, name: 'Name' })).body.data
    const { body } = await scene.put(one(id), { media_keys: image, text: 'Changed' })
    expect(body.data).toMatchObject({ name: 'Name', text: 'Changed', media_keys: [image], nullcast: true })
    expect(body.request.params).not.toHaveProperty('account_id')
    const cleared = (await scene.put(one(id), { media_keys: '', name: '', card_uri: await website() })).body.data
    expect(cleared).toMatchObject({ name: null, media_keys: [], text: 'Changed' })
    expect((await scene.put(one(id), { card_uri: '' })).body.data.card_uri).toBeNull()
    expect(refusal(await scene.put(one(id), { text: '' }))).toMatchObject({ code: 'POST_CANNOT_BE_BLANK' })
    expect((await scene.get(one(id))).body.data.text).toBe('Changed')
  })

  test('are deleted permanently, and the reply says so', async () => {
    const { id } = (await scene.post(path, values)).body.data
    const { body } = await scene.delete(one(id))
    expect(body.data).toMatchObject({ id, [path === 'draft_posts' ? 'status' : 'scheduled_status']: 'DELETED' })
    expect(body.data).not.toHaveProperty('deleted')
    const gone = { status: 404, code: 'NOT_FOUND', parameter: `${path.slice(0, -1)}_id` }
    expect(refusal(await scene.get(one(id)))).toEqual(gone)
    expect(refusal(await scene.delete(one(id)))).toEqual(gone)
    expect(refusal(await scene.put(one(id), { name: 'x' }))).toEqual(gone)
  })

  test('are listed by user, a hundred at a time at first', async () => {
    await allow('bob', 'CREATIVE_MANAGER')
    const mine = (await scene.post(path, { ...values, as_user_id: bob }, BOB)).body.data.id
    const { body } = await scene.get(path, { count: 200 })
    expect(body.request.params).toEqual({ count: 200 })
    expect(new Set(body.data.map((item: { user_id: string }) => item.user_id))).toEqual(new Set([alice]))
    expect((await scene.get(path, { user_id: bob }, BOB)).body.data.at(-1).id).toBe(mine)
    expect(refusal(await scene.get(path, { user_id: scene.server.userId('dario') }))).toMatchObject({
      status: 404,
      code: 'PROMOTABLE_USER_NOT_FOUND',
    })
    expect(refusal(await scene.get(path, { count: 201 }))).toMatchObject({ parameter: 'count' })
  })
})

test('the media of a draft are of one kind', async () => {
  const [image, gif] = [await libraryImage(scene, 80, 80), await libraryGif(scene, makeGif(2))]
  const mixed = await scene.post('draft_posts', { media_keys: `${image},${gif}` })
  expect(refusal(mixed)).toEqual({ status: 400, code: 'INVALID_MEDIA', parameter: 'media_keys' })
})

describe('the time of a scheduled post', () => {
  test('is a whole minute in any zone, and a date without a time is midnight UTC', async () => {
    const due = Math.floor(ahead() / HOUR) * HOUR + 17 * MINUTE + 42_000
    const zoned = `${new Date(due + 2 * HOUR).toISOString().slice(0, 19)}+02:00`
    const { body, text } = await schedule({ scheduled_at: zoned, as_user_id: alice })
    expect([body.data.scheduled_at, body.request.params.scheduled_at]).toEqual([minutes(due), minutes(due)])
    expect(text).toContain(`"as_user_id":${alice}`)
    expect(body.data).toMatchObject({ scheduled_status: 'SCHEDULED', completed_at: null, post_id: null })
    const day = iso(now() + 200 * DAY).slice(0, 10)
    expect((await scheduled({ scheduled_at: day })).scheduled_at).toBe(`${day}T00:00:00Z`)
  })

  test('is ahead, by 365 days at most', async () => {
    const wrong = { status: 400, code: 'INVALID_PARAMETER', parameter: 'scheduled_at' }
    for (const scheduled_at of [iso(now() - MINUTE), minutes(now()), iso(now() + 365 * DAY + 2 * MINUTE), 'soon'])
      expect(refusal(await schedule({ scheduled_at }))).toEqual(wrong)
    expect((await schedule({ scheduled_at: iso(now() + 365 * DAY - MINUTE) })).status).toBe(200)
    expect(refusal(await scene.post('scheduled_posts', { text: 'x' }))).toMatchObject({ code: 'MISSING_PARAMETER' })
  })

  test('has room for thirty posts within a window of 15 minutes', async () => {
    const due = Math.floor(ahead() / MINUTE) * MINUTE
    for (let n = 0; n < 30; n++) await scheduled({ scheduled_at: iso(due + (n % 2) * 7 * MINUTE) })
    const full = { status: 400, code: 'SCHEDULED_POST_LIMIT_EXCEEDED', parameter: 'scheduled_at' }
    expect(refusal(await schedule({ scheduled_at: iso(due + 3 * MINUTE) }))).toEqual(full)
    const later = await scheduled({ scheduled_at: iso(due + 30 * MINUTE) })
    expect(refusal(await scene.put(`scheduled_posts/${later.id}`, { scheduled_at: iso(due) }))).toEqual(full)
    expect((await schedule({ scheduled_at: iso(due - 8 * MINUTE) })).status).toBe(200)
  })

  test('is the end of all changes', async () => {
    const post = await scheduled()
    expect((await scene.put(`scheduled_posts/${post.id}`, { name: 'Early' })).status).toBe(200)
    await pass(Date.parse(post.scheduled_at) - now() + 1_000)
    const over = { status: 403, code: 'ACTION_NOT_ALLOWED', parameter: 'scheduled_post_id' }
    expect(refusal(await scene.put(`scheduled_posts/${post.id}`, { name: 'Late' }))).toEqual(over)
    await work()
    expect(refusal(await scene.put(`scheduled_posts/${post.id}`, { name: 'Late' }))).toEqual(over)
  })
})

describe('publication', () => {
  test('happens at the time, once, with all that was scheduled', async () => {
    const card = await website()
    const post = await scheduled({ text: words(' @bob'), card_uri: card, name: 'Due' })
    await pass(Date.parse(post.scheduled_at) - now() - MINUTE)
    await work()
    expect((await read(post.id)).scheduled_status).toBe('SCHEDULED')
    const done = await publish(post)
    expect(done).toMatchObject({ scheduled_status: 'SUCCESS', completed_at: expect.any(String) })
    expect(await readPost(scene.server, done.post_id, 'author_id,card_uri,source')).toMatchObject({
      text: post.text,
      author_id: alice,
      card_uri: card,
    })
    await work()
    expect(await rows(scene.server, 'select id from post where text = $1', [post.text])).toHaveLength(1)
    const shown = { tweet_type: 'PUBLISHED', post_ids: done.post_id, include_mentions_and_replies: true }
    expect((await scene.get('posts', shown)).body.data[0]).toMatchObject({
      name: 'Due',
      nullcast: true,
      scheduled_at: post.scheduled_at,
      scheduled_status: null,
    })
  })

  test('is done by one of several that try at once', async () => {
    const post = await scheduled()
    // Not by the command, which publishes it.
    scene.server.runtime.clock.setOffset(Date.parse(post.scheduled_at) - Date.now() + 1_000)
    const runs = await Promise.all(
      [1, 2, 3].map(() => publishScheduledPosts.run(scene.server.runtime, new AbortController().signal)),
    )
    expect(runs.reduce((sum, run) => sum + run, 0)).toBe(1)
    expect(await rows(scene.server, 'select id from post where text = $1', [post.text])).toHaveLength(1)
  })

  test('fails where the rules about posts forbid it, without a post', async () => {
    const [image, gif] = [await libraryImage(scene, 80, 80), await libraryGif(scene, makeGif(2))]
    const text = words()
    const failing = [await scheduled({ media_keys: `${image},${gif}` }), await scheduled({ text })]
    await pass(Date.parse(failing[1].scheduled_at) - now() - MINUTE)
    await makePost(scene.server, 'alice', { text })
    const before = await rows(scene.server, 'select count(*) from post')
    for (const post of failing) {
      const done = await publish(post)
      expect(done).toMatchObject({ scheduled_status: 'FAILED', post_id: null, completed_at: null })
    }
    expect(await rows(scene.server, 'select count(*) from post')).toEqual(before)
    const { body } = await scene.get('posts', { tweet_type: 'SCHEDULED', post_ids: failing[0].id })
    expect(body.data[0]).toMatchObject({ tweet_type: 'SCHEDULED', scheduled_status: 'FAILED' })
  })

  test('does not happen to what was deleted', async () => {
    const post = await scheduled()
    await scene.delete(`scheduled_posts/${post.id}`)
    await pass(Date.parse(post.scheduled_at) - now() + 1_000)
    await work()
    expect(await rows(scene.server, 'select id from post where text = $1', [post.text])).toHaveLength(0)
  })
})

describe('a scheduled promoted post', () => {
  const PATH = 'scheduled_promoted_posts'
  const link = async (scheduledId: string, lineItem?: string) =>
    scene.made(PATH, { line_item_id: lineItem ?? (await scene.lineItem()), scheduled_post_id: scheduledId })

  test('becomes a promoted post of its line item when the post goes live', async () => {
    const post = await scheduled()
    const lineItem = await scene.lineItem()
    const { text, body } = await scene.post(PATH, { line_item_id: lineItem, scheduled_post_id: post.id })
    expect(text).toContain(`"scheduled_post_id":${post.id}}`)
    expect(body.data).toMatchObject({ line_item_id: lineItem, scheduled_post_id: post.id, post_id: null })
    const [other, removed] = [await link(post.id), await link(post.id)]
    await scene.delete(`${PATH}/${removed.id}`)
    const { post_id } = await publish(post)
    for (const { id, line_item_id } of [body.data, other]) {
      expect((await scene.get(`${PATH}/${id}`)).body.data.post_id).toBe(post_id)
      const promoted = (await scene.get('promoted_posts', { line_item_ids: line_item_id })).body.data
      expect(promoted).toHaveLength(1)
      expect(promoted[0]).toMatchObject({ post_id, entity_status: 'ACTIVE', approval_status: 'ACCEPTED' })
      const hour = Math.floor(now() / HOUR) * HOUR
      const { body: history } = await scene.get('account_history', {
        entity_type: 'PROMOTED_POST',
        entity_id: promoted[0].id,
        start_time: new Date(hour).toISOString(),
        end_time: new Date(hour + HOUR).toISOString(),
      })
      expect(history.data).toHaveLength(1)
      expect(history.data[0]).toMatchObject({ change_type: 'CREATE', entity: 'PROMOTED_POST' })
    }
    expect((await scene.get('promoted_posts', { line_item_ids: removed.line_item_id })).body.data).toEqual([])
  })

  test('of a line item that is deleted or may not promote such a post stays without one', async () => {
    const post = await scheduled()
    const [gone, unfit, fit] = [
      await scene.lineItem(),
      await scene.lineItem({ objective: 'VIDEO_VIEWS' }),
      await scene.lineItem(),
    ]
    const links = [await link(post.id, gone), await link(post.id, unfit), await link(post.id, fit)]
    await scene.delete(`line_items/${gone}`)
    const { post_id, scheduled_status } = await publish(post)
    expect(scheduled_status).toBe('SUCCESS')
    const posts = await Promise.all(links.map(async ({ id }) => (await scene.get(`${PATH}/${id}`)).body.data.post_id))
    expect(posts).toEqual([null, null, post_id])
    const promoted = await scene.get('promoted_posts', { line_item_ids: `${gone},${unfit},${fit}`, with_deleted: true })
    expect(promoted.body.data.map((item: { line_item_id: string }) => item.line_item_id)).toEqual([fit])
  })

  test('promotes nothing of a user who is not promotable', async () => {
    await allow('bob', 'CREATIVE_MANAGER')
    const post = (await schedule({ as_user_id: bob }, BOB)).body.data
    const waiting = await link(post.id)
    expect((await publish(post)).scheduled_status).toBe('SUCCESS')
    expect((await scene.get(`${PATH}/${waiting.id}`)).body.data.post_id).toBeNull()
    expect((await scene.get('promoted_posts', { line_item_ids: waiting.line_item_id })).body.data).toEqual([])
  })

  test('is deleted with its scheduled post', async () => {
    const post = await scheduled()
    const { id } = await link(post.id)
    await scene.delete(`scheduled_posts/${post.id}`)
    expect((await scene.get(`${PATH}/${id}`)).status).toBe(404)
    const left = await scene.get(PATH, { scheduled_promoted_post_ids: id, with_deleted: true })
    expect(left.body.data).toMatchObject([{ id, deleted: true, post_id: null }])
  })

  test('can be deleted before the time of its post only', async () => {
    const post = await scheduled()
    const [early, late] = [await link(post.id), await link(post.id)]
    const { body } = await scene.delete(`${PATH}/${early.id}`)
    expect(body.data).toMatchObject({ id: early.id, deleted: true })
    expect((await scene.get(PATH, { scheduled_promoted_post_ids: early.id })).body.data).toEqual([])
    const all = await scene.get(PATH, { scheduled_promoted_post_ids: early.id, with_deleted: true })
    expect(all.body.data).toHaveLength(1)
    await pass(Date.parse(post.scheduled_at) - now() + 1_000)
    const over = { status: 403, code: 'ACTION_NOT_ALLOWED', parameter: 'scheduled_promoted_post_id' }
    expect(refusal(await scene.delete(`${PATH}/${late.id}`))).toEqual(over)
    await work()
    expect(refusal(await scene.delete(`${PATH}/${late.id}`))).toEqual(over)
  })

  test('needs a post that is still to come and a line item that shows posts, and is there once', async () => {
    const post = await scheduled()
    const lineItem = await scene.lineItem()
    const at = async (scheduled_post_id: string, line_item_id: string) =>
      refusal(await scene.post(PATH, { scheduled_post_id, line_item_id }))
    expect(await at('1', lineItem)).toMatchObject({ status: 404, code: 'POST_NOT_FOUND' })
    expect(await at(post.id, 'zzz')).toMatchObject({ status: 404, code: 'LINE_ITEM_NOT_FOUND' })
    await link(post.id, lineItem)
    expect(await at(post.id, lineItem)).toMatchObject({ status: 400, parameter: 'scheduled_post_id' })
    await publish(post)
    expect(await at(post.id, await scene.lineItem())).toMatchObject({ status: 400, parameter: 'scheduled_post_id' })
    const listed = await scene.get(PATH, { line_item_ids: lineItem })
    expect(listed.body.data.map((item: { scheduled_post_id: string }) => item.scheduled_post_id)).toEqual([post.id])
    await scene.post('features', { feature_keys: 'PREROLL_VIEWS_OBJECTIVE' })
    const media = await scene.lineItem({
      objective: 'PREROLL_VIEWS',
      product_type: 'MEDIA',
      categories: 'IAB18',
    })
    expect(await at((await scheduled()).id, media)).toMatchObject({ code: 'INCOMPATIBLE_LINE_ITEM' })
  })
})
