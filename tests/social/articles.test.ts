import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tidy } from '../../src/world/housekeeping.ts'
import { makePng } from '../support/make-media.ts'
import { type As, startTestServer, type TestServer } from '../support/server.ts'
import { makePost, readPost, rows } from './acting.ts'
import { uploadWhole } from './uploading.ts'

let server: TestServer
let posted: string
beforeAll(async () => {
  server = await startTestServer()
  posted = await makePost(server, 'bob', { text: 'quoted in an article' })
})
afterAll(() => server.close())

const uploadPicture = (user: string) => uploadWhole(server, makePng(), 'post_image', user)
const alice: As = { user: 'alice' }
const link = (url: string) => ({ key: '0', value: { type: 'link', mutability: 'mutable', data: { url } } })
const linked = [{ type: 'unstyled', text: 'See here', entity_ranges: [{ key: 0, offset: 4, length: 4 }] }]
const simple = (text: string, title = 'A title') => ({
  title,
  content_state: { blocks: [{ type: 'unstyled', text }], entities: [] },
})

const draft = (body: object, as: As = alice) => server.post('/2/articles/draft', body, as)
async function drafted(body: object): Promise<string> {
  const made = await draft(body)
  if (made.status !== 201) throw new Error(`draft refused: ${made.text}`)
  return made.body.data.id
}
const publish = (id: string, as: As = alice) => server.post(`/2/articles/${id}/publish`, undefined, as)

describe('an article', () => {
  test('is drafted and published as a post that shows it', async () => {
    const blocks = [
      { type: 'header-one', text: 'First' },
      ...linked,
      {
        type: 'unstyled',
        text: 'by @bob about $CASH and #tags',
        inline_style_ranges: [{ offset: 0, length: 2, style: 'bold' }],
        data: { mentions: [{ from_index: 3, to_index: 7, text: 'bob' }] },
      },
    ]
    const made = await draft({
      title: 'Three blocks',
      content_state: { blocks, entities: [link('https://example.com')] },
    })
    expect(made.status).toBe(201)
    const { id } = made.body.data
    expect(made.body).toEqual({ data: { id: expect.stringMatching(/^\d{1,19}$/), title: 'Three blocks' } })
    const published = await publish(id)
    expect(published.status).toBe(200)
    const post = await readPost(server, published.body.data.post_id, 'article,author_id')
    expect(post.author_id).toBe(server.userId('alice'))
    expect(post.article).toEqual({
      id,
      title: 'Three blocks',
      plain_text: 'First\nSee here\nby @bob about $CASH and #tags',
      preview_text: 'First\nSee here\nby @bob about $CASH and #tags',
    })
    const page = await fetch(post.text)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('<h1 dir="auto">Three blocks</h1>')
  })

  test('has its pictures in the post, by expansion', async () => {
    const [cover, inside] = [await uploadPicture('alice'), await uploadPicture('alice')]
    const id = await drafted({
      title: 'Pictures',
      cover_media: { media_id: cover.id, media_category: 'post_image' },
      content_state: {
        blocks: [{ type: 'atomic', text: ' ', entity_ranges: [{ key: 0, offset: 0, length: 1 }] }],
        entities: [
          {
            key: '0',
            value: {
              type: 'image',
              mutability: 'immutable',
              data: { media_items: [{ media_id: inside.id, media_category: 'tweet_image' }], caption: 'A view' },
            },
          },
        ],
      },
    })
    expect((await server.get(`/2/media/${cover.media_key}`)).body.data).toBeUndefined()
    await server.command('clock', { advance_ms: 3 * 24 * 3600_000 })
    await tidy(server.runtime)
    const { post_id } = (await publish(id)).body.data
    await server.command('clock', { reset: true })
    const read = await server.get(
      `/2/posts/${post_id}?expansions=article.cover_media,article.media_entities&post.fields=article`,
    )
    expect(read.body.data.article.media_key).toBe(cover.media_key)
    expect(read.body.includes.media.map((item: { media_key: string }) => item.media_key)).toEqual([
      cover.media_key,
      inside.media_key,
    ])
  })

  test('is published once, also by many requests at the same time', async () => {
    const id = await drafted(simple('once'))
    const answers = await Promise.all(Array.from({ length: 5 }, () => publish(id)))
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 403, 403, 403, 403])
    const again = await publish(id)
    expect(again.status).toBe(403)
    expect(again.body.detail).toBe('This article has been published already.')
    expect(await rows(server, 'select 1 from article where id = $1 and post_id is not null', [id])).toHaveLength(1)
  })

  test.each(['1', '9999999999999999999'])('with the unknown id %s is not found', async (id) => {
    expect((await publish(id)).status).toBe(404)
  })

  test('of another user is not found, and stays a draft', async () => {
    const id = await drafted(simple('mine'))
    const refused = await publish(id, { user: 'bob' })
    expect(refused.status).toBe(404)
    expect(refused.body.detail).toBe(`Could not find article with article_id: [${id}].`)
    expect(await rows(server, 'select post_id from article where id = $1', [id])).toEqual([{ post_id: null }])
    expect((await publish(id)).status).toBe(200)
  })

  test('goes with its post, and is not shown to those who may not see the post', async () => {
    const id = await drafted(simple('for a while'))
    const { post_id } = (await publish(id)).body.data
    const page = `${server.baseUrl}/i/articles/${id}`
    expect((await fetch(page)).status).toBe(200)
    await server.command('user.update', { user: 'alice', protected: true })
    expect((await fetch(page)).status).toBe(403)
    expect((await server.get(`/2/posts/${post_id}?post.fields=article`)).body.data).toBeUndefined()
    await server.command('user.update', { user: 'alice', protected: false })
    expect((await server.delete(`/2/posts/${post_id}`, alice)).status).toBe(200)
    expect((await fetch(page)).status).toBe(404)
    expect((await publish(id)).status).toBe(404)
  })

  test('cannot be drafted by an app without a user', async () => {
    expect((await draft(simple('app'), 'app')).status).toBe(403)
  })
})

describe('a draft is refused', () => {
  const content = (blocks: object[], entities: object[] = []) => ({ title: 'T', content_state: { blocks, entities } })
  test.each([
    ['without a title', { title: '', content_state: { blocks: [], entities: [] } }, '$.title'],
    ['with a title of 151 characters', simple('x', 't'.repeat(151)), '$.title'],
    ['with an unknown type of block', content([{ type: 'table', text: '' }]), '$.content_state.blocks[0].type'],
    ['with an unknown member', { ...simple('x'), author: 'me' }, '$.author'],
    ['with 1,001 blocks', content(Array(1001).fill({ type: 'unstyled', text: '' })), '$.content_state.blocks'],
    [
      'with a style outside of its text',
      content([{ type: 'unstyled', text: 'ab', inline_style_ranges: [{ offset: 1, length: 2, style: 'bold' }] }]),
      '$.content_state.blocks[0].inline_style_ranges[0]',
    ],
    [
      'with an empty range',
      content([{ type: 'unstyled', text: 'ab', data: { urls: [{ from_index: 1, to_index: 1, text: 'x' }] } }]),
      '$.content_state.blocks[0].data.urls[0]',
    ],
    ['with a range of an unknown entity', content(linked), '$.content_state.blocks[0].entity_ranges[0].key'],
    [
      'with two entities of one key',
      content(linked, [link('https://a.example'), link('https://b.example')]),
      '$.content_state.entities',
    ],
    [
      'with a link that is not an address',
      content(linked, [link('javascript:alert(1)')]),
      '$.content_state.entities[0].value.data.url',
    ],
    [
      'with an image without media',
      content([], [{ key: '0', value: { type: 'image', mutability: 'mutable', data: {} } }]),
      '$.content_state.entities[0].value.data.media_items',
    ],
    [
      'with an atomic block without an entity',
      content([{ type: 'atomic', text: ' ' }]),
      '$.content_state.blocks[0].entity_ranges',
    ],
    [
      'with too much text',
      content(Array(5).fill({ type: 'unstyled', text: 'x'.repeat(24_000) })),
      '$.content_state.blocks',
    ],
  ])('%s', async (_name, body, where) => {
    const refused = await draft(body)
    expect(refused.status, refused.text).toBe(400)
    expect(Object.keys(refused.body.errors[0].parameters)).toEqual([where])
  })

  test('with a post that does not exist, and accepted with one that does', async () => {
    const entity = (post_id: string) => ({
      key: '0',
      value: { type: 'post', mutability: 'immutable', data: { post_id } },
    })
    const blocks = [{ type: 'atomic', text: ' ', entity_ranges: [{ key: 0, offset: 0, length: 1 }] }]
    expect((await draft(content(blocks, [entity('1')]))).status).toBeGreaterThanOrEqual(400)
    expect((await draft(content(blocks, [entity(posted)]))).status).toBe(201)
  })

  test('with media of another user, unknown media, or another category', async () => {
    const { id } = await uploadPicture('bob')
    const own = await uploadPicture('alice')
    for (const cover_media of [
      { media_id: id, media_category: 'post_image' },
      { media_id: '1', media_category: 'post_image' },
      { media_id: 'x', media_category: 'post_image' },
      { media_id: own.id, media_category: 'post_video' },
    ])
      expect((await draft({ ...simple('x'), cover_media })).status).toBe(400)
    expect(await rows(server, 'select 1 from media where id = any($1) and kept', [[id, own.id]])).toEqual([])
  })
})
