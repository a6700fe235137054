import { crc32 } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uploadWhole } from '../social/uploading.ts'
import { makeGif, makeJpeg, makePng } from '../support/make-media.ts'
import { type AdsScene, ALICE, startAdsScene } from './ads-scene.ts'
import { cardMedia, libraryGif, libraryImage, libraryVideo } from './library-media.ts'

let scene: AdsScene
let image: string
let wide: string
let video: string
let squareVideo: string
beforeAll(async () => {
  scene = await startAdsScene()
  image = await cardMedia.square(scene)
  wide = await cardMedia.wide(scene)
  video = await cardMedia.video(scene)
  squareVideo = await cardMedia.squareVideo(scene)
})
afterAll(() => scene.close())

const APP = { type: 'APP', country_code: 'US', platform_a_app_id: 'com.example.app' }
const website = (url = 'https://example.com/shop') => ({
  type: 'DETAILS',
  title: 'Shop',
  destination: { type: 'WEBSITE', url },
})
const app = (destination: object = APP) => ({ type: 'BUTTON', label: { type: 'ENUM', value: 'INSTALL' }, destination })
const media = (key: string) => ({ type: 'MEDIA', media_key: key })
const swipe = (...keys: string[]) => ({ type: 'SWIPEABLE_MEDIA', media_keys: keys })

const INVALID = 'INVALID_PARAMETER'
const beside = (end: object) => ({ components: [media(image), end] })
const above = (first: object) => ({ components: [first, website()] })
const slides = (count: number, ...more: object[][]) => ({
  slides: [...Array(count).fill([media(image), website()]), ...more],
})

/** A picture of more than 3 MB: with a comment that long. */
function heavyPng(): Buffer {
  const png = makePng(800, 800)
  const comment = Buffer.concat([Buffer.from('tEXt', 'latin1'), Buffer.alloc(3 * 1024 * 1024, 65)])
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  size.writeUInt32BE(comment.length - 4)
  sum.writeUInt32BE(crc32(comment))
  return Buffer.concat([png.subarray(0, -12), size, comment, sum, png.subarray(-12)])
}

const create = (body: object) => scene.json('POST', 'cards', { name: 'A card', ...body })
const made = async (body: object) => {
  const answer = await create(body)
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.body.data
}
const total = async () => (await scene.get('cards', { count: 200 })).body.data.length
async function refused(body: object) {
  const before = await total()
  const answer = await create(body)
  expect(await total(), 'a refusal changes nothing').toBe(before)
  return { status: answer.status, ...answer.body.errors[0] }
}

describe('the type of a card follows from its parts', () => {
  test.each([
    ['IMAGE_WEBSITE', () => ({ components: [media(image), website()] })],
    ['IMAGE_APP', () => ({ components: [media(wide), app()] })],
    ['VIDEO_WEBSITE', () => ({ components: [media(video), website()] })],
    ['VIDEO_APP', () => ({ components: [media(squareVideo), app()] })],
    ['IMAGE_CAROUSEL_WEBSITE', () => ({ components: [swipe(image, wide), website()] })],
    ['IMAGE_CAROUSEL_APP', () => ({ components: [swipe(image, image), app()] })],
    ['VIDEO_CAROUSEL_WEBSITE', () => ({ components: [swipe(video, squareVideo), website()] })],
    ['VIDEO_CAROUSEL_APP', () => ({ components: [swipe(video, squareVideo), app()] })],
    ['MIXED_MEDIA_SINGLE_DEST_CAROUSEL_WEBSITE', () => ({ components: [swipe(image, video), website()] })],
    ['MIXED_MEDIA_SINGLE_DEST_CAROUSEL_APP', () => ({ components: [swipe(video, image), app()] })],
    ['IMAGE_MULTI_DEST_CAROUSEL_WEBSITE', () => ({ slides: [image, wide].map((key) => [media(key), website()]) })],
    ['VIDEO_MULTI_DEST_CAROUSEL_WEBSITE', () => ({ slides: [video, video].map((key) => [media(key), website()]) })],
    [
      'MIXED_MEDIA_MULTI_DEST_CAROUSEL_WEBSITE',
      () => ({ slides: [image, video].map((key) => [media(key), website()]) }),
    ],
  ])('%s', async (type, body) => {
    const card = await made(body())
    expect(card.card_type).toBe(type)
    const listed = await scene.get('cards', { card_types: type, card_id: card.id })
    expect(listed.body.data).toEqual([card])
  })
})

test('a card has a decimal id, the address card:// with it, and shows its media and the short form of its link', async () => {
  const answer = await create({ components: [media(video), website('https://example.com')] })
  expect(answer.body.request).toEqual({ params: { account_id: scene.account } })
  const card = answer.body.data
  expect(card).toEqual({
    id: expect.stringMatching(/^\d{15,19}$/),
    name: 'A card',
    components: [
      {
        type: 'MEDIA',
        media_key: video,
        media_metadata: {
          [video]: {
            type: 'VIDEO',
            url: expect.stringMatching(/^http.*\.mp4$/),
            width: 1280,
            height: 720,
            video_duration: 2000,
            video_aspect_ratio: '16:9',
          },
        },
      },
      {
        type: 'DETAILS',
        title: 'Shop',
        destination: { type: 'WEBSITE', url: 'https://example.com/', tco_url: expect.stringMatching(/^https:\/\//) },
      },
    ],
    card_uri: `card://${card.id}`,
    card_type: 'VIDEO_WEBSITE',
    created_at: expect.stringMatching(/Z$/),
    updated_at: card.created_at,
    deleted: false,
  })
  expect((await scene.get(`cards/${card.id}`)).body.data).toEqual(card)
})

test('the order of components and of slides is kept, and members that were not sent are left out', async () => {
  const card = await made({ components: [website(), media(image)] })
  expect(card.components.map((item: { type: string }) => item.type)).toEqual(['DETAILS', 'MEDIA'])
  expect(card).not.toHaveProperty('slides')
  const urls = ['https://example.com/2', 'https://example.com/1', 'https://example.com/3']
  const slides = await made({ slides: urls.map((url) => [media(image), website(url)]) })
  expect(slides).not.toHaveProperty('components')
  expect(slides.slides.map((slide: { destination: { url: string } }[]) => slide[1]!.destination.url)).toEqual(urls)
})

test('an app card keeps ids and deep links of both stores, in the spelling of the caller', async () => {
  const legacy = {
    type: 'APP',
    country_code: 'JP',
    googleplay_app_id: 'com.example.app',
    googleplay_deep_link: 'example://a',
    ios_app_store_identifier: '333903271',
    ios_deep_link: 'example://b',
  }
  const card = await made({ components: [media(image), app(legacy)] })
  expect(card.components[1].destination).toEqual(legacy)
  expect((await scene.get(`cards/${card.id}`)).body.data.components[1].destination).toEqual({
    type: 'APP',
    country_code: 'JP',
    platform_a_app_id: 'com.example.app',
    platform_a_deep_link: 'example://a',
    platform_b_app_store_identifier: '333903271',
    platform_b_deep_link: 'example://b',
  })
})

const REFUSED_BODIES: Record<string, [body: () => object, code: string, parameter: string]> = {
  'neither components nor slides': [() => ({}), 'MISSING_PARAMETER', 'components'],
  'components and slides': [() => ({ ...beside(website()), ...slides(2) }), 'EXCLUSIVE_PARAMETERS', 'slides'],
  'no name': [() => ({ ...beside(website()), name: undefined }), 'MISSING_PARAMETER', 'name'],
  'a name of 81 characters': [() => ({ ...beside(website()), name: 'n'.repeat(81) }), INVALID, 'name'],
  'one component': [() => ({ components: [media(image)] }), INVALID, 'components'],
  'two media components': [() => beside(media(wide)), INVALID, 'components'],
  'no media component': [() => ({ components: [website(), app()] }), INVALID, 'components'],
  'three components': [() => ({ components: [media(image), website(), app()] }), INVALID, 'components'],
  'a carousel below the details': [() => ({ components: [website(), swipe(image, wide)] }), INVALID, 'components'],
  'an unknown component': [() => beside({ type: 'TEXT' }), INVALID, 'components[1].type'],
  'one swipeable media': [() => above(swipe(image)), INVALID, 'components[0].media_keys'],
  'seven swipeable media': [() => above(swipe(...Array(7).fill(image))), INVALID, 'components[0].media_keys'],
  'MEDIA without a key': [() => above({ type: 'MEDIA' }), 'MISSING_PARAMETER', 'components[0].media_key'],
  'a title on MEDIA': [() => above({ ...media(image), title: 'x' }), INVALID, 'components[0].title'],
  'one slide': [() => slides(1), INVALID, 'slides'],
  'seven slides': [() => slides(7), INVALID, 'slides'],
  'a slide with a button': [() => slides(1, [media(image), app()]), INVALID, 'slides[1][1].type'],
  'a slide with a carousel': [() => slides(1, [swipe(image, wide), website()]), INVALID, 'slides[1][0].type'],
}
test.each(Object.entries(REFUSED_BODIES))('a card with %s is refused', async (_name, [body, code, parameter]) => {
  expect(await refused(body())).toMatchObject({ status: 400, code, parameter })
})

const to = website().destination
const REFUSED_ENDS: Record<string, [end: object, code: string, parameter: string, status?: number]> = {
  'DETAILS without a title': [{ ...website(), title: undefined }, 'MISSING_PARAMETER', 'title'],
  'DETAILS that lead to an app': [{ ...website(), destination: APP }, INVALID, 'destination.type'],
  'a BUTTON that leads to a website': [app(to), INVALID, 'destination.type'],
  'a website without url': [{ ...website(), destination: { type: 'WEBSITE' } }, 'MISSING_PARAMETER', 'destination.url'],
  'a url that is none': [website('example.com'), INVALID, 'destination.url'],
  'a url of another scheme': [website('ftp://example.com'), INVALID, 'destination.url'],
  'an app id on a website': [
    { ...website(), destination: { ...to, platform_a_app_id: 'a.b' } },
    INVALID,
    'destination.platform_a_app_id',
  ],
  'a label of another kind': [{ ...app(), label: { type: 'TEXT', value: 'INSTALL' } }, INVALID, 'label.type'],
  'an unknown label': [{ ...app(), label: { type: 'ENUM', value: 'BUY' } }, INVALID, 'label.value'],
  'an app without a country': [
    app({ ...APP, country_code: undefined }),
    'MISSING_PARAMETER',
    'destination.country_code',
  ],
  'a country in small letters': [app({ ...APP, country_code: 'us' }), INVALID, 'destination.country_code'],
  'a country that is none': [app({ ...APP, country_code: 'XX' }), INVALID, 'destination.country_code'],
  'an app without ids': [
    app({ type: 'APP', country_code: 'US' }),
    'MISSING_PARAMETER',
    'destination.platform_a_app_id',
  ],
  'a package name that is none': [
    app({ ...APP, platform_a_app_id: 'example' }),
    'INVALID_APP_ID',
    'destination.platform_a_app_id',
    404,
  ],
  'a store id that is not a number': [
    app({ ...APP, platform_b_app_store_identifier: 'id333' }),
    'INVALID_APP_ID',
    'destination.platform_b_app_store_identifier',
    404,
  ],
  'a deep link without the app of its store': [
    app({ ...APP, platform_b_deep_link: 'example://b' }),
    'INCLUSIVE_PARAMETERS',
    'destination.platform_b_deep_link',
  ],
  'a deep link without a scheme': [
    app({ ...APP, platform_a_deep_link: 'home' }),
    INVALID,
    'destination.platform_a_deep_link',
  ],
}
test.each(Object.entries(REFUSED_ENDS))(
  'a card with %s is refused',
  async (_name, [end, code, parameter, status = 400]) => {
    expect(await refused(beside(end))).toMatchObject({ status, code, parameter: `components[1].${parameter}` })
  },
)

describe('the media of a card', () => {
  const firstError = (key: string) => refused({ components: [media(key), website()] })
  const at = 'components[0].media_key'

  test('must be in the library of the account', async () => {
    const { media_key: uploaded } = await uploadWhole(scene.server, makePng(800, 800))
    expect(await firstError(uploaded)).toMatchObject({
      status: 404,
      code: 'MEDIA_NOT_FOUND',
      parameter: at,
      value: uploaded,
    })
    await scene.made('media_library', { media_key: uploaded })
    await made({ components: [media(uploaded), website()] })
    await scene.delete(`media_library/${uploaded}`)
    expect(await firstError(uploaded)).toMatchObject({ status: 404, code: 'MEDIA_NOT_FOUND' })
    expect(await refused({ components: [swipe(image, '3_1'), website()] })).toMatchObject({
      code: 'MEDIA_NOT_FOUND',
      parameter: 'components[0].media_keys[1]',
    })
  })

  test.each<[string, () => Promise<string>, string, RegExp]>([
    ['an image of 799 pixels', () => libraryImage(scene, 799, 799), 'INVALID_IMAGE', /800 pixels/],
    ['an image of 3:2', () => libraryImage(scene, 900, 600), 'INVALID_IMAGE', /1:1 or 1\.91:1/],
    ['an image of more than 3 MB', () => libraryImage(scene, 800, 800, heavyPng()), 'INVALID_IMAGE', /3 MB/],
    [
      'an image of another format',
      () => libraryImage(scene, 800, 800, makeGif(1, { width: 800, height: 800 })),
      'INVALID_IMAGE',
      /bmp, jpeg or png/,
    ],
    ['a video of 4:3', () => libraryVideo(scene, { width: 640, height: 480 }), 'INVALID_MEDIA', /16:9 or 1:1/],
    [
      'a moving picture',
      () => libraryGif(scene, makeGif(2, { width: 800, height: 800 })),
      'INVALID_MEDIA',
      /an image or a video/,
    ],
  ])('may not be %s', async (_name, make, code, details) => {
    expect(await firstError(await make())).toMatchObject({
      status: 400,
      code,
      parameter: at,
      details: expect.stringMatching(details),
    })
  })

  test('may be the sizes that are used for 1.91:1', async () => {
    for (const height of [628, 630])
      await made(above(media(await libraryImage(scene, 1200, height, makeJpeg(1200, height)))))
  })
})

describe('changing a card', () => {
  test('replaces each member that is sent as a whole, and what it leads to with it', async () => {
    const card = await made({ components: [media(image), website()] })
    const renamed = (await scene.json('PUT', `cards/${card.id}`, { name: 'Renamed' })).body
    expect(renamed.request.params).toEqual({ account_id: scene.account, card_id: card.id })
    expect(renamed.data).toEqual({ ...card, name: 'Renamed', updated_at: renamed.data.updated_at })
    const changed = (await scene.json('PUT', `cards/${card.id}`, { components: [media(video), app()] })).body.data
    expect(changed).toMatchObject({ id: card.id, card_uri: card.card_uri, name: 'Renamed', card_type: 'VIDEO_APP' })
    expect(changed.components[1].destination).toEqual(APP)
    const sliding = (await scene.json('PUT', `cards/${card.id}`, slides(2))).body.data
    expect(sliding.card_type).toBe('IMAGE_MULTI_DEST_CAROUSEL_WEBSITE')
    expect(sliding).not.toHaveProperty('components')
  })

  test('with the components that it has changes nothing, not even its time', async () => {
    const components = [media(image), website('https://example.com')]
    const card = await made({ components })
    await scene.server.command('clock', { advance_ms: 60_000 })
    const [same, other] = [components, [media(image), website('https://example.com/other')]]
    expect((await scene.json('PUT', `cards/${card.id}`, { components: same })).body.data).toEqual(card)
    const changed = (await scene.json('PUT', `cards/${card.id}`, { components: other })).body.data
    expect(changed.updated_at).not.toBe(card.updated_at)
  })

  test('keeps to the rules of making one, and leaves the card as it was when it breaks them', async () => {
    const card = await made({ components: [media(image), website()] })
    const cases: [object, string][] = [
      [{ components: [media(image), website()], slides: [] }, 'INVALID_PARAMETER'],
      [
        { components: [media(image), website()], slides: Array(2).fill([media(image), website()]) },
        'EXCLUSIVE_PARAMETERS',
      ],
      [{ name: 'x', components: [media('3_1'), website()] }, 'MEDIA_NOT_FOUND'],
      [{ name: '' }, 'INVALID_PARAMETER'],
      [{ name: null }, 'INVALID_PARAMETER'],
    ]
    for (const [body, code] of cases)
      expect((await scene.json('PUT', `cards/${card.id}`, body)).body.errors[0].code).toBe(code)
    expect((await scene.get(`cards/${card.id}`)).body.data).toEqual(card)
  })

  test('accepts only JSON', async () => {
    const form = await scene.server.request('POST', `/ads-sandbox/12/accounts/${scene.account}/cards`, {
      as: ALICE,
      form: { name: 'x' },
    })
    expect(form.status).toBe(415)
    expect(form.body.errors[0]).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'Content-Type' })
  })
})

test('a deleted card is returned complete with deleted true, and is then read only with with_deleted', async () => {
  const card = await made({ name: 'Soon deleted', components: [media(image), website()] })
  const deleted = { ...card, deleted: true, updated_at: expect.any(String) }
  expect((await scene.delete(`cards/${card.id}`)).body.data).toEqual(deleted)
  expect((await scene.get(`cards/${card.id}`)).body.errors[0].code).toBe('CARD_NOT_FOUND')
  expect((await scene.json('PUT', `cards/${card.id}`, { name: 'x' })).status).toBe(404)
  expect((await scene.delete(`cards/${card.id}`)).status).toBe(404)
  expect((await scene.get(`cards/${card.id}`, { with_deleted: true })).body.data).toEqual(deleted)
  expect((await scene.get('cards', { q: 'soon' })).body.data).toEqual([])
  expect((await scene.get('cards', { q: 'sOOn', with_deleted: true })).body.data).toEqual([deleted])
  expect((await scene.get('cards/all', { card_uris: card.card_uri })).body.data).toEqual([])
  expect((await scene.get('cards/all', { card_uris: card.card_uri, with_deleted: true })).body.data[0].deleted).toBe(
    true,
  )
})

test("a card's own answer can be sent back, to replace it or to make another", async () => {
  const card = await made({ name: 'Sent back', components: [media(image), website()] })
  const same = await scene.json('PUT', `cards/${card.id}`, card)
  expect(same.status, same.text).toBe(200)
  expect(same.body.data).toEqual(card)
  expect((await scene.json('PUT', `cards/${card.id}`, { ...card, name: 'Renamed' })).body.data.name).toBe('Renamed')
  const copy = await scene.json('POST', 'cards', card)
  expect(copy.body.data, copy.text).toMatchObject({ name: card.name, components: card.components })
  expect(copy.body.data.id).not.toBe(card.id)
})

test('cards are listed by card_ids as by card_id, but not by both', async () => {
  const [one, two] = [
    await made({ name: 'One of two', components: [media(image), website()] }),
    await made({ name: 'Two of two', components: [media(image), website()] }),
  ]
  for (const name of ['card_id', 'card_ids'])
    expect((await scene.get('cards', { [name]: `${one.id},${two.id}` })).body.data).toHaveLength(2)
  expect((await scene.get('cards', { card_ids: two.id })).body.data).toMatchObject([{ id: two.id }])
  const both = await scene.get('cards', { card_id: one.id, card_ids: two.id })
  expect(both.body.errors[0]).toMatchObject({ code: 'EXCLUSIVE_PARAMETERS', parameter: 'card_ids' })
})

test('cards of any kind are fetched by their addresses, in that order, with the members of their kind', async () => {
  const poll = await scene.made('cards/poll', {
    name: 'P',
    first_choice: 'a',
    second_choice: 'b',
    duration_in_minutes: 5,
  })
  const site = await made({ components: [media(video), website('https://www.example.com/')] })
  const store = await made({ components: [media(image), app()] })
  const carousel = await made(slides(2))
  const uris = [store, poll, carousel, site, store].map((card) => card.card_uri)
  const { body } = await scene.get('cards/all', { card_uris: [...uris, 'card://1'].join() })
  expect(Object.keys(body)).toEqual(['request', 'data'])
  expect(body.data.map((card: { id: string }) => card.id)).toEqual([store.id, poll.id, carousel.id, site.id])
  const other = (await scene.call('POST', 'accounts')).body.data[0].id
  expect((await scene.call('GET', `accounts/${other}/cards/all`, { card_uris: uris.join() })).body.data).toEqual([])
  const [fetchedStore, fetchedPoll, fetchedCarousel, fetchedSite] = body.data
  expect(fetchedStore).toMatchObject({
    card_type: 'IMAGE_APP',
    app_cta: 'INSTALL',
    country_code: 'US',
    platform_a_app_id: 'com.example.app',
    wide_app_image: expect.stringMatching(/\.png$/),
    image_display_width: '800',
  })
  expect(fetchedPoll).toEqual(poll)
  const { slides: _, ...withoutSlides } = carousel
  expect(fetchedCarousel).toEqual(withoutSlides)
  expect(fetchedSite).toMatchObject({
    card_type: 'VIDEO_WEBSITE',
    title: 'Shop',
    website_url: 'https://www.example.com/',
    website_display_url: 'example.com',
    website_shortened_url: site.components[1].destination.tco_url,
    video_content_id: video,
    video_owner_id: scene.server.userId('alice'),
    video_width: '16',
    content_duration_seconds: '2',
  })
  expect((await scene.get(`cards/all/${poll.id}`)).body.data).toEqual(poll)
  expect((await scene.get(`cards/all/${site.id}`)).body.data).toEqual(fetchedSite)
  expect((await scene.get('cards/all/zz')).body.errors[0]).toMatchObject({ code: 'CARD_NOT_FOUND', value: 'zz' })
  expect((await scene.get('cards/all')).body.errors[0]).toMatchObject({
    code: 'MISSING_PARAMETER',
    parameter: 'card_uris',
  })
})
