import { defineOperation } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema, listReply } from '../../api-kit/declaring/reply.ts'
import { component, idSchema, type TSchema, Type } from '../../api-kit/declaring/schema.ts'
import { PageMeta, pages, readKeyedPage, readPage } from '../../api-kit/reading/paging.ts'
import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { selects } from '../../api-kit/reading/selection.ts'
import { answerKeyedPage } from '../../api-kit/writing/answer-objects.ts'
import { PostId, UserId } from '../ids.ts'
import { checkOwnPath } from '../own-path.ts'
import { post } from '../posts/post.object.ts'
import { postRow } from '../posts/post.parts.ts'
import { authorsOf, judgePosts } from '../visibility.ts'
import { bookmarkedPosts, filedPosts, foldersNewer, foldersOlder } from './bookmark.statements.ts'
import { findFolder } from './bookmark-folders.ts'

const optional = Type.Optional
const BookmarkFolderId = idSchema('BookmarkFolderId')
const page = pages({ min: 1, max: 100, initial: 100, token: 'base36', shown: false })
const folderLimit = { app: '50/15m', user: '50/15m' }

// The lists of folders have the next token, and nothing else about the page.
const plainList = (name: string, members: Record<string, TSchema>) =>
  component(
    name,
    Type.Object({
      data: optional(Type.Array(Type.Object(members))),
      errors: ErrorsSchema,
      meta: optional(Type.Object({ next_token: PageMeta.properties.next_token })),
    }),
  )

export const getUsersBookmarks = defineOperation({
  id: 'getUsersBookmarks',
  route: 'GET /2/users/{id}/bookmarks',
  tag: 'Bookmarks',
  summary: 'List the caller’s bookmarks',
  auth: { oauth2: ['bookmark.read', 'post.read', 'users.read'] },
  limit: { user: '180/15m' },
  path: { id: UserId },
  query: { ...page, ...selects(() => post) },
  reply: listReply('Get2UsersIdBookmarksResponse', post, PageMeta),
  handle: async ({ path, query, caller, context, runtime }) => {
    checkOwnPath(caller, path.id)
    return answerKeyedPage(context, runtime, query, bookmarkedPosts, path.id)
  },
})

export const getUsersBookmarkFolders = defineOperation({
  id: 'getUsersBookmarkFolders',
  route: 'GET /2/users/{id}/bookmarks/folders',
  tag: 'Bookmarks',
  summary: 'List the caller’s bookmark folders',
  auth: { oauth2: ['bookmark.read', 'users.read'] },
  limit: folderLimit,
  path: { id: UserId },
  query: page,
  reply: plainList('BookmarkFoldersResponse', { id: optional(BookmarkFolderId), name: optional(Type.String()) }),
  handle: async ({ path, query, caller, runtime }) => {
    checkOwnPath(caller, path.id)
    const lists = { older: foldersOlder, newer: foldersNewer }
    const { items, meta } = await readPage(
      query.page,
      ({ direction, key, limit }) => lists[direction].all(runtime.database, path.id, key, limit),
      (item) => item.id,
    )
    return { data: items, meta: { next_token: meta.next_token } }
  },
})

export const getUsersBookmarksByFolderId = defineOperation({
  id: 'getUsersBookmarksByFolderId',
  route: 'GET /2/users/{id}/bookmarks/folders/{folder_id}',
  tag: 'Bookmarks',
  summary: 'List the posts in a bookmark folder',
  auth: { oauth2: ['bookmark.read', 'post.read', 'users.read'] },
  limit: folderLimit,
  path: { id: UserId, folder_id: BookmarkFolderId },
  query: page,
  reply: plainList('BookmarkFolderPostsResponse', { id: optional(PostId) }),
  handle: async ({ path, query, caller, context, runtime }) => {
    checkOwnPath(caller, path.id)
    const folder = await findFolder(runtime, path.id, path.folder_id)
    const { ids, meta } = await readKeyedPage(runtime.database, query.page, filedPosts, folder.id)
    const shown = await visiblePosts(context, ids)
    context.returned?.push([post.kind, shown])
    return { data: shown.map((id) => ({ id })), meta: { next_token: meta.next_token } }
  },
})

async function visiblePosts(context: ReadContext, ids: string[]): Promise<string[]> {
  const rows = [...(await context.parts.many(postRow, ids)).values()]
  const verdicts = await judgePosts(context, rows.map(authorsOf))
  return rows.filter((_row, index) => verdicts[index] === undefined).map((row) => row.id)
}
