import { defineOperation, userOf } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { closed, component, Type } from '../../api-kit/declaring/schema.ts'
import { changeByStatement } from '../../api-kit/runtime.ts'
import { resourceNotFound } from '../../api-kit/writing/partial-errors.ts'
import { objectNotFound } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { PostId, UserId } from '../ids.ts'
import { hourOf } from '../insights/facts.ts'
import { checkOwnPath } from '../own-path.ts'
import { findPostToActOn } from '../posts/find-visible-post.ts'
import { bookmarkAdd, bookmarkRemove } from './bookmark.statements.ts'
import { createBookmarkFolder } from './bookmark-folders.ts'

const auth = { oauth2: ['bookmark.write', 'post.read', 'users.read'] }
const limit = { user: '50/15m' }
const reply = component(
  'BookmarkMutationResponse',
  Type.Object({
    data: Type.Optional(Type.Object({ bookmarked: Type.Optional(Type.Boolean()) })),
    errors: ErrorsSchema,
  }),
)

export const createUsersBookmark = defineOperation({
  id: 'createUsersBookmark',
  route: 'POST /2/users/{id}/bookmarks',
  tag: 'Bookmarks',
  summary: 'Bookmark a post',
  auth,
  limit,
  path: { id: UserId },
  body: component('BookmarkAddRequest', closed({ post_id: PostId })),
  reply,
  handle: async ({ path, body, caller, runtime, context }) => {
    checkOwnPath(caller, path.id)
    const marked = await findPostToActOn(context, body.post_id, 'post_id')
    const stored = await changeByStatement(runtime, (db, invalidate) => {
      invalidate('post_metrics', marked.id)
      const hour = new Date(hourOf(runtime.clock.now()))
      return bookmarkAdd.first(db, userOf(caller).id, marked.id, runtime.ids.next(), hour)
    })
    if (!stored) throw objectNotFound(resourceNotFound('post', 'post_id', body.post_id))
    return { data: { bookmarked: true } }
  },
})

export const deleteUsersBookmark = defineOperation({
  id: 'deleteUsersBookmark',
  route: 'DELETE /2/users/{id}/bookmarks/{post_id}',
  tag: 'Bookmarks',
  summary: 'Remove a bookmark',
  auth,
  limit,
  path: { id: UserId, post_id: PostId },
  reply,
  handle: async ({ path, caller, runtime }) => {
    checkOwnPath(caller, path.id)
    if (!isStorableId(path.post_id)) return { data: { bookmarked: false } }
    await changeByStatement(runtime, async (db, invalidate) => {
      invalidate('post_metrics', path.post_id)
      const gone = await bookmarkRemove.all(db, userOf(caller).id, path.post_id)
      invalidate('post_metrics', ...gone.map((mark) => mark.post_id))
    })
    return { data: { bookmarked: false } }
  },
})

export const createUsersBookmarkFolder = defineOperation({
  id: 'createUsersBookmarkFolder',
  route: 'POST /2/users/{id}/bookmarks/folders',
  since: '2.167',
  tag: 'Users',
  summary: 'Create a bookmark folder',
  auth: { oauth2: ['bookmark.write', 'users.read'] },
  limit,
  path: { id: UserId },
  body: component('CreateUsersBookmarkFolderRequest', closed({ name: Type.String({ minLength: 1, maxLength: 25 }) })),
  status: 201,
  reply: component(
    'CreateUsersBookmarkFolderResponse',
    Type.Object({
      data: Type.Optional(
        component('CreateUsersBookmarkFolderResponseData', Type.Object({ id: Type.String(), name: Type.String() })),
      ),
      errors: ErrorsSchema,
    }),
  ),
  handle: async ({ path, body, caller, runtime }) => {
    checkOwnPath(caller, path.id)
    return { data: await createBookmarkFolder(runtime, userOf(caller).id, body.name) }
  },
})
