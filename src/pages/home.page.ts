import { html } from '../identity/pages/html.ts'
import { getUsersTimeline } from '../social/timelines/read-timelines.ts'
import { defineSignedInPage } from './define-page.ts'
import { postList } from './parts/post-list.ts'
import { POST_FIELDS, type PostsAnswer } from './parts/views.ts'

/** What the people whom the viewer follows have posted, newest first. */
export const homePage = defineSignedInPage('homePage', 'GET /home', async (page) => {
  const answer = await page.need<PostsAnswer>(getUsersTimeline, {
    path: { id: page.viewer.id },
    query: { ...POST_FIELDS, max_results: '30', pagination_token: page.query.get('page') },
  })
  return {
    title: 'Home',
    live: 'home',
    main: html`<h1 class="top">Home</h1>
${await postList(page, answer, 'Follow somebody, and what they post appears here.')}`,
  }
})
