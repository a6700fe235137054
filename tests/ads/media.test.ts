import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendSegments, uploadSegments, uploadWhole } from '../social/uploading.ts'
import { makeGif, makeJpeg, makeMp4, makePng } from '../support/make-media.ts'
import type { As, TestAnswer } from '../support/server.ts'
import { type AdsScene, ALICE, startAdsScene } from './ads-scene.ts'

const BOB: As = { user: 'bob' }

let scene: AdsScene
beforeAll(async () => {
  scene = await startAdsScene()
})
afterAll(() => scene.close())

const firstError = (answer: TestAnswer) => ({ status: answer.status, ...answer.body.errors[0] })
const add = (key: string, values = {}, as?: As) => scene.post('media_library', { media_key: key, ...values }, as)
async function added(key: string, values = {}) {
  const answer = await add(key, values)
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
  return answer.body.data
}
const keysOf = (answer: TestAnswer) => answer.body.data.map((item: { media_key: string }) => item.media_key)
const list = async (values = {}) => keysOf(await scene.get('media_library', values))

const picture = async (width = 64, height = 48, user = 'alice') =>
  (await uploadWhole(scene.server, makePng(width, height), 'post_image', user)).media_key
const movie = async (category = 'post_video', facts = {}) =>
  (await uploadSegments(scene.server, makeMp4({ width: 640, height: 360, durationMs: 2000, ...facts }), { category }))
    .media_key as string
const gif = async () =>
  (await uploadSegments(scene.server, makeGif(), { type: 'image/gif', category: 'post_gif' })).media_key as string

/** The account media that a library item became. */
const accountMediaOf = async (type: string) =>
  (await scene.get('account_media', { creative_types: type, sort_by: 'created_at-desc' })).body.data

describe('the media library', () => {
  test('takes a picture, which has no members of videos', async () => {
    const key = await picture()
    const answer = await add(key, { name: 'Logo', file_name: 'logo.png' })
    expect(answer.body.request.params).toEqual({
      account_id: scene.account,
      media_key: key,
      name: 'Logo',
      file_name: 'logo.png',
    })
    expect(answer.body.data).toEqual({
      media_key: key,
      media_type: 'IMAGE',
      media_category: 'POST_IMAGE',
      media_status: 'TRANSCODE_COMPLETED',
      media_url: expect.stringMatching(/^http.*\.png$/),
      name: 'Logo',
      file_name: 'logo.png',
      posted: false,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
      deleted: false,
    })
    expect((await scene.get(`media_library/${key}`)).body.data).toEqual(answer.body.data)
  })

  test('takes a video with its words, and shows its length, shape and first frame', async () => {
    const key = await movie()
    expect(await added(key, { title: 'Spring', description: '' })).toEqual({
      media_key: key,
      media_type: 'VIDEO',
      media_category: 'POST_VIDEO',
      media_status: 'TRANSCODE_COMPLETED',
      media_url: expect.stringMatching(/\.mp4$/),
      name: null,
      file_name: null,
      title: 'Spring',
      description: '',
      posted: false,
      duration: 2000,
      aspect_ratio: '16:9',
      poster_media_url: expect.stringMatching(/-preview\.png$/),
      created_at: expect.any(String),
      updated_at: expect.any(String),
      deleted: false,
    })
  })

  test('takes a GIF, which has a shape and no length', async () => {
    const key = await gif()
    expect(await added(key)).toMatchObject({
      media_type: 'GIF',
      media_category: 'POST_GIF',
      title: null,
      description: null,
      duration: null,
      aspect_ratio: '4:3',
      poster_media_url: expect.stringMatching(/-preview\.gif$/),
    })
  })

  test('has title, description and poster for videos only, though a GIF may be described later', async () => {
    const image = await picture()
    const moving = await gif()
    const poster = await picture()
    for (const key of [image, moving])
      for (const values of [{ title: 'No' }, { description: 'No' }, { poster_media_key: poster }]) {
        const [parameter] = Object.keys(values)
        expect(firstError(await add(key, values))).toMatchObject({ status: 400, code: 'INVALID_PARAMETER', parameter })
      }
    expect((await scene.get(`media_library/${image}`)).status).toBe(404)
    await added(image)
    await added(moving)
    expect(firstError(await scene.put(`media_library/${image}`, { title: 'No' })).parameter).toBe('title')
    expect(firstError(await scene.put(`media_library/${moving}`, { poster_media_key: poster })).parameter).toBe(
      'poster_media_key',
    )
    const described = await scene.put(`media_library/${moving}`, { title: 'Loop', description: 'Again' })
    expect(described.body.data).toMatchObject({ title: 'Loop', description: 'Again' })
  })

  test.each([
    ['name', 100],
    ['file_name', 255],
    ['title', 70],
    ['description', 200],
  ])('takes a %s of up to %i characters', async (parameter, most) => {
    const key = await movie()
    expect((await added(key, { [parameter]: 'ü'.repeat(most) }))[parameter]).toBe('ü'.repeat(most))
    for (const answer of [
      await add(key, { [parameter]: 'u'.repeat(most + 1) }),
      await scene.put(`media_library/${key}`, { [parameter]: 'u'.repeat(most + 1) }),
    ])
      expect(firstError(answer)).toMatchObject({ status: 400, code: 'INVALID_PARAMETER', parameter })
  })

  test('changes only what is sent, and an empty value clears it', async () => {
    const key = await movie()
    const poster = await picture(640, 360)
    const before = await added(key, { name: 'One', title: 'First', poster_media_key: poster })
    expect(before.poster_media_key).toBe(poster)
    expect(before.poster_media_url).toContain(`/media/${poster}/`)
    await scene.server.command('clock', { advance_ms: 2000 })
    const renamed = (await scene.put(`media_library/${key}`, { name: 'Two' })).body.data
    expect(renamed).toEqual({ ...before, name: 'Two', updated_at: expect.any(String) })
    expect(renamed.updated_at > before.updated_at).toBe(true)
    const cleared = (await scene.put(`media_library/${key}`, { title: '', poster_media_key: '' })).body.data
    expect(cleared).toMatchObject({ name: 'Two', title: null })
    expect(cleared.poster_media_url).toMatch(/-preview\.png$/)
    expect(cleared).not.toHaveProperty('poster_media_key')
    expect((await scene.put(`media_library/${key}`, { media_key: key })).body.data).toEqual(cleared)
  })

  test('takes as a poster a png or jpg picture that the account may use', async () => {
    const key = await movie()
    await added(key)
    const poster = (value: string) => scene.put(`media_library/${key}`, { poster_media_key: value })
    const jpeg = (await uploadWhole(scene.server, makeJpeg())).media_key
    expect((await poster(jpeg)).body.data.poster_media_key).toBe(jpeg)
    expect(firstError(await poster(await movie()))).toMatchObject({ status: 400, code: 'INVALID_IMAGE' })
    expect(firstError(await poster(await picture(8, 8, 'dario')))).toMatchObject({
      status: 404,
      code: 'MEDIA_NOT_FOUND',
    })
    expect(firstError(await poster('3_1'))).toMatchObject({ code: 'MEDIA_NOT_FOUND', parameter: 'poster_media_key' })
    expect((await scene.get(`media_library/${key}`)).body.data.poster_media_key).toBe(jpeg)
  })

  test('accepts uploads only of the caller and of promotable users', async () => {
    const ofBob = await picture(8, 8, 'bob')
    expect(firstError(await add(ofBob))).toMatchObject({ status: 404, code: 'MEDIA_NOT_FOUND', parameter: 'media_key' })
    await scene.server.command('ads.account.grant', {
      account: scene.account,
      user: 'bob',
      permissions: ['CREATIVE_MANAGER'],
    })
    expect((await add(ofBob, {}, BOB)).status).toBe(200)
    expect((await add(await picture(), {}, BOB)).status).toBe(200)
    const ofDario = await picture(8, 8, 'dario')
    expect(firstError(await add(ofDario)).code).toBe('MEDIA_NOT_FOUND')
    await scene.server.command('ads.account.set', { account: scene.account, promotable_user: 'dario' })
    expect((await add(ofDario)).status).toBe(200)
  })

  test('refuses uploads that are unfinished, failed, for messages, or not keys of uploads', async () => {
    const id = await sendSegments(scene.server, makeMp4(), { category: 'post_video' })
    expect(firstError(await add(`7_${id}`))).toMatchObject({
      status: 400,
      code: 'INVALID_MEDIA',
      details: 'the upload is not finished',
    })
    const broken = await uploadSegments(scene.server, Buffer.alloc(500, 1), { category: 'post_video' })
    expect(firstError(await add(broken.media_key))).toMatchObject({
      code: 'INVALID_MEDIA',
      details: 'the upload failed',
    })
    const message = (await uploadWhole(scene.server, makePng(), 'dm_image')).media_key
    expect(firstError(await add(message))).toMatchObject({ status: 400, code: 'INVALID_MEDIA', parameter: 'media_key' })
    expect(firstError(await add('12345'))).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'media_key' })
    expect(firstError(await scene.post('media_library'))).toMatchObject({
      code: 'MISSING_PARAMETER',
      parameter: 'media_key',
    })
  })

  test('takes videos of up to 500 MB', async () => {
    const key = await movie()
    const weigh = (bytes: number) =>
      scene.server.runtime.database.query({
        text: 'update media set received_bytes = $2 where media_key = $1',
        values: [key, bytes],
      })
    await weigh(500 * 1024 * 1024 + 1)
    expect(firstError(await add(key))).toMatchObject({
      code: 'INVALID_MEDIA',
      details: 'a video must not be larger than 500 MB',
    })
    await weigh(500 * 1024 * 1024)
    expect((await add(key)).status).toBe(200)
  })

  test('keeps an upload that would expire', async () => {
    const key = await picture()
    const other = await picture()
    await added(key)
    await scene.server.command('clock', { advance_ms: 25 * 3_600_000 })
    expect((await add(key)).status).toBe(200)
    expect(firstError(await add(other))).toMatchObject({ status: 404, code: 'MEDIA_NOT_FOUND' })
  })

  test('finds whole words of name, title, file name and description in any case', async () => {
    const key = await movie()
    await added(key, {
      name: 'Zephyr one',
      title: 'Gala',
      file_name: 'quokka_final.mp4',
      description: 'Crème brûlée, slowly',
    })
    for (const q of ['zephyr', 'GALA', 'quokka', 'quokka_final.mp4', 'brulee', 'slowly zephyr'])
      expect(await list({ q }), q).toEqual([key])
    for (const q of ['zeph', 'final1', 'zephyr two', '***']) expect(await list({ q }), q).toEqual([])
    expect(await list({ q: 'zephyr', media_type: 'VIDEO' })).toEqual([key])
    expect(await list({ q: 'zephyr', media_type: 'GIF' })).toEqual([])
    await scene.put(`media_library/${key}`, { name: '' })
    expect(await list({ q: 'zephyr' })).toEqual([])
    for (const q of ['', 'q'.repeat(256)])
      expect(firstError(await scene.get('media_library', { q }))).toMatchObject({
        code: 'INVALID_PARAMETER',
        parameter: 'q',
      })
  })

  test('is listed 20 at a time, up to 50, without sorting, totals and deleted media', async () => {
    const keys: string[] = []
    for (let at = 0; at < 21; at++) keys.push((await added(await picture(), { name: `walrus ${at}` })).media_key)
    const first = await scene.get('media_library', { q: 'walrus' })
    expect(keysOf(first)).toEqual(keys.slice(0, 20))
    const second = await scene.get('media_library', { q: 'walrus', cursor: first.body.next_cursor })
    expect(keysOf(second)).toEqual(keys.slice(20))
    expect(second.body.next_cursor).toBeNull()
    const refused = { count: 51, cursor: 'x' }
    for (const [parameter, value] of Object.entries(refused))
      expect(firstError(await scene.get('media_library', { [parameter]: value }))).toMatchObject({
        status: 400,
        parameter,
      })
  })

  test('shows an item that is removed as deleted, and accepts it again', async () => {
    const key = await picture()
    const before = await added(key, { name: 'Old' })
    const deleted = await scene.delete(`media_library/${key}`)
    expect(deleted.body.data).toEqual({ ...before, deleted: true, updated_at: expect.any(String) })
    const again = [
      await scene.delete(`media_library/${key}`),
      await scene.get(`media_library/${key}`),
      await scene.put(`media_library/${key}`, { name: 'New' }),
    ]
    for (const answer of again) expect(firstError(answer)).toMatchObject({ status: 404, code: 'MEDIA_NOT_FOUND' })
    expect((await scene.get(`media_library/${key}`, { with_deleted: true })).status).toBe(404)
    expect(await list({ q: 'old' })).toEqual([])
    expect(await added(key)).toMatchObject({ name: null, deleted: false })
  })

  test('is refused to users who may only see campaigns', async () => {
    await scene.server.command('ads.account.grant', {
      account: scene.account,
      user: 'chika',
      permissions: ['CAMPAIGN_ANALYST'],
    })
    const refused = await add(await picture(8, 8, 'chika'), {}, { user: 'chika' })
    expect(firstError(refused)).toMatchObject({ status: 403, code: 'ACTION_NOT_ALLOWED' })
    expect((await scene.get('media_library', {}, { user: 'chika' })).status).toBe(200)
  })
})

describe('media in posts', () => {
  const post = (keys: string[], user = 'alice') =>
    scene.server.post(
      '/2/posts',
      { text: `Showing ${keys[0]}`, media: { media_ids: keys.map((key) => key.split('_')[1]) } },
      { user },
    )

  test('are shown as posted, also after the post is deleted', async () => {
    const key = await picture()
    await added(key, { name: 'Shown' })
    const made = await post([key])
    expect(made.status).toBe(201)
    expect((await scene.get(`media_library/${key}`)).body.data).toMatchObject({ name: 'Shown', posted: true })
    await scene.server.delete(`/2/posts/${made.body.data.id}`, ALICE)
    expect((await scene.get(`media_library/${key}`)).body.data.posted).toBe(true)
  })

  test('of the account’s user are added to the library, and become account media where they fit', async () => {
    const banner = await picture(728, 90)
    const ofBob = await picture(8, 8, 'bob')
    await post([banner])
    await post([ofBob], 'bob')
    expect((await scene.get(`media_library/${banner}`)).body.data).toMatchObject({ name: null, posted: true })
    expect((await scene.get(`media_library/${ofBob}`)).status).toBe(404)
    await scene.server.command('ads.work')
    const [entered] = await accountMediaOf('BANNER_TABLET')
    expect(entered).toMatchObject({ creative_type: 'BANNER_TABLET', media_url: expect.stringContaining(banner) })
    await scene.server.command('ads.work')
    expect(await accountMediaOf('BANNER_TABLET')).toEqual([entered])
    await scene.put(`media_library/${banner}`, { name: 'Found' })
    await scene.delete(`media_library/${banner}`)
    expect((await scene.get(`media_library/${banner}`)).status).toBe(404)
  })
})

describe('account media', () => {
  test('are created from a pre-roll video, with its key and no address', async () => {
    const key = await movie('amplify_video')
    expect((await added(key)).media_category).toBe('AMPLIFY_VIDEO')
    const [made] = await accountMediaOf('PREROLL')
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-z]+$/),
      video_id: key,
      media_url: null,
      creative_type: 'PREROLL',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      deleted: false,
    })
    await added(key, { name: 'Again' })
    expect((await accountMediaOf('PREROLL')).filter((item: { video_id: string }) => item.video_id === key)).toEqual([
      made,
    ])
  })

  test.each([
    ['MEDIUM_RECTANGLE', 300, 250],
    ['INTERSTITIAL_LANDSCAPE', 480, 320],
    ['INTERSTITIAL_TABLET', 768, 1024],
    ['INTERSTITIAL_LANDSCAPE_TABLET', 1024, 768],
  ])('are created from images in the size of %s', async (type, width, height) => {
    expect(await accountMediaOf(type)).toEqual([])
    const { media_url } = await added(await picture(width, height))
    await added(await picture(width + 1, height))
    expect(await accountMediaOf(type)).toMatchObject([{ creative_type: type, video_id: null, media_url }])
  })

  test('are not created from videos of another category', async () => {
    const before = (await scene.get('account_media', { with_total_count: true })).body.total_count
    await added(await movie('post_video', { width: 300, height: 250 }))
    expect((await scene.get('account_media', { with_total_count: true })).body.total_count).toBe(before)
    const unknown = await scene.get('account_media', { creative_types: 'POSTER' })
    expect(firstError(unknown)).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'creative_types' })
  })

  test('are deleted softly, and created again with their media item', async () => {
    const key = await movie('amplify_video')
    await added(key)
    const [{ id }] = await accountMediaOf('PREROLL')
    expect((await scene.delete(`account_media/${id}`)).body.data).toMatchObject({ id, deleted: true })
    expect(firstError(await scene.get(`account_media/${id}`))).toMatchObject({
      status: 404,
      code: 'ACCOUNT_MEDIA_NOT_FOUND',
    })
    expect((await scene.get(`account_media/${id}`, { with_deleted: true })).body.data.video_id).toBe(key)
    await added(key)
    expect((await accountMediaOf('PREROLL'))[0]).toMatchObject({ video_id: key, deleted: false })
  })
})
