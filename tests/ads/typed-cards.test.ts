import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AdsScene, createAdsScene, startAdsScene } from './ads-scene.ts'
import { cardMedia, libraryImage } from './library-media.ts'

let scene: AdsScene
let wide: string
let unlocked: string
let video: string
beforeAll(async () => {
  scene = await startAdsScene()
  wide = await cardMedia.wide(scene)
  unlocked = await cardMedia.unlocked(scene)
  video = await cardMedia.video(scene)
})
afterAll(() => scene.close())

type Values = Parameters<AdsScene['made']>[1]
const POLL = { name: 'Poll', first_choice: 'East', second_choice: 'West', duration_in_minutes: 60 }
const conversation = (media: string, more: Values = {}) => ({
  name: 'Talk',
  title: 'Which?',
  first_cta: '#East',
  first_cta_post: 'East it is',
  thank_you_text: 'Thanks',
  media_key: media,
  ...more,
})
const minutesLater = (time: string, minutes: number) =>
  `${new Date(Date.parse(time) + minutes * 60_000).toISOString().slice(0, 19)}Z`
const firstError = async (path: string, values: Values) => {
  const answer = await scene.post(path, values)
  return { status: answer.status, ...answer.body.errors[0] }
}

describe('poll cards', () => {
  test('run for their minutes from their creation on, and echo only what was sent', async () => {
    const { body } = await scene.post('cards/poll', { ...POLL, third_choice: 'North' })
    expect(body.request.params).toEqual({ ...POLL, third_choice: 'North' })
    const { id, card_uri: uri, created_at: created } = body.data
    expect(body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{10,13}$/),
      name: 'Poll',
      card_uri: expect.stringMatching(/^card:\/\/\d+$/),
      first_choice: 'East',
      second_choice: 'West',
      third_choice: 'North',
      duration_in_minutes: '60',
      start_time: created,
      end_time: minutesLater(created, 60),
      card_type: 'TEXT_POLLS',
      created_at: created,
      updated_at: created,
      deleted: false,
    })
    expect(BigInt(uri.slice('card://'.length)).toString(36)).not.toBe(id)
    const got = await scene.get(`cards/poll/${id.toUpperCase()}`)
    expect(got.body.request.params).toEqual({ account_id: scene.account, card_id: id, card_type: 'poll' })
    expect(got.body.data).toEqual(body.data)
  })

  test('cannot be changed', async () => {
    const { id } = await scene.made('cards/poll', POLL)
    expect((await scene.put(`cards/poll/${id}`, { name: 'Other' })).body.errors[0].code).toMatch(
      /^(ROUTE_NOT_FOUND|METHOD_NOT_ALLOWED)$/,
    )
    expect((await scene.get(`cards/poll/${id}`)).body.data.name).toBe('Poll')
  })

  test.each<[string, Values, string, string]>([
    ['4 minutes', { duration_in_minutes: 4 }, 'INVALID_PARAMETER', 'duration_in_minutes'],
    ['10081 minutes', { duration_in_minutes: 10_081 }, 'INVALID_PARAMETER', 'duration_in_minutes'],
    ['a choice of 26 characters', { second_choice: 'c'.repeat(26) }, 'INVALID_PARAMETER', 'second_choice'],
    ['an empty choice', { third_choice: '' }, 'INVALID_PARAMETER', 'third_choice'],
    ['one choice', { second_choice: undefined }, 'MISSING_PARAMETER', 'second_choice'],
    ['no name', { name: undefined }, 'MISSING_PARAMETER', 'name'],
    ['a fourth choice without a third', { fourth_choice: 'South' }, 'INCLUSIVE_PARAMETERS', 'fourth_choice'],
  ])('with %s are refused', async (_name, values, code, parameter) => {
    expect(await firstError('cards/poll', { ...POLL, ...values })).toMatchObject({ status: 400, code, parameter })
  })

  test('show media where the account has the feature', async () => {
    const feature = { feature_keys: 'PROMOTED_MEDIA_POLLS' }
    await scene.delete('features', feature)
    const refused = await firstError('cards/poll', { ...POLL, media_key: wide })
    expect(refused).toMatchObject({ status: 400, code: 'FEATURE_NOT_AVAILABLE', parameter: 'media_key' })
    await scene.post('features', feature)
    const image = await scene.made('cards/poll', { ...POLL, media_key: wide })
    expect(image).toMatchObject({
      card_type: 'IMAGE_POLLS',
      image: expect.stringMatching(/\.png$/),
      image_display_width: '800',
      image_display_height: '418',
    })
    for (const name of ['media_key', 'video_url']) expect(image).not.toHaveProperty(name)
    const moving = await scene.made('cards/poll', { ...POLL, media_key: video })
    expect(moving).toMatchObject({
      card_type: 'VIDEO_POLLS',
      video_url: expect.stringMatching(/\.mp4$/),
      video_hls_url: expect.stringMatching(/\.m3u8$/),
      video_width: '16',
      video_height: '9',
      video_poster_url: expect.stringMatching(/preview/),
      video_poster_width: '16',
      video_poster_height: '9',
      content_duration_seconds: '2',
    })
    expect(moving).not.toHaveProperty('image')
    const cases: [string, string, number][] = [
      [await cardMedia.square(scene), 'INVALID_IMAGE', 400],
      [await cardMedia.squareVideo(scene), 'INVALID_MEDIA', 400],
      ['3_1', 'MEDIA_NOT_FOUND', 404],
    ]
    for (const [media_key, code, status] of cases)
      expect(await firstError('cards/poll', { ...POLL, media_key })).toMatchObject({
        status,
        code,
        parameter: 'media_key',
      })
  })
})

test('a deleted typed card is returned complete with deleted true, and is then read only with with_deleted', async () => {
  const kinds: [string, Values][] = [
    ['poll', POLL],
    ['image_conversation', conversation(wide)],
    ['video_conversation', conversation(video)],
  ]
  for (const [kind, values] of kinds) {
    const card = await scene.made(`cards/${kind}`, values)
    const deleted = { ...card, deleted: true, updated_at: expect.any(String) }
    const { body } = await scene.delete(`cards/${kind}/${card.id}`)
    expect(body.request.params).toEqual({ account_id: scene.account, card_id: card.id, card_type: kind })
    expect(body.data).toEqual(deleted)
    const again = await scene.get(`cards/${kind}/${card.id}`)
    expect(again.body.errors[0]).toMatchObject({ code: 'CARD_NOT_FOUND', parameter: 'card_id', value: card.id })
    expect((await scene.get(`cards/${kind}/${card.id}`, { with_deleted: true })).body.data).toEqual(deleted)
    const listed = { card_ids: card.id, with_total_count: true }
    expect((await scene.get(`cards/${kind}`, listed)).body).toMatchObject({ data: [], total_count: 0 })
    expect((await scene.get(`cards/${kind}`, { ...listed, with_deleted: true })).body.data).toEqual([deleted])
    expect((await scene.get('cards/all', { card_uris: card.card_uri })).body.data).toEqual([])
    const fetched = (await scene.get('cards/all', { card_uris: card.card_uri, with_deleted: true })).body.data
    expect(fetched).toMatchObject([{ id: card.id, deleted: true }])
    expect((await scene.delete(`cards/${kind}/${card.id}`)).status).toBe(404)
  }
})

test('the answer of a conversation card can be sent back as it is, or with a change', async () => {
  for (const [kind, media] of [
    ['image_conversation', wide],
    ['video_conversation', video],
  ] as const) {
    const card = await scene.made(`cards/${kind}`, conversation(media))
    const same = await scene.put(`cards/${kind}/${card.id}`, card)
    expect(same.status, same.text).toBe(200)
    expect(same.body.data).toEqual(card)
    const renamed = await scene.put(`cards/${kind}/${card.id}`, { ...card, name: 'Renamed' })
    expect(renamed.body.data.name, renamed.text).toBe('Renamed')
  }
})

test('the general path of deletion accepts all kinds of cards, also those that cannot be created any more', async () => {
  const card = await scene.made('cards/poll', POLL)
  expect((await scene.delete(`cards/image_conversation/${card.id}`)).body.errors[0].code).toBe('CARD_NOT_FOUND')
  expect((await scene.delete(`cards/website/${card.id}`)).body.errors[0].code).toBe('CARD_NOT_FOUND')
  const unknown = await scene.delete(`cards/billboard/${card.id}`)
  expect(unknown.status).toBe(400)
  expect(unknown.body.errors[0]).toMatchObject({
    code: 'UNKNOWN_CARD_TYPE',
    parameter: 'card_type',
    value: 'billboard',
  })
  expect((await scene.delete(`cards/POLL/${card.id}`)).body.data).toEqual({
    ...card,
    deleted: true,
    updated_at: expect.any(String),
  })
})

describe('conversation cards', () => {
  test('with an image show its address and size, also in the echo of their creation', async () => {
    const values = conversation(wide, {
      second_cta: 'West',
      second_cta_post: 'West it is',
      thank_you_url: 'https://example.com/t',
      unlocked_image_media_key: unlocked,
    })
    const { body } = await scene.post('cards/image_conversation', values)
    const shown = {
      media_url: expect.stringMatching(/\.png$/),
      image_display_width: '800',
      image_display_height: '418',
    }
    expect(body.request.params).toEqual({
      account_id: scene.account,
      ...values,
      ...shown,
      card_type: 'IMAGE_CONVERSATION',
    })
    const { unlocked_image_media_key: key, ...members } = values as Record<string, unknown>
    expect(body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{10,13}$/),
      ...members,
      unlocked_image_url: expect.stringContaining(String(key)),
      ...shown,
      card_uri: expect.stringMatching(/^card:\/\/\d+$/),
      card_type: 'IMAGE_CONVERSATION',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      deleted: false,
    })
  })

  test('with a video show its ratio, its owner and its first frame, or the poster that was chosen by key or by number', async () => {
    const more = { unlocked_video_media_key: await cardMedia.squareVideo(scene) }
    const { body } = await scene.post('cards/video_conversation', conversation(video, more))
    const shown = {
      media_url: expect.stringMatching(/\.mp4$/),
      poster_media_url: expect.stringMatching(/preview/),
      video_owner_id: scene.server.userId('alice'),
      video_width: '16',
      video_height: '9',
    }
    expect(body.data).toMatchObject({ card_type: 'VIDEO_CONVERSATION', media_key: video, ...shown })
    expect(body.request.params).toMatchObject({ card_type: 'VIDEO_CONVERSATION', ...shown })
    const path = `cards/video_conversation/${body.data.id}`
    const posters = [wide, unlocked.split('_')[1]!]
    for (const [at, poster] of posters.entries()) {
      const sent = { poster_media_key: poster, unlocked_image_media_key: unlocked }
      const { poster_media_url: shownPoster, unlocked_image_url: url } = (await scene.put(path, sent)).body.data
      expect([shownPoster, url].map((item) => item.split('/').at(-2))).toEqual([[wide, unlocked][at], unlocked])
    }
    expect((await scene.put(path, { poster_media_key: '' })).body.data.poster_media_url).toMatch(/preview/)
  })

  const tag = 't'.repeat(20)
  test.each<[string, Values, string, string]>([
    ['neither title nor second call', { title: undefined }, 'MISSING_PARAMETER', 'title'],
    ['a second call without its text', { second_cta: '#b' }, 'MISSING_PARAMETER', 'second_cta_post'],
    ['a fourth call without its text', { fourth_cta: '#b' }, 'MISSING_PARAMETER', 'fourth_cta_post'],
    ['a text without its call', { third_cta_post: 'b' }, 'INCLUSIVE_PARAMETERS', 'third_cta_post'],
    ['no first call', { first_cta: undefined }, 'MISSING_PARAMETER', 'first_cta'],
    ['no text of the first call', { first_cta_post: undefined }, 'MISSING_PARAMETER', 'first_cta_post'],
    ['no thanks', { thank_you_text: undefined }, 'MISSING_PARAMETER', 'thank_you_text'],
    ['thanks of 24 characters', { thank_you_text: 't'.repeat(24) }, 'INVALID_PARAMETER', 'thank_you_text'],
    ['a title of 24 characters', { title: 't'.repeat(24) }, 'INVALID_PARAMETER', 'title'],
    ['a hashtag of 21 characters', { first_cta: `#${tag}t` }, 'INVALID_PARAMETER', 'first_cta'],
    ['words that are not a hashtag', { first_cta: '#two words' }, 'INVALID_PARAMETER', 'first_cta'],
    ['an address that is none', { thank_you_url: 'example' }, 'INVALID_PARAMETER', 'thank_you_url'],
    ['a media item that does not exist', { media_key: '3_1' }, 'MEDIA_NOT_FOUND', 'media_key'],
    ['a poster that is not there', { poster_media_key: 5 }, 'MEDIA_NOT_FOUND', 'poster_media_key'],
  ])('with %s are refused', async (_name, values, code, parameter) => {
    const status = code === 'MEDIA_NOT_FOUND' ? 404 : 400
    const error = await firstError('cards/video_conversation', conversation(video, values))
    expect(error).toMatchObject({ status, code, parameter })
  })

  test('take a hashtag of 20 characters with its hash, and four calls', async () => {
    const places = ['second', 'third', 'fourth']
    const calls = Object.fromEntries(
      places.flatMap((place) => [
        [`${place}_cta`, 'b'],
        [`${place}_cta_post`, 'b'],
      ]),
    )
    const card = await scene.made(
      'cards/image_conversation',
      conversation(wide, { title: undefined, first_cta: `#${tag}`, ...calls }),
    )
    expect(card).toMatchObject({ first_cta: `#${tag}`, ...calls })
    expect(card).not.toHaveProperty('title')
  })

  test('accept only media of their own sizes', async () => {
    const square = await cardMedia.square(scene)
    const cases: [string, Values, string, string][] = [
      ['image_conversation', conversation(square), 'INVALID_IMAGE', 'media_key'],
      ['image_conversation', conversation(video), 'INVALID_MEDIA', 'media_key'],
      [
        'image_conversation',
        conversation(wide, { unlocked_image_media_key: wide }),
        'INVALID_IMAGE',
        'unlocked_image_media_key',
      ],
      ['image_conversation', conversation(await libraryImage(scene, 764, 400)), 'INVALID_IMAGE', 'media_key'],
      ['video_conversation', conversation(wide), 'INVALID_MEDIA', 'media_key'],
      ['video_conversation', conversation(await cardMedia.squareVideo(scene)), 'INVALID_MEDIA', 'media_key'],
      ['video_conversation', conversation(video, { poster_media_key: video }), 'INVALID_MEDIA', 'poster_media_key'],
      [
        'video_conversation',
        conversation(video, { unlocked_video_media_key: wide }),
        'INVALID_MEDIA',
        'unlocked_video_media_key',
      ],
    ]
    for (const [kind, values, code, parameter] of cases)
      expect(await firstError(`cards/${kind}`, values)).toMatchObject({ status: 400, code, parameter })
  })

  test('change only in what is sent, and the rules still apply', async () => {
    const card = await scene.made(
      'cards/video_conversation',
      conversation(video, { second_cta: '#b', second_cta_post: 'b' }),
    )
    const path = `cards/video_conversation/${card.id}`
    const untitled = await scene.put(path, { title: '' })
    expect(untitled.body.request.params).toMatchObject({ card_type: 'VIDEO_CONVERSATION', title: null })
    const { title: _, ...rest } = card
    expect(untitled.body.data).toEqual({ ...rest, updated_at: untitled.body.data.updated_at })
    expect((await scene.put(path, { second_cta: '' })).body.errors[0]).toMatchObject({
      code: 'MISSING_PARAMETER',
      parameter: 'title',
    })
    expect((await scene.put(path, { third_cta: '#c' })).body.errors[0].parameter).toBe('third_cta_post')
    expect((await scene.put(path, { media_key: '' })).body.errors[0]).toMatchObject({
      code: 'INVALID_PARAMETER',
      parameter: 'media_key',
    })
    expect((await scene.put(path, { media_key: wide })).body.errors[0].code).toBe('INVALID_MEDIA')
    const titled = (await scene.put(path, { title: 'Again', second_cta: '' })).body.data
    expect(titled.title).toBe('Again')
    expect(titled).not.toHaveProperty('second_cta')
    expect(titled).not.toHaveProperty('second_cta_post')
  })
})

describe('the list of cards and fetching', () => {
  test('lists of each kind have only that kind, and the general list has typed cards only on request', async () => {
    const poll = await scene.made('cards/poll', { ...POLL, name: 'Kinds poll' })
    const talk = await scene.made('cards/image_conversation', conversation(wide, { name: 'Kinds talk' }))
    const components = [
      { type: 'MEDIA', media_key: wide },
      { type: 'DETAILS', title: 'T', destination: { type: 'WEBSITE', url: 'https://example.com/' } },
    ]
    const card = (await scene.json('POST', 'cards', { name: 'Kinds card', components })).body.data
    const namesOf = async (path: string, values: Values = {}) =>
      (await scene.get(path, { q: 'KINDS', sort_by: 'name-asc', ...values })).body.data.map(
        (item: { name: string }) => item.name,
      )
    expect(await namesOf('cards/poll')).toEqual(['Kinds poll'])
    expect(await namesOf('cards/image_conversation', { card_ids: `${talk.id},${poll.id}` })).toEqual(['Kinds talk'])
    expect(await namesOf('cards/video_conversation')).toEqual([])
    expect(await namesOf('cards')).toEqual(['Kinds card'])
    expect(await namesOf('cards', { include_legacy_cards: true })).toEqual(['Kinds card', 'Kinds poll', 'Kinds talk'])
    const { body } = await scene.get('cards', { card_id: `${card.id},${poll.id}`, include_legacy_cards: true })
    expect(body.data.map((item: { id: string }) => item.id)).toEqual([poll.id, card.id])
    expect(body.data[0]).toEqual({
      id: poll.id,
      name: 'Kinds poll',
      card_uri: poll.card_uri,
      card_type: 'TEXT_POLLS',
      created_at: poll.created_at,
      updated_at: poll.updated_at,
      deleted: false,
    })
    expect(await namesOf('cards', { card_uris: `${card.card_uri},${poll.card_uri}` })).toEqual(['Kinds card'])
  })

  test.each<[string, Values, string, string]>([
    ['an unknown type', { card_types: 'IMAGE_APP,POSTER' }, 'UNKNOWN_CARD_TYPE', 'card_types'],
    ['201 per page', { count: 201 }, 'INVALID_PARAMETER', 'count'],
    ['a prefix of 81 characters', { q: 'q'.repeat(81) }, 'INVALID_PARAMETER', 'q'],
    ['201 ids', { card_id: Array(201).fill(1).join() }, 'INVALID_PARAMETER', 'card_id'],
    ['201 addresses', { card_uris: Array(201).fill('card://1').join() }, 'INVALID_PARAMETER', 'card_uris'],
    ['an address of another form', { card_uris: 'https://1' }, 'INVALID_PARAMETER', 'card_uris'],
    ['an order by type', { sort_by: 'card_type-asc' }, 'INVALID_PARAMETER', 'sort_by'],
  ])('a list with %s is refused', async (_name, values, code, parameter) => {
    const answer = await scene.get('cards', values)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0]).toMatchObject({ code, parameter })
  })
})

describe('a post with a card', () => {
  let production: AdsScene
  let image: string
  beforeAll(async () => {
    production = await createAdsScene(scene.server, 'production')
    image = await cardMedia.wide(production)
  })
  const post = (body: object) => scene.server.post('/2/posts', body, { user: 'alice' })
  const read = async (id: string) =>
    (
      await scene.server.get(
        `/2/posts/${id}?post.fields=card_uri&expansions=attachments.poll_ids&poll.fields=end_datetime,voting_status`,
      )
    ).body

  test('names it in card_uri, and another card under the same words is another post', async () => {
    const [first, second] = [
      await production.made('cards/image_conversation', conversation(image)),
      await production.made('cards/image_conversation', conversation(image)),
    ]
    const { status, body } = await post({ text: 'Talk to us', card_uri: first.card_uri })
    expect(status).toBe(201)
    expect((await read(body.data.id)).data).toMatchObject({ card_uri: first.card_uri })
    expect((await post({ text: 'Talk to us', card_uri: first.card_uri })).status).toBe(403)
    expect((await post({ text: 'Talk to us', card_uri: second.card_uri })).status).toBe(201)
    const edited = await post({ text: 'Talk to us now', edit_options: { previous_post_id: body.data.id } })
    expect((await read(edited.body.data.id)).data.card_uri).toBe(first.card_uri)
  })

  test('is refused when the card is not there or deleted, and needs words', async () => {
    const card = await production.made('cards/image_conversation', conversation(image))
    expect((await post({ card_uri: card.card_uri })).body.errors[0].parameters).toHaveProperty('text')
    await production.delete(`cards/image_conversation/${card.id}`)
    for (const uri of [card.card_uri, 'card://1', 'nonsense']) {
      const { status, body } = await post({ text: 'With a card', card_uri: uri })
      expect(status).toBe(400)
      expect(body.errors[0]).toEqual({ parameters: { card_uri: [uri] }, message: `There is no card [${uri}].` })
    }
  })

  test('that is a poll shows the poll, which closes by the time of the card and not of the post', async () => {
    const card = await production.made('cards/poll', POLL)
    await scene.server.command('clock', { advance_ms: 50 * 60_000 })
    const { id } = (await post({ text: 'Vote', card_uri: card.card_uri })).body.data
    const [poll] = (await read(id)).includes.polls
    expect(poll).toMatchObject({ voting_status: 'open', end_datetime: card.end_time.replace('Z', '.000Z') })
    expect(poll.options.map((option: { label: string }) => option.label)).toEqual(['East', 'West'])
    await scene.server.command('clock', { advance_ms: 11 * 60_000 })
    expect((await read(id)).includes.polls[0].voting_status).toBe('closed')
  })
})
