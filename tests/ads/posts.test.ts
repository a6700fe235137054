import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { makePost, readPost, rows } from '../social/acting.ts'
import { uploadSegments, uploadWhole } from '../social/uploading.ts'
import { makeGif, makeMp4, makePng } from '../support/make-media.ts'
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
type Values = Parameters<AdsScene['post']>[1]

let texts = 0
const words = (more = '') => `Words ${++texts}${more}`
const create = (values: Values = {}, as: As = ALICE) =>
  scene.post('post', { as_user_id: alice, text: words(), ...values }, as)
const made = async (values: Values = {}, as: As = ALICE) => {
  const answer = await create(values, as)
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
  return answer.body.data
}
const allow = (user: string, ...permissions: string[]) =>
  scene.server.command('ads.account.grant', { account: scene.account, user, permissions })
const list = async (values: Values) => {
  const answer = await scene.get('posts', { tweet_type: 'PUBLISHED', ...values })
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}
const ids = (posts: { id_str: string }[]) => posts.map((post) => post.id_str)
const total = async () => Number((await rows(scene.server, 'select count(*) as n from post'))[0].n)
/** The error of a post, of which nothing may be stored. */
const refused = async (values: Values, as: As = ALICE) => {
  const before = await total()
  const { status, body } = await create(values, as)
  expect(await total(), 'a refusal changes nothing').toBe(before)
  const { code, parameter, details } = body.errors[0]
  return { status, code, parameter, details }
}
const website = async () => {
  const components = [
    { type: 'MEDIA', media_key: await cardMedia.square(scene) },
    { type: 'DETAILS', title: 'Shop', destination: { type: 'WEBSITE', url: 'https://example.com' } },
  ]
  return (await scene.json('POST', 'cards', { name: 'The <shop>', components })).body.data.card_uri as string
}

describe('a post for ads', () => {
  test('is promoted-only by default: everybody can read it, and no timeline has it', async () => {
    const { id_str: id, nullcast } = await made()
    expect(nullcast).toBe(true)
    expect(await readPost(scene.server, id, 'author_id')).toMatchObject({ id, author_id: alice })
    const timeline = await scene.server.get(`/2/users/${alice}/posts?max_results=100`)
    expect(timeline.body.data.map((post: { id: string }) => post.id)).not.toContain(id)
  })

  test('is returned in the shape of version 1.1, with 64-bit numbers in full and without reply settings', async () => {
    const text = words(' #tag $ROST @bob https://example.com/page <&')
    const answer = await create({ text, name: 'Autumn', conversation_settings: 'FOLLOWING' })
    const { data, request } = answer.body
    expect(answer.text).toContain(`"data":{"id":${data.id_str},"id_str":"${data.id_str}"`)
    expect(answer.text).toContain(`"user":{"id":${alice},`)
    expect(answer.text).toContain(`"as_user_id":${alice}`)
    expect(request.params).toMatchObject({ account_id: scene.account, text, conversation_settings: 'FOLLOWING' })
    expect(data).toMatchObject({
      post_id: data.id_str,
      name: 'Autumn',
      truncated: false,
      tweet_type: 'PUBLISHED',
      scheduled_at: null,
      scheduled_status: null,
      possibly_sensitive: false,
      scopes: { followers: false },
      user: { screen_name: 'alice' },
    })
    expect(data.text).toMatch(/ #tag \$ROST @bob https:\/\/\S{15} &lt;&amp;$/)
    expect(data.created_at).toMatch(/^[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d \+0000 \d{4}$/)
    expect(data.entities.user_mentions[0]).toMatchObject({ screen_name: 'bob', id_str: bob })
    expect(data.entities.urls[0].expanded_url).toBe('https://example.com/page')
    expect([data.entities.hashtags[0].text, data.entities.symbols[0].text]).toEqual(['tag', 'ROST'])
    for (const name of ['conversation_settings', 'full_text', 'card_uri']) expect(data).not.toHaveProperty(name)
  })

  test('has its beginning and a link in the compatible form, and all of its text in the extended one', async () => {
    const text = words(` ${'long '.repeat(40)}`).trim()
    const short = await made({ text, post_mode: 'compat' })
    expect(short.truncated).toBe(true)
    expect(short.text).toMatch(/^Words .*… https:\S+$/)
    expect([...short.text].length).toBeLessThanOrEqual(140)
    const full = await made({ text: `${text}!`, post_mode: 'extended' })
    expect(full).toMatchObject({ truncated: false, full_text: `${text}!`, display_text_range: [0, text.length + 1] })
    expect(full).not.toHaveProperty('text')
  })

  test('cannot be edited, unless it went to the followers', async () => {
    const edit = async (id: string) =>
      (await scene.server.post('/2/posts', { text: words(), edit_options: { previous_post_id: id } }, ALICE)).status
    expect(await edit((await made()).id_str)).toBe(403)
    expect(await edit((await made({ nullcast: 'false' })).id_str)).toBe(201)
  })

  test('has only the id of its user with trim_user', async () => {
    expect((await made({ trim_user: true })).user).toEqual({ id: Number(alice), id_str: alice })
  })

  test('goes to the followers with nullcast=false, only for the authenticated user', async () => {
    const { id_str: id, nullcast } = await made({ nullcast: false })
    expect(nullcast).toBe(false)
    const timeline = await scene.server.get(`/2/users/${alice}/posts?max_results=100`)
    expect(timeline.body.data.map((post: { id: string }) => post.id)).toContain(id)
    await allow('bob', 'AD_MANAGER', 'POST_COMPOSER')
    expect(await refused({ nullcast: false }, BOB)).toMatchObject({
      status: 403,
      code: 'ACTION_NOT_ALLOWED',
      parameter: 'nullcast',
    })
    expect((await made({ as_user_id: bob, nullcast: false }, BOB)).nullcast).toBe(false)
  })

  test('is made for the FULL promotable user by those who may compose beside managing creatives', async () => {
    const unknown = { status: 400, code: 'INVALID_USER_ID', parameter: 'as_user_id' }
    for (const manager of ['ACCOUNT_ADMIN', 'AD_MANAGER', 'CREATIVE_MANAGER']) {
      await allow('bob', manager, 'POST_COMPOSER')
      expect((await made({}, BOB)).user.id_str).toBe(alice)
      await allow('bob', manager)
      expect(await refused({}, BOB)).toMatchObject({
        status: 403,
        code: 'ACTION_NOT_ALLOWED',
        parameter: 'as_user_id',
        details: expect.stringContaining('POST_COMPOSER'),
      })
      expect((await made({ as_user_id: bob }, BOB)).user.id_str).toBe(bob)
    }
    await allow('bob', 'CAMPAIGN_ANALYST')
    expect(await refused({ as_user_id: bob }, BOB)).toMatchObject({ status: 403, code: 'ACTION_NOT_ALLOWED' })
    await scene.server.command('ads.account.set', { account: scene.account, promotable_user: 'bob' })
    for (const id of [bob, scene.server.userId('chika'), '1'])
      expect(await refused({ as_user_id: id })).toMatchObject(unknown)
  })

  test('is refused for a suspended user', async () => {
    await scene.server.command('user.update', { user: 'alice', suspended: true })
    await allow('bob', 'AD_MANAGER', 'POST_COMPOSER')
    const answer = await refused({}, BOB)
    await scene.server.command('user.update', { user: 'alice', suspended: false })
    expect(answer).toMatchObject({ status: 403, code: 'CURRENT_USER_SUSPENDED', parameter: 'as_user_id' })
  })

  test('needs words or media, of a length that its author may post, and not twice the same', async () => {
    const missing = { status: 400, code: 'MISSING_PARAMETER', parameter: 'text' }
    expect(await refused({ text: undefined })).toMatchObject(missing)
    expect(await refused({ text: undefined, card_uri: await website() })).toMatchObject(missing)
    expect(await refused({ text: ' \n ' })).toMatchObject({ ...missing, code: 'POST_CANNOT_BE_BLANK' })
    await allow('bob', 'AD_MANAGER')
    expect(await refused({ as_user_id: bob, text: `${words()} ${'é'.repeat(280)}` }, BOB)).toMatchObject({
      status: 400,
      code: 'INVALID_PARAMETER',
      parameter: 'text',
      details: expect.stringContaining('can weigh at most 280'),
    })
    expect((await create({ text: 'a'.repeat(281) })).status, 'alice has the paid subscription').toBe(200)
    const { text } = await made()
    expect(await refused({ text })).toMatchObject({ status: 400, code: 'DUPLICATE_POST', parameter: 'text' })
    expect(await refused({ name: 'n'.repeat(81) })).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'name' })
  })

  test('says who may answer it: mentioned users always may', async () => {
    const { id_str: id } = await made({ text: words(' @bob'), conversation_settings: 'MENTIONED_USERS' })
    expect(await readPost(scene.server, id, 'reply_settings')).toMatchObject({ reply_settings: 'mentionedUsers' })
    const reply = (as: As) => scene.server.post('/2/posts', { text: words(), reply: { in_reply_to_post_id: id } }, as)
    expect((await reply(BOB)).status).toBe(201)
    expect((await reply({ user: 'chika' })).status).toBe(403)
    const shown = (await list({ post_ids: id, include_mentions_and_replies: true })).data
    expect(shown[0].conversation_settings).toBe('MENTIONED_USERS')
  })
})

describe('the media of a post for ads', () => {
  test('are up to four images, or a GIF, or a video, and make words unnecessary', async () => {
    const images = await Promise.all([1, 2, 3, 4].map(() => libraryImage(scene, 80, 80)))
    const gif = await libraryGif(scene, makeGif(2))
    const { media_key: video } = await uploadSegments(scene.server, makeMp4())
    for (const keys of [images, [gif], [video]]) {
      const post = await made({ text: undefined, media_keys: keys.join(',') })
      expect(post.extended_entities.media.map((item: { media_key: string }) => item.media_key)).toEqual(keys)
      expect(post.entities.media).toHaveLength(1)
      expect(post.entities.urls).toEqual([])
    }
    const mixed = { status: 400, code: 'INVALID_MEDIA', parameter: 'media_keys' }
    for (const keys of [
      [images[0], gif],
      [gif, video],
      [video, images[0]],
      [images[0], images[0]],
    ])
      expect(await refused({ media_keys: keys.join(',') })).toMatchObject(mixed)
    expect(await refused({ media_keys: [...images, gif].join(',') })).toMatchObject({ code: 'INVALID_PARAMETER' })
    expect(await refused({ media_keys: images[0]!, card_uri: await website() })).toMatchObject({
      code: 'EXCLUSIVE_PARAMETERS',
      parameter: 'card_uri',
    })
  })

  test('belong to the user, name the user as an owner, or are in the library of the account', async () => {
    await allow('bob', 'AD_MANAGER')
    const mine = await uploadWhole(scene.server, makePng(), 'post_image', 'bob')
    const shared = await uploadSegments(scene.server, makeMp4(), { owners: [bob] })
    const lent = await libraryImage(scene, 80, 80)
    for (const key of [mine.media_key, shared.media_key, lent])
      expect((await create({ as_user_id: bob, media_keys: key }, BOB)).status).toBe(200)
    const { media_key: foreign } = await uploadWhole(scene.server, makePng())
    const message = await uploadWhole(scene.server, makePng(), 'dm_image')
    for (const key of [foreign, '3_1'])
      expect(await refused({ as_user_id: bob, media_keys: key }, BOB)).toMatchObject({
        status: 404,
        code: 'MEDIA_NOT_FOUND',
        parameter: 'media_keys',
      })
    expect(await refused({ media_keys: message.media_key })).toMatchObject({ status: 400, code: 'INVALID_MEDIA' })
  })

  test('may be a video with a title, a description and a button that leads somewhere', async () => {
    const { media_key: video } = await uploadSegments(scene.server, makeMp4())
    const button = { video_cta: 'WATCH_NOW', video_cta_value: 'https://example.com/watch' }
    const post = await made({ media_keys: video, video_title: 'T', video_description: 'D', ...button })
    const said = { title: 'T', description: 'D', call_to_actions: { watch_now: { url: 'https://example.com/watch' } } }
    for (const { entities, extended_entities } of [post, (await list({ post_ids: post.id_str })).data[0]]) {
      expect(entities.media[0].additional_media_info).toEqual(said)
      expect(extended_entities.media[0].additional_media_info).toEqual(said)
    }
    const silent = (await made({ media_keys: video, text: words() })).extended_entities.media[0]
    expect(silent).not.toHaveProperty('additional_media_info')
    const image = await libraryImage(scene, 80, 80)
    for (const [values, parameter] of [
      [button, 'video_cta'],
      [{ video_title: 'T' }, 'video_title'],
      [{ video_description: 'D' }, 'video_description'],
    ] as const)
      for (const media of [image, undefined])
        expect(await refused({ ...values, media_keys: media })).toMatchObject({ code: 'INVALID_PARAMETER', parameter })
    expect(await refused({ media_keys: video, video_cta: 'VISIT_SITE' })).toMatchObject({
      code: 'INCLUSIVE_PARAMETERS',
      parameter: 'video_cta_value',
    })
    expect(await refused({ media_keys: video, ...button, video_cta_value: 'http://example.com' })).toMatchObject({
      code: 'INVALID_PARAMETER',
      parameter: 'video_cta_value',
    })
  })
})

test('a post for ads shows a card of the account, and the same words with another card are another post', async () => {
  const [card, other] = [await website(), await website()]
  const text = words()
  const post = await made({ text, card_uri: card })
  expect([post.card_uri, post.possibly_sensitive]).toEqual([card, false])
  expect((await readPost(scene.server, post.id_str, 'card_uri')).card_uri).toBe(card)
  expect((await made({ text, card_uri: other })).card_uri).toBe(other)
  expect(await refused({ text, card_uri: card })).toMatchObject({ code: 'DUPLICATE_POST' })
  expect(await refused({ card_uri: 'card://1' })).toMatchObject({ status: 404, code: 'CARD_NOT_FOUND' })
  expect(await refused({ card_uri: 'card://x' })).toMatchObject({ status: 400, code: 'INVALID_PARAMETER' })
})

describe('the list of posts', () => {
  test('has promoted-only posts of the FULL promotable user, newest first, unless asked for others', async () => {
    const promoted = (await made()).id_str
    const organic = await makePost(scene.server, 'alice', { text: words() })
    const of = async (values: Values) => ids((await list({ count: 2, ...values })).data)
    expect((await of({}))[0]).toBe(promoted)
    expect((await of({ timeline_type: 'ORGANIC' }))[0]).toBe(organic)
    expect(await of({ timeline_type: 'ALL' })).toEqual([organic, promoted])
  })

  test('shows posts with all of their members', async () => {
    const long = words(` ${'long '.repeat(60)}`).trim()
    const { id_str: id } = await made({ text: long, name: 'Shown' })
    await scene.server.post(`/2/users/${alice}/likes`, { post_id: id }, ALICE)
    const [post] = (await list({ post_ids: id, trim_user: true })).data
    expect(post).toMatchObject({
      id_str: id,
      post_id: id,
      name: 'Shown',
      full_text: long,
      truncated: false,
      nullcast: true,
      tweet_type: 'PUBLISHED',
      scheduled_at: null,
      conversation_settings: 'EVERYONE',
      favorite_count: 1,
      favorited: true,
      reposted: false,
    })
    expect(Object.keys(post.user)).toEqual(['id', 'id_str'])
  })

  test('leaves mentions and replies out unless asked for them', async () => {
    const mention = (await made({ text: words(' @bob') })).id_str
    const plain = (await made()).id_str
    expect(ids((await list({ count: 3 })).data)).not.toContain(mention)
    expect(ids((await list({ count: 2, include_mentions_and_replies: true })).data)).toEqual([plain, mention])
    const body = { text: words(), reply: { in_reply_to_post_id: plain } }
    const reply = await makePost(scene.server, 'alice', body)
    const replies = { timeline_type: 'ORGANIC', count: 1 }
    expect(ids((await list(replies)).data)).not.toContain(reply)
    expect(ids((await list({ ...replies, include_mentions_and_replies: true })).data)).toEqual([reply])
  })

  test('is narrowed by the beginning of names in any case, and by ids of the state asked for', async () => {
    const [first, second] = [(await made({ name: 'Spring_1' })).id_str, (await made({ name: 'spring 2' })).id_str]
    expect(ids((await list({ name: 'SPRING' })).data)).toEqual([second, first])
    expect(ids((await list({ name: 'spring_' })).data)).toEqual([first])
    expect(ids((await list({ name: 'spring', post_ids: `${first},1` })).data)).toEqual([first])
    const draft = (await scene.made('draft_posts', { text: 'A draft' })).id
    expect(ids((await list({ post_ids: `${first},${draft}` })).data)).toEqual([first])
    expect(ids((await list({ post_ids: `${first},${draft}`, tweet_type: 'DRAFT' })).data)).toEqual([draft])
  })

  test('names the card of what is not published even where there is none', async () => {
    const draft = (await scene.made('draft_posts', { text: words() })).id
    const due = new Date(scene.server.runtime.clock.now() + 86_400_000).toISOString()
    const scheduled = (await scene.made('scheduled_posts', { text: words(), scheduled_at: due })).id
    const published = (await made()).id_str
    expect((await list({ tweet_type: 'DRAFT', post_ids: draft })).data[0].card_uri).toBeNull()
    expect((await list({ tweet_type: 'SCHEDULED', post_ids: scheduled })).data[0].card_uri).toBeNull()
    expect((await list({ post_ids: published })).data[0]).not.toHaveProperty('card_uri')
  })

  test('continues after its cursor in every state', async () => {
    const three = [(await made()).id_str, (await made()).id_str, (await made()).id_str].reverse()
    const drafts: string[] = []
    for (let n = 0; n < 3; n++) drafts.unshift((await scene.made('draft_posts', { text: words() })).id)
    for (const [tweet_type, expected] of [
      ['PUBLISHED', three],
      ['DRAFT', drafts],
    ] as const) {
      const first = await list({ tweet_type, count: 2 })
      const second = await list({ tweet_type, count: 1, cursor: first.next_cursor })
      expect([...ids(first.data), ...ids(second.data)]).toEqual(expected)
    }
    expect((await list({ post_ids: three[0]!, count: 1 })).next_cursor).toBeNull()
    const wrong = await scene.get('posts', { tweet_type: 'PUBLISHED', cursor: 'x' })
    expect(wrong.body.errors[0]).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'cursor' })
  })

  test('is of any promotable user of the account and of no other user', async () => {
    await scene.server.command('ads.account.set', { account: scene.account, promotable_user: 'chika' })
    const chika = scene.server.userId('chika')
    const post = await makePost(scene.server, 'chika', { text: words() })
    expect(ids((await list({ user_id: chika, timeline_type: 'ORGANIC', count: 1 })).data)).toEqual([post])
    const other = await scene.get('posts', { tweet_type: 'PUBLISHED', user_id: scene.server.userId('dario') })
    expect([other.status, other.body.errors[0].code]).toEqual([404, 'PROMOTABLE_USER_NOT_FOUND'])
    const none = await scene.get('posts')
    expect(none.body.errors[0]).toMatchObject({ code: 'MISSING_PARAMETER', parameter: 'tweet_type' })
  })
})

test('the name of a post, and nothing else, can be changed and taken away', async () => {
  const { id_str: id } = await made({ name: 'Before' })
  const answer = await scene.put(`posts/${id}/name`, { name: 'After' })
  expect(answer.text).toContain(`"post_id":${id},"name":"After"`)
  expect(answer.body.data).toMatchObject({ id_str: id, name: 'After', tweet_type: 'PUBLISHED', scheduled_status: null })
  expect((await list({ post_ids: id })).data[0].name).toBe('After')
  expect((await scene.put(`posts/${id}/name`, { name: '' })).body.data.name).toBeNull()
  const organic = await makePost(scene.server, 'alice', { text: words() })
  expect((await scene.put(`posts/${organic}/name`, { name: 'Organic' })).body.data.name).toBe('Organic')
  const foreign = await makePost(scene.server, 'dario', { text: words() })
  for (const other of [foreign, '1']) {
    const unknown = await scene.put(`posts/${other}/name`, { name: 'Mine' })
    expect([unknown.status, unknown.body.errors[0].code]).toEqual([404, 'POST_NOT_FOUND'])
  }
})
