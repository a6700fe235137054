import { html } from '../identity/pages/html.ts'
import { getUsersTimeline } from '../social/timelines/read-timelines.ts'
import { homeAds } from './ads/home-ads.ts'
import { composeForm } from './compose/compose-form.ts'
import { defineSignedInPage } from './define-page.ts'
import { postList } from './parts/post-list.ts'
import { sideColumnWithPeople } from './parts/side-column.ts'
import { POST_FIELDS, type PostsAnswer } from './parts/views.ts'

/** What the people whom the viewer follows have posted, newest first. */
export const homePage = defineSignedInPage('homePage', 'GET /home', async (page) => {
  const answer = await page.need<PostsAnswer>(getUsersTimeline, {
    path: { id: page.viewer.id },
    query: { ...POST_FIELDS, max_results: '30', pagination_token: page.query.get('page') },
  })
  const ads = await homeAds(page, answer.data?.length ?? 0)
  return {
    title: 'Home',
    live: page.query.has('page') ? 'posts' : 'home',
    aside: await sideColumnWithPeople(page),
    main: html`<h1 class="top">Home</h1>
<div data-home-compose>${composeForm(page, { returnTo: '/home' })}</div>
<p class="next arrivals"><button class="button small first" type="button" data-arrivals hidden></button></p>
<noscript><p class="next"><a class="button small" href="${page.runtime.mount}/home">Look for new posts</a></p></noscript>
${await postList(page, answer, 'Follow somebody, and what they post appears here.', { others: ads })}`,
  }
})
