import { makePost, rows } from '../social/acting.ts'
import { makeMp4, makePng } from '../support/make-media.ts'
import type { TestServer } from '../support/server.ts'

/** Something of every kind that public pages show. */
export interface PublicScene {
  post: string
  sensitive: string
  video: string
  poll: string
  quote: string
  noted: string
  inCommunity: string
  article: string
  list: string
  community: string
  space: string
  news: string
}

async function upload(server: TestServer, bytes: Buffer, category: string, alt?: string): Promise<string> {
  const made = await server.post(
    '/2/media/upload',
    { media: bytes.toString('base64'), media_category: category },
    { user: 'alice' },
  )
  if (made.status !== 200) throw new Error(made.text)
  const { id } = made.body.data
  if (alt !== undefined) {
    const told = await server.post(
      '/2/media/metadata',
      { id, metadata: { alt_text: { text: alt } } },
      { user: 'alice' },
    )
    if (told.status !== 200) throw new Error(told.text)
  }
  return id
}

/** Makes one of each, with texts that end in the given one. */
export async function makePublicScene(server: TestServer, words = ''): Promise<PublicScene> {
  const say = (text: string, most = 250) => `${words} ${text}`.trim().slice(0, most)
  await server.command('user.update', {
    user: 'alice',
    subscription_type: 'Premium',
    description: say('Grows tomatoes', 160),
    location: say('Lisbon', 30),
  })
  const picture = await upload(server, makePng(640, 400), 'post_image', say('A red tomato', 200))
  const second = await upload(server, makePng(300, 500), 'post_image', say('A green one', 200))
  const post = await makePost(server, 'alice', {
    text: say('The first #tomato of $ROST is ripe, says @bob: https://example.com/tomatoes?kind=red'),
    media: { media_ids: [picture, second] },
  })
  const reply = await makePost(server, 'bob', { text: say('Looks good'), reply: { in_reply_to_post_id: post } })
  await makePost(server, 'alice', { text: say('Thank you'), reply: { in_reply_to_post_id: reply } })
  const sensitive = await makePost(server, 'alice', {
    text: say('A rotten one'),
    media: { media_ids: [await upload(server, makePng(400, 300), 'post_image', 'Mould')] },
  })
  await server.command('post.sensitive', { post: sensitive })
  const film = await upload(server, makeMp4(), 'post_video').catch(() => undefined)
  const video = film ? await makePost(server, 'alice', { text: say('It grows'), media: { media_ids: [film] } }) : post
  const poll = await makePost(server, 'alice', {
    text: say('Red or green?'),
    poll: { options: [say('Red', 25), 'Green'], duration_minutes: 60 },
  })
  const quote = await makePost(server, 'bob', { text: say('Everybody, look'), quote_post_id: post })
  await server.post(`/2/users/${server.userId('bob')}/likes`, { post_id: post }, { user: 'bob' })
  await server.post(`/2/users/${server.userId('bob')}/reposts`, { post_id: post }, { user: 'bob' })
  const noted = await makePost(server, 'bob', { text: say('Tomatoes are blue') })
  await server.command('notes.enrol', { user: 'alice' })
  const note = await server.post(
    '/2/notes',
    {
      test_mode: true,
      post_id: noted,
      info: {
        text: say('Most tomatoes are red: https://example.com/colours'),
        classification: 'misinformed_or_potentially_misleading',
        misleading_tags: ['factual_error'],
        trustworthy_sources: true,
      },
    },
    { user: 'alice' },
  )
  if (note.status !== 200) throw new Error(note.text)
  // Raters of different views would have to agree first.
  await rows(server, `update community_note set status = 'currently_rated_helpful' where id = $1`, [note.body.data.id])
  const community = (
    await server.command('communities.create', {
      user: 'alice',
      name: say('Gardens', 30),
      description: say('All about gardens', 160),
    })
  ).id
  const inCommunity = await makePost(server, 'alice', { text: say('Among gardeners'), community_id: community })
  const list = (
    await server.post(
      '/2/lists',
      { name: say('Gardeners', 25), description: say('They grow things', 100) },
      { user: 'alice' },
    )
  ).body.data.id
  await server.post(`/2/lists/${list}/members`, { user_id: server.userId('bob') }, { user: 'alice' })
  const space = (
    await server.command('spaces.create', {
      user: 'alice',
      title: say('Questions about tomatoes', 200),
      hosts: ['bob'],
    })
  ).id
  await server.command('spaces.share', { space, user: 'alice', post })
  const news = (
    await server.command('trigger', {
      event_type: 'news.new',
      text: say('NASA showed a comet above the Grand Canyon', 200),
    })
  ).news_id
  return {
    post,
    sensitive,
    video,
    poll,
    quote,
    noted,
    inCommunity,
    article: await publishArticle(server, say, post),
    list,
    community,
    space,
    news,
  }
}

async function publishArticle(
  server: TestServer,
  say: (text: string, most?: number) => string,
  post: string,
): Promise<string> {
  const cover = await upload(server, makePng(900, 400), 'post_image', say('A garden', 200))
  const text = say('A tomato needs sun, water and patience.')
  const draft = await server.post(
    '/2/articles/draft',
    {
      title: say('How tomatoes grow', 150),
      cover_media: { media_id: cover, media_category: 'post_image' },
      content_state: {
        blocks: [
          { type: 'header-one', text: say('What they need') },
          {
            type: 'unstyled',
            text,
            inline_style_ranges: [
              { offset: 0, length: text.length, style: 'bold' },
              { offset: 2, length: 3, style: 'italic' },
            ],
          },
          { type: 'unordered-list-item', text: say('Sun') },
          { type: 'unordered-list-item', text: say('Water') },
          { type: 'blockquote', text: say('Patience is a plant') },
          { type: 'atomic', text: ' ', entity_ranges: [{ key: 0, offset: 0, length: 1 }] },
          { type: 'atomic', text: ' ', entity_ranges: [{ key: 1, offset: 0, length: 1 }] },
          { type: 'unstyled', text: 'More here', entity_ranges: [{ key: 2, offset: 5, length: 4 }] },
        ],
        entities: [
          {
            key: '0',
            value: {
              type: 'image',
              mutability: 'immutable',
              data: { caption: say('The garden'), media_items: [{ media_id: cover, media_category: 'post_image' }] },
            },
          },
          { key: '1', value: { type: 'post', mutability: 'immutable', data: { post_id: post } } },
          {
            key: '2',
            value: { type: 'link', mutability: 'mutable', data: { url: 'https://example.com/"onclick="x' } },
          },
        ],
      },
    },
    { user: 'alice' },
  )
  if (draft.status !== 201) throw new Error(draft.text)
  const { id } = draft.body.data
  const published = await server.post(`/2/articles/${id}/publish`, {}, { user: 'alice' })
  if (published.status !== 200) throw new Error(published.text)
  return id
}

/** The public pages of a scene, by name. */
export const publicPaths = (scene: PublicScene): Record<string, string> => ({
  front: '/',
  profile: '/alice',
  replies: '/alice/with_replies',
  media: '/alice/media',
  followers: '/alice/followers',
  following: '/alice/following',
  post: `/alice/status/${scene.post}`,
  sensitive: `/alice/status/${scene.sensitive}`,
  video: `/alice/status/${scene.video}`,
  poll: `/alice/status/${scene.poll}`,
  quote: `/bob/status/${scene.quote}`,
  noted: `/bob/status/${scene.noted}`,
  'in-community': `/alice/status/${scene.inCommunity}`,
  reposts: `/alice/status/${scene.post}/reposts`,
  quotes: `/alice/status/${scene.post}/quotes`,
  history: `/alice/status/${scene.post}/history`,
  list: `/alice/lists/${scene.list}`,
  members: `/i/lists/${scene.list}/members`,
  community: `/i/communities/${scene.community}`,
  space: `/i/spaces/${scene.space}`,
  article: `/i/articles/${scene.article}`,
  news: `/i/news/${scene.news}`,
  search: '/search?q=tomato',
  people: '/search?q=bob&f=people',
  help: '/search',
  trends: '/i/trends',
  'not-found': '/nobody_here',
})
