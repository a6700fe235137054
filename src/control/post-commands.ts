import { closed, Type } from '../api-kit/declaring/schema.ts'
import { createBookmarkFolder, fileBookmark } from '../social/bookmarks/bookmark-folders.ts'
import { pinPost } from '../social/users/pin-post.ts'
import { defineCommand, findUser, Who } from './command.ts'

// What users do on the platform's own pages and the interface has no call for.

const Id = Type.String({ pattern: '^[0-9]{1,18}$|^[0-9]{19}$' })

/** Pins an own post to a profile; without a post the profile has none. */
export const userPin = defineCommand(
  'user.pin',
  closed({ user: Who, post: Type.Optional(Id) }),
  async (runtime, args) => {
    const user = await findUser(runtime, args.user, 'user')
    await pinPost(runtime, user.id, args.post ?? null)
    return { user: user.username, pinned_post_id: args.post ?? null }
  },
)

export const bookmarkFolderCreate = defineCommand(
  'bookmark.folder',
  closed({ user: Who, name: Type.String({ minLength: 1, maxLength: 100 }) }),
  async (runtime, args) => {
    const user = await findUser(runtime, args.user, 'user')
    return { ...(await createBookmarkFolder(runtime, user.id, args.name)), user: user.username }
  },
)

/** Puts a bookmark into a folder; without a folder it is taken out. */
export const bookmarkFile = defineCommand(
  'bookmark.file',
  closed({ user: Who, post: Id, folder: Type.Optional(Id) }),
  async (runtime, args) => {
    const user = await findUser(runtime, args.user, 'user')
    await fileBookmark(runtime, user.id, args.post, args.folder ?? null)
    return { user: user.username, post_id: args.post, folder_id: args.folder ?? null }
  },
)
