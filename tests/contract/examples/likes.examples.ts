import type { Scene } from '../scene.ts'
import type { Examples } from './example.ts'
import { PRIVATE_METRICS } from './posts.examples.ts'

let written = 0

/** A post of bob. */
async function write(scene: Scene): Promise<string> {
  written += 1
  const made = await scene.server.post('/2/posts', { text: `Worth a like ${written}` }, { user: 'bob' })
  if (made.status !== 201) throw new Error(`The example post was refused: ${made.text}`)
  return made.body.data.id
}

/** A post of bob that alice likes. */
async function liked(scene: Scene): Promise<string> {
  const id = await write(scene)
  await scene.server.post(`/2/users/${scene.server.userId('alice')}/likes`, { post_id: id }, { user: 'alice' })
  return id
}

const alice = (scene: Scene) => scene.server.userId('alice')

export const examples: Examples = {
  likePost: async (scene) => [{ as: 'user', path: { id: alice(scene) }, body: { post_id: await write(scene) } }],
  unlikePost: async (scene) => [{ as: 'user', path: { id: alice(scene), post_id: await liked(scene) } }],
  getPostsLikingUsers: async (scene) => [
    { as: 'user', path: { id: await liked(scene) }, without: { 'post.fields': PRIVATE_METRICS } },
  ],
  getUsersLikedPosts: async (scene) => {
    await liked(scene)
    return [{ as: 'user', path: { id: alice(scene) }, without: { 'post.fields': PRIVATE_METRICS } }]
  },
}
