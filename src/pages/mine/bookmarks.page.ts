import { html } from '../../identity/pages/html.ts'
import { getUsersBookmarks } from '../../social/bookmarks/read-bookmarks.ts'
import { defineSignedInPage } from '../define-page.ts'
import { postList } from '../parts/post-list.ts'
import { POST_FIELDS, type PostsAnswer } from '../parts/views.ts'

/** The posts that the viewer has put a bookmark on. Nobody else sees them. */
export const bookmarksPage = defineSignedInPage('bookmarksPage', 'GET /i/bookmarks', async (page) => {
  const answer = await page.need<PostsAnswer>(getUsersBookmarks, {
    path: { id: page.viewer.id },
    query: { ...POST_FIELDS, max_results: '30', pagination_token: page.query.get('page') },
  })
  return {
    title: 'Bookmarks',
    live: 'posts',
    main: html`<h1 class="top">Bookmarks</h1>
${await postList(page, answer, 'Posts that you put a bookmark on are kept here. Only you see them.')}`,
  }
})
