import type { Cast, Scene } from '../scene.ts'
import type { Examples } from './example.ts'
import { PRIVATE_METRICS } from './posts.examples.ts'

const without = { 'post.fields': PRIVATE_METRICS }
let written = 0

async function write(scene: Scene, user: string, body: Record<string, unknown> = {}): Promise<string> {
  written += 1
  const made = await scene.server.post('/2/posts', { text: `Worth a repost ${written}`, ...body }, { user })
  if (made.status !== 201) throw new Error(`The example post was refused: ${made.text}`)
  return made.body.data.id
}

/** A post of the first user that the second reposted. */
async function reposted(scene: Scene, author = 'chika', by = 'bob'): Promise<string> {
  const id = await write(scene, author)
  const answer = await scene.server.post(`/2/users/${scene.server.userId(by)}/reposts`, { post_id: id }, { user: by })
  if (answer.status !== 200) throw new Error(`The example repost was refused: ${answer.text}`)
  return id
}

const both = (id: string) => [
  { as: 'user' as const, path: { id }, without },
  { as: 'app' as const, path: { id }, without },
]
const alice = (scene: Scene) => scene.server.userId('alice')

export const examples: Examples = {
  repostPost: async (scene) => [
    { as: 'user', path: { id: alice(scene) }, body: { post_id: await write(scene, 'chika') } },
    { as: 'oauth2', path: { id: alice(scene) }, body: { post_id: await write(scene, 'alice') } },
  ],
  unrepostPost: async (scene) => [
    { as: 'user', path: { id: alice(scene), source_post_id: await reposted(scene, 'bob', 'alice') } },
    { as: 'user', path: { id: alice(scene), source_post_id: '1' } },
  ],
  getPostsRepostedBy: async (scene) => both(await reposted(scene)),
  getPostsReposts: async (scene) => both(await reposted(scene)),
  getUsersRepostsOfMe: async (scene) => {
    await reposted(scene, 'alice')
    return [{ as: 'user' }]
  },
  getPostsQuotedPosts: async (scene) => {
    const id = await write(scene, 'chika')
    await write(scene, 'bob', { text: `Quoting ${id}`, quote_post_id: id })
    return both(id)
  },
  hidePostsReply: async (scene, cast: Cast) => {
    const root = await scene.server.post('/2/posts', { text: `Answer this ${++written}` }, cast.user)
    const reply = await write(scene, 'bob', { reply: { in_reply_to_post_id: root.body.data.id } })
    return [true, false].map((hidden) => ({ as: 'user' as const, path: { post_id: reply }, body: { hidden } }))
  },
}
