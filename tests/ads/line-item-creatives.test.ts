import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uploadSegments, uploadWhole } from '../social/uploading.ts'
import { makeMp4, makePng } from '../support/make-media.ts'
import type { TestAnswer } from '../support/server.ts'
import { type AdsScene, startAdsScene } from './ads-scene.ts'

const RETAIL = 'IAB18'

let scene: AdsScene
let engagements: string
let alice: string
let bob: string
beforeAll(async () => {
  scene = await startAdsScene()
  await scene.post('features', { feature_keys: 'PREROLL_VIEWS_OBJECTIVE,BRAND_TPN,DR_TAP' })
  await scene.server.command('ads.account.set', { account: scene.account, promotable_user: 'bob' })
  engagements = await scene.lineItem()
  alice = scene.server.userId('alice')
  bob = scene.server.userId('bob')
})
afterAll(() => scene.close())

const firstError = (answer: TestAnswer) => ({ status: answer.status, ...answer.body.errors[0] })

describe('promoted accounts', () => {
  let followers: string
  beforeAll(async () => {
    followers = await scene.lineItem({ objective: 'FOLLOWERS', product_type: 'PROMOTED_ACCOUNT' })
  })
  const promoteUser = (lineItem: string, user: string) =>
    scene.post('promoted_accounts', { line_item_id: lineItem, user_id: user })

  test('recommend the user of the account, once, with the user echoed as a number', async () => {
    const answer = await promoteUser(followers, alice)
    expect(answer.body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-z]+$/),
      line_item_id: followers,
      user_id: alice,
      entity_status: 'ACTIVE',
      approval_status: 'ACCEPTED',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      deleted: false,
    })
    expect(answer.text).toContain(`"user_id":${alice}`)
    await scene.server.command('clock', { advance_ms: 5000 })
    expect((await promoteUser(followers, alice)).body.data).toEqual(answer.body.data)
    const { id } = answer.body.data
    expect((await scene.get(`promoted_accounts/${id}`)).body.data.user_id).toBe(alice)
    expect((await scene.put(`promoted_accounts/${id}`)).status).toBe(405)
    const deleted = await scene.delete(`promoted_accounts/${id}`)
    expect(deleted.body.data.deleted).toBe(true)
    expect(deleted.body.data.updated_at > answer.body.data.updated_at).toBe(true)
    expect(firstError(await scene.delete(`promoted_accounts/${id}`))).toMatchObject({
      status: 404,
      code: 'PROMOTED_ACCOUNT_NOT_FOUND',
    })
    expect((await promoteUser(followers, alice)).body.data.id).not.toBe(id)
  })

  test('need a line item with the product type PROMOTED_ACCOUNT', async () => {
    expect(firstError(await promoteUser(engagements, alice))).toMatchObject({
      status: 400,
      code: 'INCOMPATIBLE_LINE_ITEM',
      parameter: 'line_item_id',
    })
    expect(firstError(await promoteUser('zzz', alice))).toMatchObject({ status: 404, code: 'LINE_ITEM_NOT_FOUND' })
  })

  test('cannot be users whose posts may only be reposted, users of other accounts, or unknown users', async () => {
    const before = (await scene.get('promoted_accounts', { with_total_count: true })).body.total_count
    for (const user of [bob, scene.server.userId('dario'), '12345'])
      expect(firstError(await promoteUser(followers, user))).toMatchObject({
        status: 400,
        code: 'INVALID_USER',
        parameter: 'user_id',
        value: user,
      })
    expect((await scene.get('promoted_accounts', { with_total_count: true })).body.total_count).toBe(before)
  })

  test('are listed for line items of which at least one is set up for them', async () => {
    const other = await scene.lineItem({ objective: 'FOLLOWERS', product_type: 'PROMOTED_ACCOUNT' })
    const { id } = (await promoteUser(other, alice)).body.data
    const listed = await scene.get('promoted_accounts', { line_item_ids: `${other},${engagements}` })
    expect(listed.body.data.map((item: { id: string }) => item.id)).toEqual([id])
    expect((await scene.get('promoted_accounts', { promoted_account_ids: id })).body.data).toHaveLength(1)
    expect(firstError(await scene.get('promoted_accounts', { line_item_ids: engagements }))).toMatchObject({
      status: 400,
      code: 'INCOMPATIBLE_LINE_ITEM',
      parameter: 'line_item_ids',
    })
  })
})

describe('tracking tags', () => {
  const tag = (values = {}) =>
    scene.post('tracking_tags', {
      line_item_id: engagements,
      tracking_tag_type: 'IMPRESSION_TAG',
      tracking_tag_url: 'https://partner.example/imp;id=1',
      ...values,
    })

  test('add the address of a partner to a line item; only the address can change', async () => {
    const { data } = (await tag({ tracking_tag_type: 'CLICK_TRACKER' })).body
    expect(data).toEqual({
      id: expect.stringMatching(/^[0-9a-z]+$/),
      line_item_id: engagements,
      tracking_tag_type: 'CLICK_TRACKER',
      tracking_tag_url: 'https://partner.example/imp;id=1',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      deleted: false,
    })
    const changed = await scene.put(`tracking_tags/${data.id}`, { tracking_tag_url: 'https://partner.example/2' })
    expect(changed.body.data.tracking_tag_url).toBe('https://partner.example/2')
    expect(firstError(await scene.put(`tracking_tags/${data.id}`))).toMatchObject({
      status: 400,
      code: 'MISSING_PARAMETER',
      parameter: 'tracking_tag_url',
    })
    const type = await scene.put(`tracking_tags/${data.id}`, {
      tracking_tag_url: 'https://partner.example/3',
      line_item_id: 'a1',
    })
    expect(firstError(type)).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'line_item_id' })
    expect((await scene.get('tracking_tags', { tracking_tag_ids: data.id })).body.data).toHaveLength(1)
    expect((await scene.delete(`tracking_tags/${data.id}`)).body.data.deleted).toBe(true)
    expect((await scene.get(`tracking_tags/${data.id}`)).status).toBe(404)
    expect((await scene.get(`tracking_tags/${data.id}`, { with_deleted: true })).status).toBe(200)
    const gone = await scene.put(`tracking_tags/${data.id}`, { tracking_tag_url: 'https://partner.example/4' })
    expect(firstError(gone)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })

  test.each([
    ['tracking_tag_type', 'PIXEL', 'INVALID_PARAMETER'],
    ['tracking_tag_url', 'partner.example/imp', 'INVALID_PARAMETER'],
    ['tracking_tag_url', 'javascript:alert(1)', 'INVALID_PARAMETER'],
    ['tracking_tag_url', 'https://', 'INVALID_PARAMETER'],
    ['line_item_id', 'zzz', 'LINE_ITEM_NOT_FOUND'],
  ])('are refused with a wrong %s such as %s', async (parameter, value, code) => {
    expect(firstError(await tag({ [parameter]: value }))).toMatchObject({ code, parameter })
  })

  test('are listed by line items', async () => {
    const lineItem = await scene.lineItem()
    await tag({ line_item_id: lineItem })
    const listed = (await scene.get('tracking_tags', { line_item_ids: lineItem })).body.data
    expect(listed.map((item: { line_item_id: string }) => item.line_item_id)).toEqual([lineItem])
  })
})

describe('media creatives and calls to action', () => {
  let preroll: string
  let network: string
  let video: string
  let banner: string
  beforeAll(async () => {
    preroll = await scene.lineItem({ objective: 'PREROLL_VIEWS', product_type: 'MEDIA', categories: RETAIL })
    const placed = { placements: 'PUBLISHER_NETWORK', categories: RETAIL, advertiser_domain: 'example.com' }
    network = await scene.lineItem({ ...placed, objective: 'WEBSITE_CLICKS' })
    const { server } = scene
    const film = await uploadSegments(server, makeMp4(), { category: 'amplify_video' })
    const picture = await uploadWhole(server, makePng(320, 50))
    for (const key of [film.media_key, picture.media_key]) await scene.made('media_library', { media_key: key })
    const idOf = async (type: string) => (await scene.get('account_media', { creative_types: type })).body.data[0].id
    video = await idOf('PREROLL')
    banner = await idOf('BANNER')
  })
  const create = (lineItem: string, media: string, values = {}) =>
    scene.post('media_creatives', { line_item_id: lineItem, account_media_id: media, ...values })

  test('show a pre-roll video, whose landing page is not kept', async () => {
    const { data } = (await create(preroll, video, { landing_url: 'https://example.com' })).body
    expect(data).toEqual({
      id: expect.stringMatching(/^[0-9a-z]+$/),
      line_item_id: preroll,
      account_media_id: video,
      creative_type: 'PREROLL',
      landing_url: null,
      entity_status: 'ACTIVE',
      approval_status: 'ACCEPTED',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      deleted: false,
    })
    expect((await scene.put(`media_creatives/${data.id}`)).status).toBe(405)
    expect((await scene.delete(`media_creatives/${data.id}`)).body.data.deleted).toBe(true)
    expect(firstError(await scene.get(`media_creatives/${data.id}`))).toMatchObject({
      status: 404,
      code: 'MEDIA_CREATIVE_NOT_FOUND',
    })
  })

  test('show a picture on the publisher network, which for WEBSITE_CLICKS needs a landing page', async () => {
    expect(firstError(await create(network, banner))).toMatchObject({
      status: 400,
      code: 'MISSING_PARAMETER',
      parameter: 'landing_url',
    })
    const { data } = (await create(network, banner, { landing_url: 'https://example.com/sale' })).body
    expect(data).toMatchObject({ creative_type: 'BANNER', landing_url: 'https://example.com/sale' })
    const wrong = await create(network, banner, { landing_url: 'example.com' })
    expect(firstError(wrong)).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'landing_url' })
  })

  test('need an existing line item and account media that fit each other', async () => {
    const posts = await scene.lineItem()
    for (const [lineItem, media] of [
      [network, video],
      [preroll, banner],
      [posts, banner],
      [posts, video],
    ] as const)
      expect(firstError(await create(lineItem, media, { landing_url: 'https://example.com' }))).toMatchObject({
        status: 400,
        code: 'INCOMPATIBLE_LINE_ITEM',
        parameter: 'line_item_id',
      })
    expect(firstError(await create(preroll, 'zzz'))).toMatchObject({ status: 404, code: 'ACCOUNT_MEDIA_NOT_FOUND' })
    expect(firstError(await create('zzz', video))).toMatchObject({ status: 404, code: 'LINE_ITEM_NOT_FOUND' })
  })

  test('are listed by campaign, line items and ids', async () => {
    const campaign = await scene.campaign()
    const lineItem = await scene.lineItem({
      campaign_id: campaign,
      objective: 'PREROLL_VIEWS',
      product_type: 'MEDIA',
      categories: RETAIL,
    })
    const { id } = (await create(lineItem, video)).body.data
    const listed = async (values: Record<string, string>) =>
      (await scene.get('media_creatives', values)).body.data.map((item: { id: string }) => item.id)
    expect(await listed({ campaign_id: campaign })).toEqual([id])
    expect(await listed({ line_item_ids: lineItem })).toEqual([id])
    expect(await listed({ media_creative_ids: id })).toEqual([id])
    expect(firstError(await scene.get('media_creatives', { campaign_id: `${campaign},${campaign}` })).parameter).toBe(
      'campaign_id',
    )
  })

  const act = (values = {}) =>
    scene.post('preroll_call_to_actions', {
      line_item_id: preroll,
      call_to_action: 'VISIT_SITE',
      call_to_action_url: 'https://example.com',
      ...values,
    })

  test('a call to action is a button and its address, of which both can change and neither be cleared', async () => {
    const { data } = (await act()).body
    expect(data).toEqual({
      id: expect.stringMatching(/^[0-9a-z]+$/),
      line_item_id: preroll,
      call_to_action: 'VISIT_SITE',
      call_to_action_url: 'https://example.com',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      deleted: false,
    })
    const path = `preroll_call_to_actions/${data.id}`
    expect((await scene.put(path, { call_to_action: 'SHOP' })).body.data).toMatchObject({
      call_to_action: 'SHOP',
      call_to_action_url: 'https://example.com',
    })
    expect(firstError(await scene.put(path, { call_to_action_url: '' })).parameter).toBe('call_to_action_url')
    expect(firstError(await scene.put(path, { line_item_id: network })).parameter).toBe('line_item_id')
    const listed = await scene.get('preroll_call_to_actions', { preroll_call_to_action_ids: data.id })
    expect(listed.body.data).toHaveLength(1)
    expect((await scene.get('preroll_call_to_actions', { line_item_ids: network })).body.data).toEqual([])
    expect((await scene.delete(path)).body.data.deleted).toBe(true)
    expect(firstError(await scene.get(path))).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    expect((await scene.get(path, { with_deleted: true })).body.data.deleted).toBe(true)
  })

  test.each([
    ['call_to_action', 'BUY', 'INVALID_PARAMETER'],
    ['call_to_action_url', 'ftp://example.com', 'INVALID_PARAMETER'],
    ['line_item_id', 'zzz', 'LINE_ITEM_NOT_FOUND'],
  ])('a call to action is refused with a wrong %s', async (parameter, value, code) => {
    expect(firstError(await act({ [parameter]: value }))).toMatchObject({ code, parameter })
  })

  test('a call to action is only for line items with the objective PREROLL_VIEWS', async () => {
    expect(firstError(await act({ line_item_id: network }))).toMatchObject({
      status: 400,
      code: 'INVALID_PARAMETER',
      parameter: 'line_item_id',
    })
  })
})
