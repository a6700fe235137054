import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startMediaWork } from '../../src/social/media/uploading/process-media.ts'
import { makeGif, makeJpeg, makeMp4, makePng } from '../support/make-media.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { rows } from './acting.ts'
import { sendForm, sendSegments, settled, uploadSegments, uploadWhole } from './uploading.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const alice = { user: 'alice' }
const SRT = Buffer.from('1\r\n00:00:00,000 --> 00:00:01,000\r\nHello\r\n')
const begin = (body: object) => server.post('/2/media/upload/initialize', body, alice)
const append = (id: string, segment: number | string, bytes: Buffer) =>
  server.post(`/2/media/upload/${id}/append`, { segment_index: segment, media: bytes.toString('base64') }, alice)
const finalize = (id: string, user = 'alice') =>
  server.request('POST', `/2/media/upload/${id}/finalize`, { as: { user } })
const countMedia = async () => (await rows(server, 'select count(*)::int as n from media'))[0].n
const faultOf = (answer: { body: { errors: { message: string }[] } }) => answer.body.errors[0]!.message

describe('an upload in one request', () => {
  test.each([
    ['PNG', makePng(40, 30), 40, 30, 'png'],
    ['JPEG', makeJpeg(50, 20), 50, 20, 'jpg'],
    ['still GIF', makeGif(1, { width: 9, height: 7 }), 9, 7, 'gif'],
  ])('of a %s is ready at once, with its size and url', async (_name, bytes, width, height, extension) => {
    const made = await uploadWhole(server, bytes)
    expect(made).toEqual({
      id: expect.stringMatching(/^\d{15,19}$/),
      media_key: `3_${made.id}`,
      size: bytes.length,
      expires_after_secs: 86_400,
    })
    const read = await server.get(`/2/media/${made.media_key}?media.fields=width,height,url,variants`, alice)
    expect(read.body.data).toMatchObject({ media_key: made.media_key, type: 'photo', width, height })
    expect(read.body.data.url).toMatch(
      new RegExp(`^${server.runtime.baseUrl}/media/${made.media_key}/[\\w-]{16}\\.${extension}$`),
    )
    const picture = await fetch(read.body.data.url)
    expect(Buffer.from(await picture.arrayBuffer()).equals(bytes)).toBe(true)
  })

  test('accepts base64 in JSON, and guesses the category', async () => {
    const made = await server.post('/2/media/upload', { media: makePng().toString('base64') }, alice)
    expect(made.status).toBe(200)
    expect(made.body.data.media_key).toMatch(/^3_/)
    const subtitles = await server.post(
      '/2/media/upload',
      { media: SRT.toString('base64'), media_type: 'text/srt' },
      alice,
    )
    expect(subtitles.status, subtitles.text).toBe(200)
  })

  test('accepts the legacy words of a category', async () => {
    const made = await sendForm(server, '/2/media/upload', { media: makePng(), media_category: 'tweet_image' })
    expect(made.status, made.text).toBe(200)
  })

  test.each<[string, Record<string, string | Buffer>, string, RegExp]>([
    [
      'bytes that are no picture',
      { media: Buffer.from('hello'), media_category: 'post_image' },
      'media',
      /is not a JPEG, PNG/,
    ],
    [
      'a small file that says it is a huge picture',
      { media: makeJpeg(8_193, 20), media_category: 'post_image' },
      'media',
      /has 8193×20 pixels; it can have at most 8192×8192/,
    ],
    [
      'half a picture',
      { media: makePng(90, 90).subarray(0, -20), media_category: 'post_image' },
      'media',
      /not a complete picture/,
    ],
    ['a moving GIF', { media: makeGif(2), media_category: 'post_image' }, 'media', /more than one frame/],
    [
      'another type than it says',
      { media: makePng(), media_category: 'post_image', media_type: 'image/jpeg' },
      'media',
      /media_type is image\/jpeg, but the file is image\/png/,
    ],
    [
      'more than 5 MB',
      { media: Buffer.concat([makePng(), Buffer.alloc(5 * 1024 * 1024)]), media_category: 'post_image' },
      'media',
      /can have 1 to 5242880/,
    ],
    [
      'a video',
      { media: makeMp4(), media_category: 'post_video' },
      'media_category',
      /must be one of \[post_image, dm_image, subtitles\]/,
    ],
    [
      'a type of segments',
      { media: makeGif(2), media_type: 'image/gif' },
      'media_type',
      /others are uploaded in segments/,
    ],
    ['no bytes', { media_category: 'post_image' }, 'media', /missing but it is required/],
    [
      'owners who do not exist',
      { media: makePng(), additional_owners: '1,2' },
      'additional_owners',
      /There are no users \[1, 2\]/,
    ],
    [
      'subtitles without times',
      { media: Buffer.from('WEBVTT\n'), media_category: 'subtitles' },
      'media',
      /no line with times/,
    ],
    ['a part that is unknown', { media: makePng(), mood: 'good' }, '$.mood', /allowed are \[additional_owners,command/],
  ])('refuses %s and stores nothing', async (_name, parts, parameter, message) => {
    const before = await countMedia()
    const answer = await sendForm(server, '/2/media/upload', parts)
    expect(answer.status, answer.text).toBe(400)
    expect(Object.keys(answer.body.errors[0].parameters)).toEqual([parameter])
    expect(faultOf(answer)).toMatch(message)
    expect(await countMedia()).toBe(before)
  })

  test('rejects broken forms', async () => {
    for (const [type, raw] of [
      ['multipart/form-data', 'x'],
      ['multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="media"\r\n\r\nabc'],
      ['multipart/form-data; boundary=b', 'nothing of this kind'],
      ['text/plain', 'x'],
    ]) {
      const answer = await server.request('POST', '/2/media/upload', {
        as: alice,
        raw: raw!,
        headers: { 'content-type': type! },
      })
      expect(answer.status, answer.text).toBe(400)
    }
  })
})

describe('an upload in segments', () => {
  test('accepts them in any order and again, in both forms, and is processed after its end', async () => {
    const film = makeMp4({ width: 640, height: 360, durationMs: 3000, dataBytes: 9000, sound: 'mp4a' })
    const begun = await begin({ media_type: 'video/mp4', total_bytes: film.length, media_category: 'post_video' })
    const { id } = begun.body.data
    expect(begun.body).toEqual({ data: { id, media_key: `7_${id}`, expires_after_secs: 1_295_999 } })
    const third = Math.ceil(film.length / 3)
    const part = (index: number) => film.subarray(index * third, (index + 1) * third)
    expect((await append(id, '2', part(2))).status).toBe(200)
    expect((await append(id, 0, Buffer.alloc(third, 7))).status).toBe(200)
    const missing = await finalize(id)
    expect([missing.status, faultOf(missing)]).toEqual([400, `Segment 1 of the upload [${id}] is missing.`])
    const form = await sendForm(server, `/2/media/upload/${id}/append`, { segment_index: '0', media: part(0) })
    expect(form.body).toEqual({ data: { expires_at: expect.any(Number) } })
    expect(form.body.data.expires_at - Date.now() / 1000).toBeGreaterThan(1_295_000)
    await append(id, 1, part(1))
    const ended = await finalize(id)
    expect(ended.body).toEqual({
      data: {
        id,
        media_key: `7_${id}`,
        size: film.length,
        expires_after_secs: 86_400,
        processing_info: { state: 'pending', check_after_secs: 1 },
      },
    })
    const done = await settled(server, id)
    expect(done).toMatchObject({ id, processing_info: { state: 'succeeded', progress_percent: 100 } })
    expect((await finalize(id)).body.data.processing_info.state).toBe('succeeded')
    expect(faultOf(await append(id, 3, part(1)))).toMatch(/is finished and accepts no more segments/)
    const fields = 'duration_ms,height,width,variants,preview_image_url,public_metrics,url'
    const { data } = (await server.get(`/2/media/7_${id}?media.fields=${fields}`, alice)).body
    const address = new RegExp(`^${server.runtime.baseUrl}/media/7_${id}/[\\w-]{16}\\.mp4$`)
    expect(data).toEqual({
      media_key: `7_${id}`,
      type: 'video',
      duration_ms: 3000,
      width: 640,
      height: 360,
      preview_image_url: expect.stringMatching(/-preview\.png$/),
      public_metrics: { view_count: 0 },
      variants: [
        { bit_rate: expect.any(Number), content_type: 'video/mp4', url: expect.stringMatching(address) },
        { content_type: 'application/x-mpegURL', url: expect.stringMatching(/\.m3u8$/) },
      ],
    })
  })

  test('shows the progress of processing, and why it failed', async () => {
    const id = await sendSegments(server, makeMp4())
    await rows(server, `update media set status = 'processing', progress_percent = 40 where id = $1`, [id])
    expect((await server.get(`/2/media/upload?media_id=${id}`, alice)).body.data.processing_info).toEqual({
      state: 'in_progress',
      check_after_secs: 1,
      progress_percent: 40,
    })
    await server.command('cache.forget')
    const looked = await server.get(`/2/media/7_${id}`, alice)
    expect([looked.status, looked.body]).toEqual([
      200,
      {
        errors: [
          {
            detail: `The media with media_key: [7_${id}] is not available yet.`,
            title: 'Resource Unavailable Error',
            resource_type: 'media',
            parameter: 'media_key',
            resource_id: `7_${id}`,
            type: expect.stringMatching(/\/2\/problems\/resource-unavailable$/),
          },
        ],
      },
    ])
    const strange = await server.get(`/2/media/7_${id}`, { user: 'bob' })
    expect(strange.body.errors[0].type).toMatch(/resource-not-found$/)
    const failed = await uploadSegments(server, Buffer.from('no film at all'))
    expect(failed.processing_info).toEqual({
      state: 'failed',
      error: { code: 3, name: 'UnsupportedMedia', message: expect.stringMatching(/not an MP4/) },
    })
  })

  test.each<[string, Parameters<typeof makeMp4>[0], string | undefined]>([
    ['the index at its end', { indexLast: true, dataBytes: 300_000 }, undefined],
    ['QuickTime', { brand: 'qt  ' }, 'The declared media_type is video/mp4, but the file is video/quicktime.'],
    ['another codec', { codec: 'hvc1' }, 'The video codec is [hvc1]; only H.264 is accepted.'],
    ['other sound', { sound: 'Opus' }, 'The audio codec is [Opus]; only AAC is accepted.'],
    ['less than half a second', { durationMs: 400 }, 'The video lasts 0.4 seconds; it can last 0.5 to 140.'],
    ['more than 140 seconds', { durationMs: 141_000 }, 'The video lasts 141 seconds; it can last 0.5 to 140.'],
    [
      'few pixels',
      { width: 40, height: 16 },
      'The video has 40×16 pixels; it can have 32×32 to 1920×1200, or 1200×1900.',
    ],
    ['1920×1200 pixels', { width: 1920, height: 1200 }, undefined],
    ['1200×1900 pixels', { width: 1200, height: 1900 }, undefined],
    [
      'a side that is too wide',
      { width: 1922, height: 1080 },
      'The video has 1922×1080 pixels; it can have 32×32 to 1920×1200, or 1200×1900.',
    ],
    [
      'a side that is too high',
      { width: 1080, height: 1920 },
      'The video has 1080×1920 pixels; it can have 32×32 to 1920×1200, or 1200×1900.',
    ],
    ['a thin ratio', { width: 400, height: 100 }, 'The aspect ratio of the video is not between 1:3 and 3:1.'],
    [
      '120 frames per second',
      { framesPerSecond: 120, durationMs: 1000 },
      'The video has 120 frames per second; it can have at most 60.',
    ],
  ])('of a video with %s is checked against the limits', async (_name, facts, message) => {
    const { processing_info } = await uploadSegments(server, makeMp4(facts))
    expect(processing_info.error?.message).toBe(message)
    expect(processing_info.state).toBe(message === undefined ? 'succeeded' : 'failed')
  })

  test('of a long video needs amplify_video and an account with a subscription', async () => {
    const film = makeMp4({ durationMs: 200_000 })
    const long = await uploadSegments(server, film, { category: 'amplify_video' })
    expect([long.processing_info.state, long.media_key]).toEqual(['succeeded', `13_${long.id}`])
    const other = await uploadSegments(server, film, { category: 'amplify_video', user: 'bob' })
    expect(other.processing_info.state).toBe('failed')
  })

  test('of WEBM or MPEG-TS begins, and ends as unsupported', async () => {
    for (const type of ['video/webm', 'video/mp2t']) {
      const made = await uploadSegments(server, Buffer.from('a film of another kind'), { type, category: 'post_video' })
      expect(made.processing_info, type).toMatchObject({ state: 'failed', error: { name: 'UnsupportedMedia' } })
    }
  })

  test('has a key that begins with the number of its category', async () => {
    for (const [media_category, media_type, number] of [
      ['dm_image', 'image/png', 5],
      ['dm_video', 'video/mp4', 15],
      ['dm_gif', 'image/gif', 17],
      ['subtitles', 'text/srt', 18],
    ]) {
      const { id, media_key } = (await begin({ media_category, media_type, total_bytes: 10 })).body.data
      expect(media_key).toBe(`${number}_${id}`)
    }
  })

  test('of a GIF keeps its frames and shows the first one', async () => {
    const gif = makeGif(3, { width: 30, height: 20 })
    const made = await uploadSegments(server, gif, { type: 'image/gif' })
    expect(made).toMatchObject({ media_key: `16_${made.id}`, processing_info: { state: 'succeeded' } })
    const read = await server.get(
      `/2/media?media_keys=${made.media_key}&media.fields=preview_image_url,variants,width`,
      alice,
    )
    const [item] = read.body.data
    expect(item).toMatchObject({ type: 'animated_gif', width: 30, variants: [{ content_type: 'image/gif' }] })
    const frame = Buffer.from(await (await fetch(item.preview_image_url)).arrayBuffer())
    expect(frame.length).toBeLessThan(gif.length)
    expect((await uploadWhole(server, frame)).size).toBe(frame.length)
  })

  test.each<[string, object, string, RegExp]>([
    ['too many bytes', { media_type: 'image/png', total_bytes: 5_242_881 }, 'total_bytes', /can have 1 to 5242880/],
    ['too large a GIF', { media_type: 'image/gif', total_bytes: 15_728_641 }, 'total_bytes', /1 to 15728640/],
    ['too large a video', { media_type: 'video/mp4', total_bytes: 536_870_913 }, 'total_bytes', /1 to 536870912/],
    [
      'a category of another type',
      { media_type: 'image/png', total_bytes: 9, media_category: 'post_video' },
      'media_type',
      /accepts \[video\/mp4/,
    ],
    ['a model', { media_type: 'model/gltf-binary', total_bytes: 9 }, 'media_category', /is required/],
    [
      'more owners than a hundred',
      {
        media_type: 'video/mp4',
        total_bytes: 9,
        additional_owners: Array.from({ length: 101 }, (_, at) => String(at)),
      },
      'additional_owners',
      /at most 100 users/,
    ],
    ['no total', { media_type: 'video/mp4' }, '$.total_bytes', /missing but it is required/],
  ])('is not started with %s', async (_name, body, parameter, message) => {
    const answer = await begin(body)
    expect(answer.status, answer.text).toBe(400)
    expect(Object.keys(answer.body.errors[0].parameters)).toEqual([parameter])
    expect(faultOf(answer)).toMatch(message)
  })

  test('rejects segments that are too large, too many or without an upload', async () => {
    const { id } = (await begin({ media_type: 'video/mp4', total_bytes: 10 })).body.data
    const large = await sendForm(server, `/2/media/upload/${id}/append`, {
      segment_index: '0',
      media: Buffer.alloc(5_242_881),
    })
    expect([large.status, faultOf(large)]).toEqual([400, expect.stringMatching(/1 to 5242880 bytes/)])
    expect((await append(id, 1000, Buffer.alloc(1))).status).toBe(400)
    expect(faultOf(await append(id, 0, Buffer.alloc(11)))).toMatch(/has 11 bytes, more than its total_bytes of 10/)
    expect(faultOf(await finalize(id))).toMatch(/has 0 bytes in 0 segments, but its total_bytes is 10/)
    const notBase64 = await server.post(`/2/media/upload/${id}/append`, { segment_index: 0, media: 'ü' }, alice)
    expect([notBase64.status, faultOf(notBase64)]).toEqual([400, 'media must be base64, or bytes in a multipart form.'])
    for (const answer of [
      await finalize(id, 'bob'),
      await append('1', 0, Buffer.alloc(1)),
      await finalize('9'.repeat(19)),
    ])
      expect([answer.status, answer.body.title]).toEqual([404, 'Not Found Error'])
    expect((await server.get('/2/media/upload?media_id=1', alice)).status).toBe(404)
  })

  test('works with commands, as a form, and in the query', async () => {
    const film = makeMp4()
    const begun = await sendForm(server, '/2/media/upload', {
      command: 'INIT',
      media_type: 'video/mp4',
      total_bytes: String(film.length),
      media_category: 'tweet_video',
    })
    const { id } = begun.body.data
    const sent = await sendForm(server, '/2/media/upload', {
      command: 'APPEND',
      media_id: id,
      segment_index: '0',
      media: film,
    })
    expect(sent.body).toEqual({ data: { expires_at: expect.any(Number) } })
    const form = { command: 'FINALIZE', media_id: id }
    expect((await server.request('POST', '/2/media/upload', { as: alice, form })).body.data.size).toBe(film.length)
    expect((await settled(server, id)).processing_info.state).toBe('succeeded')
    const query = `command=INIT&media_type=image/png&total_bytes=5&media_category=tweet_image`
    const asked = await server.request('POST', `/2/media/upload?${query}`, { as: alice })
    expect(asked.body.data.media_key).toMatch(/^3_/)
    const empty = await server.request('POST', '/2/media/upload?command=APPEND', { as: alice })
    expect(empty.body.errors.map((item: { parameters: object }) => Object.keys(item.parameters)[0])).toEqual([
      'media_id',
      'segment_index',
      'media',
    ])
  })

  test('that a process did not finish is continued by the next one', async () => {
    const ids = [await sendSegments(server, makeMp4()), await sendSegments(server, makeMp4())]
    for (const id of ids) await rows(server, 'update media_segment set starts_at = 0 where media_id = $1', [id])
    await rows(server, `update media set status = 'waiting' where id = $1`, [ids[0]])
    await rows(server, `update media set status = 'processing', taken_until = '2020-01-01' where id = $1`, [ids[1]])
    const work = startMediaWork(server.runtime)
    for (const id of ids) expect((await settled(server, id)).processing_info.state).toBe('succeeded')
    await work.stop()
  })
})
