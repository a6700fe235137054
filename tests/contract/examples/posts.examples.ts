import type { Cast, Scene } from '../scene.ts'
import type { Examples } from './example.ts'

/** What only the author sees: asked for by others it is an error. */
export const PRIVATE_METRICS = ['non_public_metrics', 'organic_metrics', 'promoted_metrics']

const LISBON = 'a1f0c2d4e5b60002'
let written = 0

async function write(scene: Scene, cast: Cast, body: Record<string, unknown>, user = 'alice'): Promise<string> {
  written += 1
  const made = await scene.server.post(
    '/2/posts',
    { ...body, text: `${body.text} ${written}` },
    user === 'alice' ? cast.user : { user },
  )
  if (made.status !== 201) throw new Error(`The example post was refused: ${made.text}`)
  return made.body.data.id
}

/** A post of alice that has as many members as posts can have. */
async function richPost(scene: Scene, cast: Cast): Promise<string> {
  await scene.server.command('user.update', { user: 'alice', geo_enabled: true })
  const first = await write(scene, cast, { text: 'A first word' })
  return write(scene, cast, {
    text: `@bob #contract $ACME https://example.com/contract ${'and a long tail of words '.repeat(14)}`,
    reply: { in_reply_to_post_id: first },
    geo: { place_id: LISBON },
    reply_settings: 'mentionedUsers',
    made_with_ai: true,
  })
}

const pollPost = (scene: Scene, cast: Cast) =>
  write(scene, cast, { text: 'Which?', poll: { options: ['One', 'Two'], duration_minutes: 60 } })

async function quotePost(scene: Scene, cast: Cast): Promise<string> {
  const quoted = await write(scene, cast, { text: 'Quote me' }, 'chika')
  return write(scene, cast, { text: 'Quoting', quote_post_id: quoted })
}

export const examples: Examples = {
  getPostsByIds: async (scene, cast) => {
    const own = [await richPost(scene, cast), await pollPost(scene, cast)].join()
    const quoting = await quotePost(scene, cast)
    const without = { 'post.fields': PRIVATE_METRICS }
    return [
      { as: 'user', query: { ids: own } },
      { as: 'app', query: { ids: `${own},${quoting}` }, without },
    ]
  },
  getPostsById: async (scene, cast) => [
    { as: 'user', path: { id: await richPost(scene, cast) } },
    { as: 'app', path: { id: await quotePost(scene, cast) }, without: { 'post.fields': PRIVATE_METRICS } },
  ],
  createPosts: async (scene, cast) => {
    const first = await write(scene, cast, { text: 'Answer me' })
    written += 1
    return [
      { as: 'user', body: { text: `An answer ${written}`, reply: { in_reply_to_post_id: first } } },
      { as: 'user', body: { text: `A quote ${written}`, quote_post_id: first } },
      { as: 'user', body: { text: `An edit ${written}`, edit_options: { previous_post_id: first } } },
    ]
  },
  deletePosts: async (scene, cast) => [{ as: 'user', path: { id: await write(scene, cast, { text: 'Short-lived' }) } }],
}
