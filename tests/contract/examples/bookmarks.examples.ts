import { createBookmarkFolder, fileBookmark } from '../../../src/social/bookmarks/bookmark-folders.ts'
import type { Scene } from '../scene.ts'
import type { Examples } from './example.ts'
import { PRIVATE_METRICS } from './posts.examples.ts'

let written = 0

async function write(scene: Scene): Promise<string> {
  written += 1
  const made = await scene.server.post('/2/posts', { text: `Worth keeping ${written}` }, { user: 'bob' })
  if (made.status !== 201) throw new Error(`The example post was refused: ${made.text}`)
  return made.body.data.id
}

async function bookmarked(scene: Scene): Promise<string> {
  const id = await write(scene)
  const answer = await scene.server.post(`/2/users/${alice(scene)}/bookmarks`, { post_id: id }, scene.first.oauth2)
  if (answer.status !== 200) throw new Error(`The example bookmark was refused: ${answer.text}`)
  return id
}

const alice = (scene: Scene) => scene.server.userId('alice')

export const examples: Examples = {
  createUsersBookmark: async (scene) => [
    { as: 'oauth2', path: { id: alice(scene) }, body: { post_id: await write(scene) } },
  ],
  deleteUsersBookmark: async (scene) => [
    { as: 'oauth2', path: { id: alice(scene), post_id: await bookmarked(scene) } },
    { as: 'oauth2', path: { id: alice(scene), post_id: '1' } },
  ],
  getUsersBookmarks: async (scene) => {
    await bookmarked(scene)
    return [{ as: 'oauth2', path: { id: alice(scene) }, without: { 'post.fields': PRIVATE_METRICS } }]
  },
  createUsersBookmarkFolder: (scene) => [{ as: 'oauth2', path: { id: alice(scene) }, body: { name: 'Recipes' } }],
  getUsersBookmarkFolders: async (scene) => {
    await createBookmarkFolder(scene.server.runtime, alice(scene), 'Later')
    return [{ as: 'oauth2', path: { id: alice(scene) } }]
  },
  getUsersBookmarksByFolderId: async (scene) => {
    const folder = await createBookmarkFolder(scene.server.runtime, alice(scene), 'Soon')
    await fileBookmark(scene.server.runtime, alice(scene), await bookmarked(scene), folder.id)
    return [{ as: 'oauth2', path: { id: alice(scene), folder_id: folder.id } }]
  },
}
