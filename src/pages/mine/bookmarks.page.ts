import type { Endpoint } from '../../api-kit/declaring/endpoint.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { type Html, html } from '../../identity/pages/html.ts'
import { LARGEST_ID } from '../../process/ids.ts'
import { foldersOlder } from '../../social/bookmarks/bookmark.statements.ts'
import { createBookmarkFolder, fileBookmark } from '../../social/bookmarks/bookmark-folders.ts'
import { getUsersBookmarks, getUsersBookmarksByFolderId } from '../../social/bookmarks/read-bookmarks.ts'
import { defineAction, defineSignedInPage } from '../define-page.ts'
import type { SignedInRequest } from '../page-request.ts'
import { pageForm, textField } from '../parts/form.ts'
import { postList } from '../parts/post-list.ts'
import { sideColumn } from '../parts/side-column.ts'
import { POST_FIELDS, type PostsAnswer } from '../parts/views.ts'
import { postsByIds } from '../public/posts-by-ids.ts'

interface Folder {
  id: string
  name: string
}

const SIZE = '30'
const MOST_NAME = 100
const MOST_FOLDERS = 100

/** The posts that the viewer has put a bookmark on, all or those in a folder. Nobody else sees them. */
const bookmarksPage = defineSignedInPage('bookmarksPage', 'GET /i/bookmarks', async (page) => {
  // Not by the operation, whose limit is for programs: people open this page more often.
  const folders = await foldersOlder.all(page.runtime.database, page.viewer.id, LARGEST_ID, MOST_FOLDERS)
  const folder = page.query.get('folder')
  const answer = folder === undefined ? await all(page) : await filed(page, folder)
  return {
    title: 'Bookmarks',
    aside: await sideColumn(page),
    live: 'posts',
    main: html`<h1 class="top">Bookmarks</h1>
${tabsOf(page, folders, folder)}
${await postList(
  page,
  answer,
  folder === undefined
    ? 'Posts that you put a bookmark on are kept here. Only you see them.'
    : 'There is nothing in this folder yet.',
  { below: (id) => moveForm(page, id, folders, folder) },
)}
<details class="extra"><summary>New folder</summary>${pageForm(page, { action: '/i/actions/bookmark-folder', content: textField({ name: 'name', label: 'Name', most: MOST_NAME, isRequired: true }), submit: 'Create the folder' })}</details>`,
  }
})

const all = (page: SignedInRequest): Promise<PostsAnswer> =>
  page.need<PostsAnswer>(getUsersBookmarks, {
    path: { id: page.viewer.id },
    query: { ...POST_FIELDS, max_results: SIZE, pagination_token: page.query.get('page') },
  })

async function filed(page: SignedInRequest, folder: string): Promise<PostsAnswer> {
  const { data = [], meta } = await page.need<{ data?: { id: string }[]; meta?: { next_token?: string } }>(
    getUsersBookmarksByFolderId,
    {
      path: { id: page.viewer.id, folder_id: folder },
      query: { max_results: SIZE, pagination_token: page.query.get('page') },
    },
  )
  const posts = await postsByIds(
    page,
    data.map((item) => item.id),
  )
  return { ...posts, ...(meta ? { meta } : {}) }
}

function tabsOf(
  { runtime: { mount } }: SignedInRequest,
  folders: readonly Folder[],
  current: string | undefined,
): Html | '' {
  if (folders.length === 0) return ''
  const tab = (path: string, name: string, isCurrent: boolean) =>
    html`<a href="${mount}${path}"${isCurrent ? html` aria-current="page"` : ''}><bdi>${name}</bdi></a>`
  return html`<nav class="tabs" aria-label="Folders">${tab('/i/bookmarks', 'All', current === undefined)}${folders.map((item) => tab(`/i/bookmarks?folder=${item.id}`, item.name, item.id === current))}</nav>`
}

function moveForm(
  page: SignedInRequest,
  postId: string,
  folders: readonly Folder[],
  current: string | undefined,
): Html | '' {
  if (folders.length === 0) return ''
  const { request } = page
  const others = folders.filter((item) => item.id !== current)
  return html`<details class="extra"><summary>Move to a folder</summary>
${pageForm(page, {
  action: '/i/actions/bookmark-file',
  hidden: {
    post_id: postId,
    return_to: request.rawQuery === '' ? request.path : `${request.path}?${request.rawQuery}`,
  },
  content: html`<div><label for="folder-${postId}">Folder</label><select id="folder-${postId}" name="folder_id">${others.map((item) => html`<option value="${item.id}">${item.name}</option>`)}<option value="">No folder</option></select></div>`,
  submit: 'Move',
  classes: 'button small',
})}</details>`
}

const folderAction = defineAction('bookmarkFolderAction', 'POST /i/actions/bookmark-folder', async (page) => {
  const name = (page.form.get('name') ?? '').trim()
  if (name === '' || [...name].length > MOST_NAME)
    throw blank(400, `The name of a folder has 1 to ${MOST_NAME} characters.`)
  const { id } = await createBookmarkFolder(page.runtime, page.viewer.id, name)
  return { to: `/i/bookmarks?folder=${id}` }
})

const fileAction = defineAction('bookmarkFileAction', 'POST /i/actions/bookmark-file', async (page) => {
  const folder = page.form.get('folder_id') ?? ''
  await fileBookmark(page.runtime, page.viewer.id, page.form.get('post_id') ?? '', folder === '' ? null : folder)
  return undefined
})

export const bookmarkPages: readonly Endpoint[] = [bookmarksPage, folderAction, fileAction]
