import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type AdsScene, startAdsScene } from './ads-scene.ts'
import { cardMedia, libraryImage } from './library-media.ts'

let scene: AdsScene
beforeAll(async () => {
  scene = await startAdsScene()
})
afterAll(() => scene.close())
afterEach(() => scene.server.command('clock', { reset: true }))

type Values = NonNullable<Parameters<AdsScene['post']>[1]>

let texts = 0
const words = (more = '') => `Seen before ${++texts}${more}`
const made = (values: Values = {}) =>
  scene.made('post', { as_user_id: scene.server.userId('alice'), text: words(), ...values })
const website = async () => {
  const components = [
    { type: 'MEDIA', media_key: await cardMedia.square(scene) },
    { type: 'DETAILS', title: 'Shop', destination: { type: 'WEBSITE', url: 'https://example.com' } },
  ]
  return (await scene.json('POST', 'cards', { name: 'The <shop>', components })).body.data.card_uri as string
}

const addressIn = (preview: string) => /^<iframe src="([^"]+)" [^<>]*><\/iframe>$/.exec(preview)![1]!
const previews = async (values: Values) => (await scene.get('post_previews', values)).body.data

test('previews are frames of posts in the state that is asked for, in the order of the ids', async () => {
  const [first, second] = [(await made()).id_str, (await made()).id_str]
  const draft = (await scene.made('draft_posts', { text: 'A <b>draft</b>' })).id
  const post_ids = [second, draft, first, '1'].join(',')
  const found = await previews({ post_ids, tweet_type: 'PUBLISHED' })
  expect(found.map((item: { post_id: string }) => item.post_id)).toEqual([second, first])
  const [drafted] = await previews({ post_ids, tweet_type: 'DRAFT' })
  const page = await fetch(addressIn(drafted.preview))
  expect(await page.text()).toContain('A &lt;b&gt;draft&lt;/b&gt;')
  expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors \*/)
  expect(page.headers.get('x-frame-options')).not.toBe('SAMEORIGIN')
  expect(page.headers.get('content-type')).toMatch(/^text\/html/)
})

test('previews show words, links, pictures and the card, escaped, to those who have the link', async () => {
  const image = await libraryImage(scene, 80, 80)
  const text = words(' <script>alert("&")</script> https://example.com/"x')
  const pictured = (await made({ text, media_keys: image })).id_str
  const carded = (await made({ card_uri: await website() })).id_str
  const found = await previews({ post_ids: `${pictured},${carded}`, tweet_type: 'PUBLISHED' })
  const page = await (await fetch(addressIn(found[0].preview))).text()
  expect(page).toContain('&lt;script&gt;alert(&quot;&amp;&quot;)&lt;/script&gt;')
  expect(page).not.toContain('<script')
  expect(page).toMatch(/<a href="https:\/\/example\.com[^"]*"/)
  const source = /<img src="([^"]+)"/.exec(page)![1]!
  expect((await fetch(source)).status).toBe(200)
  expect(await (await fetch(addressIn(found[1].preview))).text()).toContain('The &lt;shop&gt;')
})

test('previews show title, description and button of a video where the post gives them, and not else', async () => {
  const media_keys = await cardMedia.video(scene)
  const said = {
    video_title: 'The <title>',
    video_description: 'What it is "about"',
    video_cta: 'VISIT_SITE',
    video_cta_value: 'https://example.com/?a=1&b=2',
  }
  const [full, silent] = [(await made({ media_keys, ...said })).id_str, (await made({ media_keys })).id_str]
  const found = await previews({ post_ids: `${full},${silent}`, tweet_type: 'PUBLISHED' })
  const [page, other] = await Promise.all(
    found.map(async (item: { preview: string }) => (await fetch(addressIn(item.preview))).text()),
  )
  expect(page).toContain('The &lt;title&gt;')
  expect(page).toContain('What it is &quot;about&quot;')
  expect(page).toMatch(/<a class="button" href="https:\/\/example\.com\/\?a=1&amp;b=2"[^>]*>Visit site<\/a>/)
  expect(other).toContain('<video')
  expect(other).not.toContain('class="said"')
})

test('previews end after a day, and a changed link does not work', async () => {
  const { id_str: id } = await made()
  const other = (await made()).id_str
  const [{ preview }] = await previews({ post_ids: id, tweet_type: 'PUBLISHED' })
  const address = addressIn(preview)
  for (const changed of [address.replace(id, other), address.replace('PUBLISHED', 'DRAFT'), `${address}x`])
    expect((await fetch(changed)).status).toBe(404)
  expect((await fetch(address)).status).toBe(200)
  await scene.server.command('clock', { advance_ms: 25 * 3_600_000 })
  expect((await fetch(address)).status).toBe(404)
})

test('the preview of a draft answers with a message that says where it is', async () => {
  const { id } = await scene.made('draft_posts', { text: 'Look at me' })
  const { status, body } = await scene.post(`draft_posts/preview/${id}`)
  expect([status, Object.keys(body)]).toEqual([200, ['request', 'message']])
  expect(body.request.params).toEqual({ account_id: scene.account, draft_post_id: id })
  const page = await fetch(/https?:\S+$/.exec(body.message)![0])
  expect(await page.text()).toContain('Look at me')
  const answer = await scene.post('draft_posts/preview/1')
  expect([answer.status, answer.body.errors[0].code]).toEqual([404, 'NOT_FOUND'])
})
