import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uploadSegments, uploadWhole } from '../social/uploading.ts'
import { makeGif, makeMp4, makePng } from '../support/make-media.ts'
import type { TestAnswer } from '../support/server.ts'
import { type AdsScene, ALICE, startAdsScene } from './ads-scene.ts'
import { cardMedia } from './library-media.ts'

let scene: AdsScene
let engagements: string
let alice: string
let bob: string
beforeAll(async () => {
  scene = await startAdsScene([], { environment: 'production' })
  await scene.post('features', { feature_keys: 'PREROLL_VIEWS_OBJECTIVE' })
  await scene.server.command('ads.account.set', { account: scene.account, promotable_user: 'bob' })
  await scene.server.command('ads.account.set', { account: scene.account, promotable_user: 'erin' })
  engagements = await scene.lineItem()
  alice = scene.server.userId('alice')
  bob = scene.server.userId('bob')
})
afterAll(() => scene.close())

const firstError = (answer: TestAnswer) => ({ status: answer.status, ...answer.body.errors[0] })

let written = 0
/** A new post. */
async function post(body: Record<string, unknown> = {}, user = 'alice'): Promise<string> {
  const answer = await scene.server.post('/2/posts', { text: `Words ${++written}`, ...body }, { user })
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`)
  return answer.body.data.id
}
const promote = (lineItem: string, ...ids: string[]) =>
  scene.post('promoted_posts', { line_item_id: lineItem, post_ids: ids.join(',') })
async function promoted(lineItem: string, ...ids: string[]) {
  const answer = await promote(lineItem, ...ids)
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
  return answer.body.data
}
const promotedIdsOf = async (lineItem: string, values = {}) =>
  (await scene.get('promoted_posts', { line_item_ids: lineItem, ...values })).body.data.map(
    (item: { id: string }) => item.id,
  )

const button = {
  type: 'BUTTON',
  label: { type: 'ENUM', value: 'INSTALL' },
  destination: { type: 'APP', country_code: 'US', platform_b_app_store_identifier: '333903271' },
}
const details = { type: 'DETAILS', title: 'Our site', destination: { type: 'WEBSITE', url: 'https://example.com' } }
/** A card of components: its last one leads to an app or to a site. */
async function componentCard(last: unknown): Promise<string> {
  const components = [{ type: 'MEDIA', media_key: await cardMedia.square(scene) }, last]
  const answer = await scene.json('POST', 'cards', { name: 'A card', components })
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
  return answer.body.data.card_uri
}
const appCard = () => componentCard(button)
const websiteCard = () => componentCard(details)
async function conversationCard(kind: 'image' | 'video'): Promise<string> {
  const media = await (kind === 'image' ? cardMedia.wide(scene) : cardMedia.video(scene))
  const words = { name: 'Talk', title: 'Well?', first_cta: '#Yes', first_cta_post: 'Yes', thank_you_text: 'Thanks' }
  return (await scene.made(`cards/${kind}_conversation`, { ...words, media_key: media })).card_uri
}
const withCard = async (uri: string, body = {}) => post({ card_uri: uri, ...body })
const accountNumber = (id: string): string => {
  let number = 0n
  for (const sign of id) number = number * 36n + BigInt(Number.parseInt(sign, 36))
  return number.toString()
}

describe('promoted posts', () => {
  test('are created for up to 50 posts at once, answered as a counted list, with the posts echoed as numbers', async () => {
    const [first, second] = [await post(), await post({ nullcast: true })]
    const answer = await promote(engagements, first, second)
    expect(answer.status).toBe(200)
    expect(answer.body.total_count).toBe(2)
    expect(answer.body.data).toEqual(
      [first, second].map((id) => ({
        id: expect.stringMatching(/^[0-9a-z]+$/),
        line_item_id: engagements,
        post_id: id,
        entity_status: 'ACTIVE',
        approval_status: 'ACCEPTED',
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
        deleted: false,
      })),
    )
    expect(answer.text).toContain(`"post_ids":[${first},${second}]`)
    expect(answer.body.request.params.line_item_id).toBe(engagements)
  })

  test('need one to 50 posts and a line item that is there', async () => {
    const id = await post()
    const tooMany = Array.from({ length: 51 }, (_, at) => String(1000 + at))
    expect(firstError(await promote(engagements, ...tooMany))).toMatchObject({
      status: 400,
      code: 'INVALID_PARAMETER',
      parameter: 'post_ids',
      details: 'must have 1 to 50 items',
    })
    expect(firstError(await scene.post('promoted_posts', { line_item_id: engagements }))).toMatchObject({
      status: 400,
      code: 'MISSING_PARAMETER',
      parameter: 'post_ids',
    })
    expect(firstError(await promote('zzz', id))).toMatchObject({
      status: 404,
      code: 'LINE_ITEM_NOT_FOUND',
      parameter: 'line_item_id',
      value: 'zzz',
    })
    const deleted = await scene.lineItem()
    await scene.delete(`line_items/${deleted}`)
    expect(firstError(await promote(deleted, id))).toMatchObject({ status: 404, code: 'LINE_ITEM_NOT_FOUND' })
  })

  test('are refused as a whole when one post is not there, and nothing is promoted', async () => {
    const lineItem = await scene.lineItem()
    const id = await post()
    expect(firstError(await promote(lineItem, id, '12345'))).toMatchObject({
      status: 404,
      code: 'POST_NOT_FOUND',
      parameter: 'post_ids',
      value: '12345',
    })
    expect(await promotedIdsOf(lineItem)).toEqual([])
  })

  test('must be posts of promotable users who are not protected', async () => {
    const ofStranger = await post({}, 'dario')
    const ofProtected = await post({}, 'erin')
    const answer = await promote(engagements, ofStranger, ofProtected)
    expect(firstError(answer)).toMatchObject({
      status: 400,
      code: 'INVALID_USER',
      details: 'the author is not a promotable user of the account',
      value: ofStranger,
    })
    expect(answer.body.errors[1]).toMatchObject({
      code: 'INVALID_USER',
      details: 'the author is protected or suspended',
      value: ofProtected,
    })
  })

  test('stay the same records when they are promoted again, and are new ones after a deletion', async () => {
    const lineItem = await scene.lineItem()
    const id = await post()
    const [first] = await promoted(lineItem, id, id)
    const [again] = await promoted(lineItem, id)
    expect(again).toEqual(first)
    await scene.delete(`promoted_posts/${first.id}`)
    const [second] = await promoted(lineItem, id)
    expect(second.id).not.toBe(first.id)
    expect(await promotedIdsOf(lineItem)).toEqual([second.id])
    expect(await promotedIdsOf(lineItem, { with_deleted: true })).toEqual([first.id, second.id])
  })

  test('are detached by a delete that answers once with deleted true, and then found only with_deleted', async () => {
    const [{ id }] = await promoted(engagements, await post())
    const deleted = await scene.delete(`promoted_posts/${id}`)
    expect(deleted.body.data).toMatchObject({ id, deleted: true, entity_status: 'ACTIVE' })
    expect(firstError(await scene.delete(`promoted_posts/${id}`))).toMatchObject({
      status: 404,
      code: 'PROMOTED_POST_NOT_FOUND',
    })
    expect((await scene.get(`promoted_posts/${id}`)).status).toBe(404)
    expect((await scene.get(`promoted_posts/${id}`, { with_deleted: true })).body.data.deleted).toBe(true)
  })

  test('of a deleted line item are shown only with_deleted, although they are not deleted themselves', async () => {
    const lineItem = await scene.lineItem()
    const [{ id }] = await promoted(lineItem, await post())
    await scene.delete(`line_items/${lineItem}`)
    expect(await promotedIdsOf(lineItem)).toEqual([])
    expect((await scene.get(`promoted_posts/${id}`)).status).toBe(404)
    const shown = await scene.get(`promoted_posts/${id}`, { with_deleted: true })
    expect(shown.body.data).toMatchObject({ id, deleted: false })
    expect(await promotedIdsOf(lineItem, { with_deleted: true })).toEqual([id])
  })

  test('are listed by line items and ids and sorted by paused too', async () => {
    const lineItem = await scene.lineItem()
    const made = await promoted(lineItem, await post(), await post())
    const [first, second] = made.map((item: { id: string }) => item.id)
    const list = async (values: Record<string, string>) =>
      (await scene.get('promoted_posts', values)).body.data.map((item: { id: string }) => item.id)
    expect(await list({ promoted_post_ids: second })).toEqual([second])
    expect(await list({ line_item_ids: lineItem, sort_by: 'paused-asc,created_at-desc' })).toEqual([second, first])
    expect(firstError(await scene.get('promoted_posts', { sort_by: 'post_id-asc' })).parameter).toBe('sort_by')
  })

  test('cannot be changed', async () => {
    const [{ id }] = await promoted(engagements, await post())
    expect((await scene.put(`promoted_posts/${id}`, { entity_status: 'PAUSED' })).status).toBe(405)
  })

  test('go into the history of the account', async () => {
    const [{ id }] = await promoted(engagements, await post())
    await scene.delete(`promoted_posts/${id}`)
    const { rows } = await scene.server.runtime.database.query<{ change_type: string }>({
      text: `select change_type from ads_history where entity = 'PROMOTED_POST' and entity_id = $1 order by id`,
      values: [accountNumber(id)],
    })
    expect(rows.map((row) => row.change_type)).toEqual(['CREATE', 'DELETE'])
  })

  test('are managed by users who may manage campaigns', async () => {
    await scene.server.command('ads.account.grant', {
      account: scene.account,
      user: 'chika',
      permissions: ['CREATIVE_MANAGER'],
    })
    const values = { line_item_id: engagements, post_ids: await post() }
    const refused = await scene.post('promoted_posts', values, { user: 'chika' })
    expect(firstError(refused)).toMatchObject({ status: 403, code: 'ACTION_NOT_ALLOWED' })
    expect((await scene.get('promoted_posts', {}, { user: 'chika' })).status).toBe(200)
  })
})

describe('what an objective asks of a post', () => {
  const objectiveError = async (objective: string, id: string, more = {}) => {
    const lineItem = await scene.lineItem({ objective, ...more })
    const answer = await promote(lineItem, id)
    return answer.status === 200 ? 'promoted' : `${firstError(answer).code} ${firstError(answer).details}`
  }

  test('VIDEO_VIEWS takes videos, GIFs and video conversation cards', async () => {
    const { server } = scene
    const video = await uploadSegments(server, makeMp4(), { category: 'post_video' })
    const gif = await uploadSegments(server, makeGif(), { type: 'image/gif', category: 'post_gif' })
    const image = await uploadWhole(server, makePng())
    const refused = 'INVALID_POST VIDEO_VIEWS needs a video, a GIF or a video conversation card'
    const showing = (id: string) => post({ media: { media_ids: [id] } })
    expect(await objectiveError('VIDEO_VIEWS', await showing(video.id))).toBe('promoted')
    expect(await objectiveError('VIDEO_VIEWS', await showing(gif.id))).toBe('promoted')
    expect(await objectiveError('VIDEO_VIEWS', await withCard(await conversationCard('video')))).toBe('promoted')
    expect(await objectiveError('VIDEO_VIEWS', await showing(image.id))).toBe(refused)
    expect(await objectiveError('VIDEO_VIEWS', await withCard(await conversationCard('image')))).toBe(refused)
  })

  test('the app objectives take posts with an app card', async () => {
    const app = { platform_b_app_store_identifier: '1' }
    for (const objective of ['APP_INSTALLS', 'APP_ENGAGEMENTS']) {
      expect(await objectiveError(objective, await post(), app)).toBe(`INVALID_POST ${objective} needs an app card`)
      expect(await objectiveError(objective, await withCard(await appCard()), app)).toBe('promoted')
      expect(await objectiveError(objective, await withCard(await websiteCard()), app)).toMatch('app card')
    }
  })

  test('WEBSITE_CLICKS takes a website card or a link, not both, and a link to media does not count', async () => {
    const image = await uploadWhole(scene.server, makePng())
    const link = () => ({ text: `Look ${++written} https://example.com/sale` })
    expect(await objectiveError('WEBSITE_CLICKS', await post(link()))).toBe('promoted')
    expect(await objectiveError('WEBSITE_CLICKS', await withCard(await websiteCard()))).toBe('promoted')
    expect(await objectiveError('WEBSITE_CLICKS', await withCard(await websiteCard(), link()))).toBe(
      'INVALID_POST WEBSITE_CLICKS takes a website card or a link, not both',
    )
    expect(await objectiveError('WEBSITE_CLICKS', await post({ media: { media_ids: [image.id] } }))).toBe(
      'INVALID_POST WEBSITE_CLICKS needs a website card or a link',
    )
  })

  test('REACH and ENGAGEMENTS take any post, and FOLLOWERS may show one', async () => {
    expect(await objectiveError('REACH', await post())).toBe('promoted')
    expect(await objectiveError('ENGAGEMENTS', await post())).toBe('promoted')
    const followers = { product_type: 'PROMOTED_ACCOUNT' }
    expect(await objectiveError('FOLLOWERS', await post(), followers)).toBe('promoted')
  })

  test('PREROLL_VIEWS takes no posts', async () => {
    const preroll = await scene.lineItem({ objective: 'PREROLL_VIEWS', product_type: 'MEDIA', categories: 'IAB18' })
    expect(firstError(await promote(preroll, await post()))).toMatchObject({
      status: 400,
      code: 'INCOMPATIBLE_LINE_ITEM',
      parameter: 'line_item_id',
    })
  })
})

describe('posts of users that may be reposted only', () => {
  test('are promoted by a hidden repost of the account, which is created once', async () => {
    const original = await post({ text: 'From bob' }, 'bob')
    const [made] = await promoted(engagements, original)
    expect(made.post_id).not.toBe(original)
    const repost = await scene.server.get(`/2/posts/${made.post_id}?post.fields=author_id,referenced_posts,text`, ALICE)
    expect(repost.body.data).toMatchObject({
      author_id: alice,
      text: 'RT @bob: From bob',
      referenced_posts: [{ type: 'reposted', id: original }],
    })
    const [elsewhere] = await promoted(await scene.lineItem(), original)
    expect(elsewhere.post_id).toBe(made.post_id)
    expect(elsewhere.id).not.toBe(made.id)
    expect((await promoted(engagements, original))[0]).toEqual(made)
    // The repost itself can be named too.
    expect((await promoted(engagements, made.post_id))[0]).toEqual(made)
  })

  test('do not show as reposted, and can still be reposted for all to see', async () => {
    const original = await post({}, 'bob')
    const [made] = await promoted(engagements, original)
    const { server } = scene
    const count = async () =>
      (await server.get(`/2/posts/${original}?post.fields=public_metrics`, ALICE)).body.data.public_metrics.repost_count
    const reposters = async () =>
      ((await server.get(`/2/posts/${original}/reposted_by`, ALICE)).body.data ?? []).map(
        (item: { id: string }) => item.id,
      )
    const timeline = async () =>
      ((await server.get(`/2/users/${alice}/posts?max_results=5`, ALICE)).body.data ?? []).map(
        (item: { id: string }) => item.id,
      )
    expect([await count(), await reposters()]).toEqual([0, []])
    expect(await timeline()).not.toContain(made.post_id)
    const organic = await server.post(`/2/users/${alice}/reposts`, { post_id: original }, ALICE)
    expect(organic.body.data.id).not.toBe(made.post_id)
    expect([await count(), await reposters()]).toEqual([1, [alice]])
    expect(await timeline()).toContain(organic.body.data.id)
    await server.delete(`/2/posts/${made.post_id}`, ALICE)
    expect(await count()).toBe(1)
  })

  test('must be posts for all to see, written by the user', async () => {
    expect(firstError(await promote(engagements, await post({ nullcast: true }, 'bob')))).toMatchObject({
      code: 'INVALID_POST',
      details: 'is a promoted-only post of a user whose posts may only be reposted',
    })
    const { body } = await scene.server.post(`/2/users/${bob}/reposts`, { post_id: await post() }, { user: 'bob' })
    expect(firstError(await promote(engagements, body.data.id))).toMatchObject({
      code: 'INVALID_POST',
      details: 'is a repost; send the id of the reposted post',
    })
  })

  test('are checked against the objective themselves', async () => {
    const plain = await post({}, 'bob')
    const linked = await post({ text: 'Go to https://bob.example.com' }, 'bob')
    const clicks = await scene.lineItem({ objective: 'WEBSITE_CLICKS' })
    expect(firstError(await promote(clicks, plain)).code).toBe('INVALID_POST')
    expect((await promote(clicks, linked)).status).toBe(200)
  })
})
