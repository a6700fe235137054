import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeGif, makeMp4, makePng } from '../support/make-media.ts'
import { type As, startTestServer, type TestAnswer, type TestServer } from '../support/server.ts'
import { sign } from '../support/sign.ts'

let server: TestServer
beforeAll(async () => {
  // Videos and GIFs are processed by the background work.
  server = await startTestServer([], { events: true })
})
afterAll(() => server.close())

const alice: As = { user: 'alice' }
const bob: As = { user: 'bob' }

/** A multipart form; its body is not part of an OAuth 1.0a signature. */
function multipart(parts: Record<string, string | Buffer>): { raw: string; headers: Record<string, string> } {
  const form = Object.entries(parts).map(
    ([name, value]) =>
      `--cut\r\ncontent-disposition: form-data; name="${name}"${typeof value === 'string' ? '' : '; filename="blob"'}\r\n` +
      `content-type: ${typeof value === 'string' ? 'text/plain' : 'application/octet-stream'}\r\n\r\n` +
      `${typeof value === 'string' ? value : value.toString('latin1')}\r\n`,
  )
  return { raw: `${form.join('')}--cut--\r\n`, headers: { 'content-type': 'multipart/form-data; boundary=cut' } }
}

const upload = async (parts: Record<string, string | Buffer>, as: As = alice) => {
  const { raw, headers } = multipart(parts)
  const url = `${server.baseUrl}/1.1/media/upload.json`
  const signed = sign('POST', url, server.keysOf((as as { user: string }).user), {})
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...headers, authorization: signed },
    body: Buffer.from(raw, 'latin1'),
  })
  const text = await answer.text()
  return { status: answer.status, text, body: text === '' ? undefined : JSON.parse(text) }
}

const coded = (code: number, message: string) => ({ errors: [{ code, message }] })
const refusal = ({ status, body }: TestAnswer) => [status, body.errors[0].code, body.errors[0].message]

const createPost = async (text: string, as: As = alice, more: object = {}): Promise<string> =>
  (await server.post('/2/posts', { text, ...more }, as)).body.data.id

describe('every path of version 1.1 that is not built', () => {
  test.each(['GET', 'POST', 'PUT', 'DELETE'])('is refused with code 34 in the old shape, by %s', async (method) => {
    for (const path of ['/1.1/statuses/update.json', '/1.1/no/such.json', '/1.1', '/1.1/account/verify_credentials']) {
      const answer = await server.request(method, path, { as: 'nobody' })
      expect(answer.status).toBe(404)
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(answer.body).toEqual(coded(34, 'Sorry, that page does not exist.'))
    }
  })

  test('keeps the endpoint that invalidates tokens', async () => {
    const answer = await server.request('POST', '/1.1/oauth/invalidate_token.json', { as: 'nobody' })
    expect(answer.body.errors[0].code).not.toBe(34)
  })
})

describe('account/verify_credentials', () => {
  const path = '/1.1/account/verify_credentials.json'

  test('shows the user of the token with the latest post', async () => {
    const id = await createPost('The latest of mine')
    const { status, body, text, headers } = await server.get(path, alice)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id_str: server.userId('alice'),
      screen_name: 'alice',
      protected: false,
      following: false,
      suspended: false,
      needs_phone_verification: false,
      status: { id_str: id, text: 'The latest of mine', retweet_count: 0, favorited: false, truncated: false },
    })
    // Numbers keep all their digits.
    expect(text).toContain(`"id":${server.userId('alice')},`)
    expect(body.status).not.toHaveProperty('user')
    expect(body.entities.description.urls).toEqual([])
    expect(body.created_at).toMatch(/^\w{3} \w{3} \d\d [\d:]{8} \+0000 \d{4}$/)
    expect(headers.get('x-access-level')).toMatch(/^read-write/)
    expect(headers.get('x-rate-limit-limit')).toBe('75')
  })

  test('leaves out what was not asked for', async () => {
    const { body } = await server.get(`${path}?skip_status=true&include_entities=false`, alice)
    expect(body).not.toHaveProperty('status')
    expect(body).not.toHaveProperty('entities')
    expect(body).not.toHaveProperty('email')
  })

  test('shows the e-mail address only when it is asked for', async () => {
    await server.command('user.update', { user: 'alice', email: 'alice@example.org' })
    expect((await server.get(`${path}?include_email=true`, alice)).body.email).toBe('alice@example.org')
    await server.command('user.update', { user: 'alice', email: '' })
    expect((await server.get(`${path}?include_email=true`, alice)).body.email).toBeNull()
  })

  test('refuses other credentials with the codes of version 1.1', async () => {
    expect(refusal(await server.get(path, 'nobody'))).toEqual([400, 215, 'Bad Authentication data.'])
    expect(refusal(await server.get(path, { bearer: 'unknown' }))).toEqual([401, 89, 'Invalid or expired token.'])
    expect(refusal(await server.get(path, 'app'))).toEqual([
      403,
      220,
      'Your credentials do not allow access to this resource',
    ])
    const wrongSecret = { keys: { ...server.keysOf('alice'), tokenSecret: 'wrong' } }
    expect(refusal(await server.get(path, wrongSecret))).toEqual([401, 32, 'Could not authenticate you.'])
    const wrongToken = { keys: { ...server.keysOf('alice'), token: '1-wrong' } }
    expect(refusal(await server.get(path, wrongToken))).toEqual([401, 89, 'Invalid or expired token.'])
  })
})

describe('users/show', () => {
  test('finds users by id and by name, in any case', async () => {
    const id = server.userId('bob')
    for (const query of [`user_id=${id}`, 'screen_name=BOB', 'screen_name=%40bob'])
      expect((await server.get(`/1.1/users/show.json?${query}`, 'app')).body.id_str).toBe(id)
  })

  test('shows how the caller relates to the user', async () => {
    await server.command('user.create', { username: 'v1_friend' })
    const found = await server.get('/1.1/users/show.json?screen_name=v1_friend', alice)
    const { id_str: id } = found.body
    expect(found.body).toMatchObject({ following: false, muting: false, blocking: false })
    await server.post(`/2/users/${server.userId('alice')}/following`, { target_user_id: id }, alice)
    await server.post(`/2/users/${server.userId('alice')}/muting`, { target_user_id: id }, alice)
    const after = await server.get('/1.1/users/show.json?screen_name=v1_friend', alice)
    expect(after.body).toMatchObject({ following: true, muting: true, blocking: false })
  })

  test('does not show the posts of a protected user to strangers', async () => {
    await createPost('For followers only', bob)
    await server.command('user.update', { user: 'bob', protected: true })
    const { body } = await server.get(`/1.1/users/show.json?screen_name=bob`, 'app')
    expect(body).toMatchObject({ protected: true, screen_name: 'bob' })
    expect(body).not.toHaveProperty('status')
    await server.command('user.update', { user: 'bob', protected: false })
  })

  test('refuses unknown, suspended and unnamed users', async () => {
    const show = async (query: string) => refusal(await server.get(`/1.1/users/show.json${query}`, 'app'))
    expect(await show('?user_id=1')).toEqual([404, 50, 'User not found.'])
    expect(await show('?user_id=abc')).toEqual([404, 50, 'User not found.'])
    expect(await show('?screen_name=nobody_has_it')).toEqual([404, 50, 'User not found.'])
    expect(await show('?screen_name=a%00b')).toEqual([400, 214, expect.stringContaining('U+0000')])
    expect(await show('')).toEqual([400, 25, 'Query parameters are missing.'])
    await server.command('user.create', { username: 'v1_gone' })
    await server.command('user.update', { user: 'v1_gone', suspended: true })
    expect(await show('?screen_name=v1_gone')).toEqual([403, 63, 'User has been suspended.'])
  })
})

describe('statuses/show', () => {
  test.each([
    (id: string) => `/1.1/statuses/show.json?id=${id}`,
    (id: string) => `/1.1/statuses/show/${id}.json?nothing=known`,
  ])('shows a post, with the id in query or path (%#)', async (pathOf) => {
    const id = await createPost(`Hello @bob #v1 ${pathOf('x')}`)
    const { status, body, text } = await server.get(pathOf(id), 'app')
    expect(status).toBe(200)
    expect(text).toContain(`"id":${id},`)
    expect(body).toMatchObject({
      id_str: id,
      user: { screen_name: 'alice' },
      retweet_count: 0,
      favorite_count: 0,
      is_quote_status: false,
      entities: { user_mentions: [{ screen_name: 'bob' }], hashtags: [{ text: 'v1' }] },
    })
    expect(body.source).toMatch(/^<a href="http.*" rel="nofollow">.+<\/a>$/)
  })

  test('shows the beginning of a long text, and all of it in the extended mode', async () => {
    const id = await createPost('word '.repeat(40).trim())
    const short = (await server.get(`/1.1/statuses/show.json?id=${id}`, 'app')).body
    expect([short.truncated, short.text.length <= 140, short.full_text]).toEqual([true, true, undefined])
    const whole = (await server.get(`/1.1/statuses/show.json?id=${id}&tweet_mode=extended`, 'app')).body
    expect([whole.truncated, whole.full_text.length, whole.text]).toEqual([false, 199, undefined])
  })

  test('shows what the caller did with it', async () => {
    const id = await createPost('Liked and reposted')
    const me = `/2/users/${server.userId('bob')}`
    await server.post(`${me}/likes`, { post_id: id }, bob)
    await server.post(`${me}/reposts`, { post_id: id }, bob)
    const path = `/1.1/statuses/show.json?id=${id}&include_my_retweet=true`
    const seen = (await server.get(path, bob)).body
    expect(seen).toMatchObject({ favorited: true, retweeted: true, favorite_count: 1, retweet_count: 1 })
    const repost = await server.get(`/1.1/statuses/show.json?id=${seen.current_user_retweet.id_str}`, alice)
    expect(repost.body.retweeted_status).toMatchObject({ id_str: id, user: { screen_name: 'alice' } })
    expect((await server.get(path, alice)).body).toMatchObject({ favorited: false, retweeted: false })
  })

  test('refuses posts that are missing or hidden, and says why', async () => {
    const show = async (id: string, as: As = 'app') => refusal(await server.get(`/1.1/statuses/show.json?id=${id}`, as))
    expect(await show('1')).toEqual([404, 144, 'No status found with that ID.'])
    expect(await show('abc')).toEqual([404, 144, 'No status found with that ID.'])
    expect(await show('')).toEqual([400, 25, 'Query parameters are missing.'])
    const id = await createPost('Mine', bob)
    await server.command('user.update', { user: 'bob', protected: true })
    expect(await show(id)).toEqual([403, 179, 'Sorry, you are not authorized to see this status.'])
    await server.command('user.update', { user: 'bob', protected: false, suspended: true })
    expect(await show(id)).toEqual([403, 63, 'User has been suspended.'])
    await server.command('user.update', { user: 'bob', suspended: false })
  })

  test('counts both paths together, up to the limit', async () => {
    const limited = await startTestServer(['--rate-limits', 'on'])
    try {
      const first = await limited.get('/1.1/statuses/show.json?id=1', 'app')
      const second = await limited.get('/1.1/statuses/show/1.json', 'app')
      expect([first, second].map((answer) => answer.headers.get('x-rate-limit-remaining'))).toEqual(['899', '898'])
      for (let used = 0; used < 15; used++) await limited.get('/1.1/help/configuration.json', 'app')
      const refused = await limited.get('/1.1/help/configuration.json', 'app')
      expect(refusal(refused)).toEqual([429, 88, 'Rate limit exceeded'])
      expect(refused.headers.get('x-rate-limit-remaining')).toBe('0')
    } finally {
      await limited.close()
    }
  })
})

describe('media/upload', () => {
  test('stores a picture of a multipart form, which a post can use and version 2 reads', async () => {
    const made = await upload({ media: makePng(20, 10) })
    expect(made.status).toBe(200)
    const id = made.body.media_id_string
    expect(made.text).toContain(`"media_id":${id},`)
    expect(made.body).toMatchObject({
      media_key: `3_${id}`,
      size: makePng(20, 10).length,
      expires_after_secs: 86_400,
      image: { image_type: 'image/png', w: 20, h: 10 },
    })
    const post = await server.post('/2/posts', { text: 'With a picture', media: { media_ids: [id] } }, alice)
    expect(post.status).toBe(201)
    const shown = await server.get(`/1.1/statuses/show.json?id=${post.body.data.id}`, 'app')
    expect(shown.body.extended_entities.media).toMatchObject([{ id_str: id, type: 'photo' }])
  })

  test('stores a picture in base64, in a form that is signed', async () => {
    // Libraries use both names.
    for (const name of ['media_data', 'media']) {
      const form = { [name]: makePng(4, 4).toString('base64') }
      const made = await server.request('POST', '/1.1/media/upload.json', { as: alice, form })
      expect(made.body.image).toEqual({ image_type: 'image/png', w: 4, h: 4 })
    }
  })

  test('stores a GIF with several pictures as one that moves, ready for a post', async () => {
    const made = await upload({ media: makeGif(3), media_category: 'tweet_gif' })
    expect(made.body).toMatchObject({ media_key: expect.stringMatching(/^16_/) })
    expect(made.body.processing_info.state).toBe('succeeded')
    const media = { media_ids: [made.body.media_id_string] }
    expect((await server.post('/2/posts', { text: 'It moves', media }, alice)).status).toBe(201)
  })

  test('stores a video in segments, and says how far it is', async () => {
    const film = makeMp4({ dataBytes: 4_000 })
    const begun = await server.request(
      'POST',
      `/1.1/media/upload.json?command=INIT&media_type=video%2Fmp4&media_category=tweet_video&total_bytes=${film.length}`,
      { as: alice },
    )
    expect(begun.status).toBe(202)
    expect(begun.body).not.toHaveProperty('size')
    const media_id = begun.body.media_id_string
    const halves = [film.subarray(0, 2_000), film.subarray(2_000)]
    for (const [index, media] of halves.entries()) {
      const sent = await upload({ command: 'APPEND', media_id, segment_index: String(index), media })
      expect([sent.status, sent.text]).toEqual([204, ''])
    }
    const ended = await server.request('POST', '/1.1/media/upload.json', {
      as: alice,
      form: { command: 'FINALIZE', media_id },
    })
    expect([ended.status, ended.body.size, ended.body.video]).toEqual([201, film.length, { video_type: 'video/mp4' }])
    const status = () => server.get(`/1.1/media/upload.json?command=STATUS&media_id=${media_id}`, alice)
    let { body } = await status()
    while (body.processing_info.state !== 'succeeded') {
      expect(body.processing_info.state).toMatch(/pending|in_progress/)
      ;({ body } = await status())
    }
    expect(body.processing_info.progress_percent).toBe(100)
  })

  test('refuses what it cannot store, and stores nothing', async () => {
    const step = async (form: Record<string, string>) =>
      refusal(await server.request('POST', '/1.1/media/upload.json', { as: alice, form }))
    expect(await step({})).toEqual([400, 38, 'media parameter is missing.'])
    expect(await step({ command: 'SEND' })).toEqual([400, 44, expect.stringContaining('INIT, APPEND, FINALIZE')])
    expect(await step({ command: 'INIT' })).toEqual([400, 38, 'media_type parameter is missing.'])
    const init = { command: 'INIT', media_type: 'image/png', total_bytes: '9' }
    expect(await step({ ...init, total_bytes: 'x' })).toEqual([400, 44, expect.stringContaining('total_bytes')])
    expect(await step({ ...init, media_type: 'a/b' })).toEqual([400, 324, expect.stringContaining('unrecognized')])
    expect(await step({ ...init, media_category: 'x' })).toEqual([400, 44, expect.stringContaining('tweet_image')])
    expect(await step({ ...init, total_bytes: '99999999' })).toEqual([400, 324, expect.stringContaining('tweet_image')])
    expect(await step({ command: 'FINALIZE', media_id: '1' })).toEqual([400, 324, expect.stringContaining('[1]')])
    expect(await step({ media_data: '!!' })).toEqual([400, 44, expect.stringContaining('media_data')])
    expect(await step({ media_data: 'AAAA' })).toEqual([400, 324, expect.any(String)])
    expect(await step({ media_data: 'AAAA', media_category: 'tweet_video' })).toEqual([
      400,
      324,
      expect.stringContaining('segments'),
    ])
    const unknown = await server.get('/1.1/media/upload.json?command=STATUS&media_id=1', alice)
    expect(refusal(unknown)).toEqual([400, 324, expect.stringContaining('[1]')])
    const read = await server.get('/1.1/media/upload.json?command=STATUS&media_id=1', 'app')
    expect(refusal(read)).toEqual([403, 220, expect.any(String)])
  })

  test('does not show the upload of another user', async () => {
    const made = await upload({ media: makePng(2, 2) })
    const path = `/1.1/media/upload.json?command=STATUS&media_id=${made.body.media_id_string}`
    expect((await server.get(path, alice)).status).toBe(200)
    expect((await server.get(path, bob)).body.errors[0].code).toBe(324)
  })
})

describe('media/metadata/create', () => {
  const describeMedia = (raw: string) =>
    server.request('POST', '/1.1/media/metadata/create.json', {
      as: alice,
      raw,
      headers: { 'content-type': 'application/json' },
    })

  test('stores alternative text, with the id as text or as a number of all digits', async () => {
    const { body } = await upload({ media: makePng(3, 3) })
    for (const [id, text] of [
      [`"${body.media_id_string}"`, 'Grey'],
      [body.media_id_string, 'Light grey'],
    ]) {
      const answer = await describeMedia(`{"media_id": ${id}, "alt_text": {"text": "${text}"}}`)
      expect([answer.status, answer.text]).toEqual([200, ''])
      const read = await server.get(`/2/media/${body.media_key}?media.fields=alt_text`, alice)
      expect(read.body.data.alt_text).toBe(text)
    }
    const made = await server.post(
      '/2/posts',
      { text: 'Described', media: { media_ids: [body.media_id_string] } },
      alice,
    )
    const path = `/1.1/statuses/show.json?id=${made.body.data.id}&include_ext_alt_text=true`
    const [media] = (await server.get(path, 'app')).body.extended_entities.media
    expect(media.ext_alt_text).toBe('Light grey')
  })

  test.each([
    ['no JSON', 214],
    ['[]', 38],
    ['null', 214],
    ['{"alt_text":{"text":"x"}}', 38],
    ['{"media_id":"1"}', 38],
    ['{"media_id":{},"alt_text":{"text":"x"}}', 44],
    [`{"media_id":"1","alt_text":{"text":"${'x'.repeat(1001)}"}}`, 44],
    ['{"media_id":"1","alt_text":{"text":"x"}}', 324],
  ])('refuses the body %s', async (raw, code) => {
    const answer = await describeMedia(raw)
    expect([answer.status, answer.body.errors[0].code]).toEqual([400, code])
  })
})

test('help/configuration has the lengths that libraries read', async () => {
  const { body } = await server.get('/1.1/help/configuration.json', 'app')
  expect(body).toMatchObject({ short_url_length_https: 23, photo_size_limit: 5_242_880, max_media_per_upload: 1 })
})

test('the OpenAPI document of version 1.1 names its calls', async () => {
  const { body } = await server.get('/1.1/openapi.json', 'nobody')
  expect(Object.keys(body.paths)).toContain('/1.1/account/verify_credentials.json')
})
