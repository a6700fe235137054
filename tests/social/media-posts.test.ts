import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { mediaFacts } from '../../src/social/media/media.statements.ts'
import { tidy } from '../../src/world/housekeeping.ts'
import { makeGif, makeMp4, makePng } from '../support/make-media.ts'
import { openStream } from '../support/read-stream.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { HOUR, makePost, notFoundOnly, readPost, rows } from './acting.ts'
import { uploadSegments, uploadWhole } from './uploading.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer([], { events: true })
})
afterAll(() => server.close())
afterEach(() => server.command('clock', { reset: true }))

const alice = { user: 'alice' }
const VTT = Buffer.from('WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n')
const photo = (user = 'alice') => uploadWhole(server, makePng(), 'post_image', user)
const film = () => uploadSegments(server, makeMp4())
const attach = (media: object, more: object = {}, user = 'alice') =>
  server.post('/2/posts', { media, ...more }, { user })
const invalidIds = (ids: string[]) => ({
  errors: [{ parameters: { 'media.media_ids': ids }, message: 'Your media IDs are invalid.' }],
  title: 'Invalid Request',
  detail: 'One or more parameters to your request was invalid.',
  type: `${server.runtime.problemBase}/invalid-request`,
})
const found = async (query: string) => {
  const answer = await server.get(`/2/posts/search/recent?query=${encodeURIComponent(query)}`)
  return (answer.body.data ?? []).map((item: { id: string }) => item.id)
}

describe('a post with media', () => {
  test('needs no text, has a short link with an entity for each item, and includes them by expansion', async () => {
    const items = [await photo(), await photo()]
    const made = await attach({ media_ids: items.map((item) => item.id) })
    expect(made.status, made.text).toBe(201)
    const { id, text } = made.body.data
    expect(text).toMatch(/^https:\/\/\S{15}$/)
    const read = await server.get(
      `/2/posts/${id}?post.fields=attachments,entities,display_text_range&expansions=attachments.media_keys&media.fields=url,width`,
    )
    const keys = items.map((item) => item.media_key)
    expect(read.body.data.attachments).toEqual({ media_keys: keys })
    expect(read.body.data.entities.urls).toEqual(
      keys.map((key) => ({
        start: 0,
        end: 23,
        url: text,
        expanded_url: `${server.runtime.baseUrl}/alice/status/${id}/photo/1`,
        display_url: expect.any(String),
        media_key: key,
      })),
    )
    expect(read.body.includes.media.map((item: { media_key: string }) => item.media_key)).toEqual(keys)
    expect(read.body.includes.media[0]).toMatchObject({ type: 'photo', width: 64 })
  })

  test('shows its text without the link, which weighs nothing', async () => {
    const { id } = await film()
    const words = 'a'.repeat(280)
    const made = await makePost(server, 'bob', { text: words }).then(() => attach({ media_ids: [id] }, { text: words }))
    expect(made.status, made.text).toBe(201)
    const read = await readPost(server, made.body.data.id, 'display_text_range,entities')
    expect(read.text).toMatch(/^a{280} https:\S+$/)
    expect(read.display_text_range).toEqual([0, 280])
    expect(read.entities.urls[0].expanded_url).toMatch(/\/video\/1$/)
  })

  test('that is long keeps the link in its short form', async () => {
    const { id, media_key } = await photo()
    const made = await attach({ media_ids: [id] }, { text: 'Long words '.repeat(60) })
    const read = await readPost(server, made.body.data.id, 'entities,note_post')
    expect(read.text).toMatch(/… https:\S+ https:\S+$/)
    expect(read.entities.urls.at(-1).media_key).toBe(media_key)
    expect(read.note_post.text).not.toContain('https:')
  })

  test('may have the same text as another, with different pictures', async () => {
    const [first, second] = [await photo(), await photo()]
    expect((await attach({ media_ids: [first.id] }, { text: 'Twice' })).status).toBe(201)
    expect((await attach({ media_ids: [second.id] }, { text: 'Twice' })).status).toBe(201)
    expect((await attach({ media_ids: [second.id] }, { text: 'Twice' })).status).toBe(403)
  })

  test('is rejected with ids that are unknown, of another user, unfinished, failed, of another kind or given twice', async () => {
    const begun = await server.post('/2/media/upload/initialize', { media_type: 'image/png', total_bytes: 9 }, alice)
    const failed = await uploadSegments(server, Buffer.from('nothing'))
    const own = await photo()
    for (const ids of [
      ['1'],
      [own.id, '9'.repeat(19)],
      [(await photo('bob')).id],
      [begun.body.data.id],
      [failed.id],
      [(await uploadWhole(server, makePng(), 'dm_image')).id],
      [(await uploadWhole(server, VTT, 'subtitles')).id],
      [own.id, own.id],
    ]) {
      const answer = await attach({ media_ids: ids }, { text: 'No' })
      expect([answer.status, answer.body]).toEqual([400, invalidIds(ids)])
    }
    expect((await rows(server, 'select post_uses from media where id = $1', [own.id]))[0].post_uses).toBe(0)
  })

  test('has four photos, or one GIF, or one video', async () => {
    const photos = await Promise.all([photo(), photo(), photo(), photo()])
    const gif = await uploadSegments(server, makeGif(2), { type: 'image/gif' })
    const video = await film()
    const ids = photos.map((item) => item.id)
    expect((await attach({ media_ids: ids }, { text: 'Four' })).status).toBe(201)
    for (const mixed of [
      [ids[0]!, gif.id],
      [gif.id, video.id],
      [video.id, ids[0]!],
    ]) {
      const answer = await attach({ media_ids: mixed })
      expect(answer.status).toBe(400)
      expect(answer.body.errors[0].message).toBe(
        'Up to four photos, or one animated GIF, or one video can be attached.',
      )
    }
    expect((await attach({ media_ids: [gif.id] })).status).toBe(201)
    expect((await attach({ media_ids: [...ids, gif.id] })).body.errors[0].message).toMatch(/maximum of 4 items/)
  })

  test('cannot have a poll, quote or deep link besides the media', async () => {
    const { id } = await photo()
    const answer = await attach(
      { media_ids: [id] },
      { text: 'Both', poll: { options: ['a', 'b'], duration_minutes: 10 } },
    )
    expect(answer.status).toBe(400)
    expect(Object.keys(answer.body.errors[0].parameters)).toEqual(['poll', 'media'])
  })

  test('can be created by an additional owner, and by nobody else', async () => {
    const bob = server.userId('bob')
    const shared = await uploadSegments(server, makeMp4(), { owners: [bob] })
    expect((await attach({ media_ids: [shared.id] }, {}, 'chika')).body).toEqual(invalidIds([shared.id]))
    const made = await attach({ media_ids: [shared.id] }, { text: 'Lent' }, 'bob')
    expect(made.status, made.text).toBe(201)
    expect(await mediaFacts.all(server.runtime.database, [shared.media_key])).toMatchObject([
      {
        media_id: shared.id,
        owner_user_id: server.userId('alice'),
        category: 'post_video',
        status: 'ready',
        byte_size: String(shared.size),
      },
    ])
  })

  test('keeps its media through an edit, which may change them', async () => {
    const [first, second] = [await photo(), await photo()]
    const made = await attach({ media_ids: [first.id] }, { text: 'One' })
    const edit = (body: object, previous: string) =>
      server.post('/2/posts', { ...body, edit_options: { previous_post_id: previous } }, alice)
    const words = await edit({ text: 'Two' }, made.body.data.id)
    expect((await readPost(server, words.body.data.id, 'attachments')).attachments.media_keys).toEqual([
      first.media_key,
    ])
    const other = await edit({ text: 'Three', media: { media_ids: [second.id] } }, words.body.data.id)
    expect((await readPost(server, other.body.data.id, 'attachments')).attachments.media_keys).toEqual([
      second.media_key,
    ])
  })

  test('counts as media of its author until it is removed; then the media expire', async () => {
    const count = async () =>
      (await server.get('/2/users/by/username/dario?user.fields=public_metrics')).body.data.public_metrics.media_count
    const { id, media_key } = await photo('dario')
    const made = await attach({ media_ids: [id] }, {}, 'dario')
    expect(await count()).toBe(1)
    expect((await server.get(`/2/media/${media_key}`)).status).toBe(200)
    await server.command('clock', { advance_ms: 48 * HOUR })
    await tidy(server.runtime)
    expect((await server.get(`/2/media/${media_key}`)).status).toBe(200)
    expect((await server.delete(`/2/posts/${made.body.data.id}`, { user: 'dario' })).status).toBe(200)
    expect(await count()).toBe(0)
    expect((await server.get(`/2/media/${media_key}`)).body).toEqual(notFoundOnly)
    await tidy(server.runtime)
    expect(await rows(server, 'select from media_segment where media_id = $1', [id])).toEqual([])
  })

  test('tags users who exist and do not block the author; details of a video are checked', async () => {
    const [bob, chika] = [server.userId('bob'), server.userId('chika')]
    await server.command('relation.add', { kind: 'block', source: 'chika', target: 'alice' })
    const video = await film()
    const cover = await photo()
    const media = {
      media_ids: [video.id],
      tagged_user_ids: [bob, chika],
      title: 'A film',
      preview_media_id: cover.id,
      call_to_actions: { visit_site: { url: 'https://example.com/' } },
    }
    const made = await attach(media)
    expect(made.status, made.text).toBe(201)
    const [said] = await rows(server, 'select tagged_user_ids, details from post_media where post_id = $1', [
      made.body.data.id,
    ])
    expect(said.tagged_user_ids).toEqual([bob])
    expect(said.details).toMatchObject({ title: 'A film', call_to_actions: { visit_site: {} } })
    const read = await server.get(`/2/media/${video.media_key}?media.fields=preview_image_url`)
    expect(read.body.data.preview_image_url).toContain(cover.media_key)
    for (const [wrong, parameter] of [
      [{ tagged_user_ids: ['1'] }, 'media.tagged_user_ids'],
      [{ call_to_actions: {} }, 'media.call_to_actions'],
      [{ call_to_actions: { watch_now: { url: 'http://example.com' } } }, 'media.call_to_actions.watch_now.url'],
      [{ call_to_actions: { app_install: {} } }, 'media.call_to_actions.app_install'],
      [{ preview_media_id: video.id }, 'media.preview_media_id'],
    ] as const) {
      const answer = await attach({ media_ids: [video.id], ...wrong }, { text: 'Wrong' })
      expect([answer.status, Object.keys(answer.body.errors[0].parameters)]).toEqual([400, [parameter]])
    }
  })

  test('is found and streamed by what it has, as a repost too', async () => {
    const rules = [...['media', 'images', 'video_link', 'links'].map((name) => `Findable has:${name}`)]
    await server.post('/2/posts/search/stream/rules', { add: rules.map((value) => ({ value, tag: value })) }, 'app')
    const stream = await openStream(server, '/2/posts/search/stream', 'app')
    const still = await attach({ media_ids: [(await photo()).id] }, { text: 'Findable still' })
    const moving = await attach({ media_ids: [(await film()).id] }, { text: 'Findable moving' })
    const plain = await makePost(server, 'alice', { text: 'Findable words' })
    const [stillId, movingId] = [still.body.data.id, moving.body.data.id]
    expect(await found('Findable has:media')).toEqual([movingId, stillId])
    expect(await found('Findable has:images')).toEqual([stillId])
    expect(await found('Findable has:videos')).toEqual([movingId])
    expect(await found('Findable has:links')).toEqual([movingId, stillId])
    expect(await found('Findable -has:media')).toEqual([plain])
    expect(await found('photo from:alice')).toEqual([])
    const lines = [await stream.next(), await stream.next()] as {
      data: { id: string }
      matching_rules: { tag: string }[]
    }[]
    const tags = new Map(
      lines.map((line) => [line.data.id, line.matching_rules.map((rule) => rule.tag.slice(13)).sort()]),
    )
    expect(tags.get(stillId)).toEqual(['images', 'links', 'media'])
    expect(tags.get(movingId)).toEqual(['links', 'media', 'video_link'])
    stream.close()
    const repost = await server.post(`/2/users/${server.userId('bob')}/reposts`, { post_id: stillId }, { user: 'bob' })
    expect(await found('Findable has:images is:repost from:bob')).toEqual([repost.body.data.id])
    expect((await readPost(server, repost.body.data.id, 'attachments')).attachments.media_keys).toHaveLength(1)
  })
})

describe('media items', () => {
  test('are visible to their owner until a post that the caller may see has them', async () => {
    const { media_key: key, id } = await photo('erin')
    const asked = (as: Parameters<TestServer['get']>[1]) => server.get(`/2/media?media_keys=${key},3_1`, as)
    expect((await asked({ user: 'erin' })).body.data).toEqual([{ media_key: key, type: 'photo' }])
    const refused = (await asked('app')).body
    expect(refused.data).toBeUndefined()
    expect(refused.errors.map((item: { title: string }) => item.title)).toEqual([
      'Authorization Error',
      'Not Found Error',
    ])
    await attach({ media_ids: [id] }, {}, 'erin')
    // Erin is protected.
    expect((await asked('app')).body.data).toBeUndefined()
    const open = await photo()
    await attach({ media_ids: [open.id] }, { text: 'Open' })
    expect((await server.get(`/2/media/${open.media_key}`)).body.data.type).toBe('photo')
  })

  test('that nothing uses are removed when they expire, with their bytes', async () => {
    const { id, media_key } = await photo()
    const { url } = (await server.get(`/2/media/${media_key}?media.fields=url`, alice)).body.data
    await server.command('clock', { advance_ms: 24 * HOUR - 60_000 })
    expect(
      (await server.get(`/2/media/upload?media_id=${id}`, alice)).body.data.expires_after_secs,
    ).toBeLessThanOrEqual(60)
    await server.command('clock', { advance_ms: 61_000 })
    expect((await attach({ media_ids: [id] }, { text: 'Late' })).body).toEqual(invalidIds([id]))
    expect((await server.get(`/2/media/${media_key}`, alice)).body).toEqual(notFoundOnly)
    expect((await server.get(`/2/media/upload?media_id=${id}`, alice)).status).toBe(404)
    expect((await fetch(url)).status).toBe(404)
    await tidy(server.runtime)
    expect(await rows(server, 'select from media where id = $1', [id])).toEqual([])
    expect(await rows(server, 'select from media_segment where media_id = $1', [id])).toEqual([])
  })

  test('are served in full, by ranges, and only to those who have the url', async () => {
    const bytes = makeMp4({ dataBytes: 1_400_000 })
    const { media_key } = await uploadSegments(server, bytes, { segmentBytes: 600_001 })
    const { data } = (await server.get(`/2/media/${media_key}?media.fields=variants,preview_image_url`, alice)).body
    const url: string = data.variants[0].url
    const whole = await fetch(url)
    expect(whole.headers.get('content-type')).toBe('video/mp4')
    expect(whole.headers.get('x-content-type-options')).toBe('nosniff')
    expect(whole.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true)
    for (const [range, from, to] of [
      ['bytes=0-0', 0, 1],
      ['bytes=600000-600002', 600_000, 600_003],
      ['bytes=500000-', 500_000, bytes.length],
      ['bytes=-5', bytes.length - 5, bytes.length],
    ] as const) {
      const part = await fetch(url, { headers: { range } })
      expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes ${from}-${to - 1}/${bytes.length}`])
      expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(from, to))).toBe(true)
    }
    expect((await fetch(url, { headers: { range: `bytes=${bytes.length}-` } })).status).toBe(416)
    expect((await fetch(url, { headers: { 'if-none-match': whole.headers.get('etag')! } })).status).toBe(304)
    expect((await fetch(url.replace(/[\w-]{16}\.mp4$/, 'aaaaaaaaaaaaaaaa.mp4'))).status).toBe(404)
    expect((await fetch(`${server.baseUrl}/media/7_1/x.mp4`)).status).toBe(404)
    const poster = await fetch(data.preview_image_url)
    expect(poster.headers.get('content-type')).toBe('image/png')
    const made = await uploadWhole(server, Buffer.from(await poster.arrayBuffer()))
    const size = (await server.get(`/2/media/${made.media_key}?media.fields=width,height`, alice)).body.data
    expect(size).toMatchObject({ width: 320, height: 180 })
  })

  test('of videos have a playlist, which leads to the file', async () => {
    const bytes = makeMp4({ durationMs: 2_500 })
    const { media_key } = await uploadSegments(server, bytes)
    const { data } = (await server.get(`/2/media/${media_key}?media.fields=variants`, alice)).body
    const { url } = data.variants.find((item: Record<string, string>) => item.content_type === 'application/x-mpegURL')
    const playlist = await fetch(url)
    expect([playlist.status, playlist.headers.get('content-type')]).toEqual([200, 'application/x-mpegURL'])
    const lines = (await playlist.text()).trim().split('\n')
    expect([lines[0], lines.at(-1)]).toEqual(['#EXTM3U', '#EXT-X-ENDLIST'])
    expect(lines).toContain('#EXTINF:2.500,')
    const segment = await fetch(new URL(lines.find((line) => !line.startsWith('#'))!, url))
    expect(Buffer.from(await segment.arrayBuffer()).equals(bytes)).toBe(true)
    expect((await fetch(url.replace(/[\w-]{16}\.m3u8$/, 'aaaaaaaaaaaaaaaa.m3u8'))).status).toBe(404)
  })

  test('get metadata only from their owner', async () => {
    const { id, media_key } = await photo()
    const say = (metadata: object, user = 'alice') => server.post('/2/media/metadata', { id, metadata }, { user })
    const said = await say({ alt_text: { text: 'A grey picture' } })
    expect(said.body).toEqual({ data: { id, associated_metadata: { alt_text: { text: 'A grey picture' } } } })
    const more = await say({ sensitive_media_warning: { other: true } })
    expect(Object.keys(more.body.data.associated_metadata).sort()).toEqual(['alt_text', 'sensitive_media_warning'])
    expect((await server.get(`/2/media/${media_key}?media.fields=alt_text`, alice)).body.data.alt_text).toBe(
      'A grey picture',
    )
    const long = await say({ alt_text: { text: 'a'.repeat(1001) } })
    expect([long.status, long.body.errors[0].message]).toEqual([
      400,
      expect.stringMatching(/may only be 1000 characters/),
    ])
    const other = await say({ alt_text: { text: 'Mine' } }, 'bob')
    expect([other.status, other.body.errors[0]]).toEqual([
      400,
      { parameters: { id: [id] }, message: 'Your media IDs are invalid.' },
    ])
    const preview = await say({ preview_image: { media_key: { media: id } } })
    expect(preview.body.errors[0].message).toBe('A preview image can only be given to a video.')
    const made = await attach({ media_ids: [id] })
    expect((await readPost(server, made.body.data.id, 'possibly_sensitive')).possibly_sensitive).toBe(true)
  })

  test('get subtitles from uploaded files, which can be removed', async () => {
    const [video, english, german] = [
      await film(),
      await uploadWhole(server, VTT, 'subtitles'),
      await uploadWhole(server, VTT, 'subtitles'),
    ]
    const add = (file: string, language_code: string, category = 'TweetVideo', id = video.id) =>
      server.post(
        '/2/media/subtitles',
        { id, media_category: category, subtitles: { id: file, language_code, display_name: language_code } },
        alice,
      )
    await add(german.id, 'DE')
    const added = await add(english.id, 'EN')
    expect(added.body).toEqual({
      data: {
        id: video.id,
        media_category: 'TweetVideo',
        associated_subtitles: [
          { id: german.id, language_code: 'DE', display_name: 'DE' },
          { id: english.id, language_code: 'EN', display_name: 'EN' },
        ],
      },
    })
    expect((await add(video.id, 'FR')).body.errors[0].parameters).toEqual({ 'subtitles.id': [video.id] })
    expect((await add(english.id, 'FR', 'AmplifyVideo')).body.errors[0].parameters).toEqual({ id: [video.id] })
    expect((await add(english.id, 'FR', 'PostVideo', english.id)).body.errors[0].parameters).toEqual({
      id: [english.id],
    })
    expect((await add(english.id, 'fr')).body.errors[0].message).toMatch(/\^\[A-Z\]\{2\}\$/)
    await attach({ media_ids: [video.id] }, { text: 'With subtitles' })
    await server.command('clock', { advance_ms: 48 * HOUR })
    await tidy(server.runtime)
    const remove = () =>
      server.request('DELETE', '/2/media/subtitles', {
        as: alice,
        json: { id: video.id, media_category: 'PostVideo', language_code: 'EN' },
      })
    expect((await remove()).body).toEqual({ data: { deleted: true } })
    expect((await remove()).body).toEqual({ data: { deleted: false } })
  })
})
