import { html } from '../../identity/pages/html.ts'
import { wireTime } from '../../process/clock.ts'
import { searchPostsAll } from '../../social/search/search-posts.ts'
import { WORLD } from '../../social/trends/trend-places.ts'
import { definePeoplePage } from '../define-page.ts'
import type { PageRequest } from '../page-request.ts'
import { describedHead } from '../parts/head.ts'
import { postList } from '../parts/post-list.ts'
import type { PostsAnswer } from '../parts/views.ts'
import { postsByIds } from './posts-by-ids.ts'
import { readTrends, trendList } from './trends.page.ts'

const WEEK_MS = 7 * 24 * 3600_000

/** What a visitor sees first: what this is, what people talk about, and how to take part. */
export const publicFrontPage = definePeoplePage('frontPage', 'GET /', async (page) => {
  const { mount } = page.runtime
  const trends = await readTrends(page, WORLD, 8)
  const description = 'People post short texts, pictures and videos here, answer each other, and follow whom they like.'
  return {
    title: 'Welcome',
    isListed: true,
    head: describedHead(page, { path: '/', title: 'Rostra', description }),
    main: html`<div class="intro welcome">
<h1>What people say, as they say it</h1>
<p class="text">${description} This server runs Rostra, an open server for public conversation: programs use the same interface as these pages.</p>
${page.viewer ? html`<p><a class="button first" href="${mount}/home">Go to your home page</a></p>` : html`<p class="buttons"><a class="button first" href="${mount}/i/sign-in?return_to=/home">Sign in</a> <a class="button" href="${mount}/i/register">Register</a></p>`}
</div>
<h2 class="top">Trends</h2>
${trendList(page, trends, 'Nothing stands out at the moment.')}
<h2 class="top">Popular now</h2>
${await postList(page, await popularPosts(page), 'Nothing was liked in the last week.')}`,
  }
})

/** The newest posts that somebody liked, those with the most response first. */
async function popularPosts(page: PageRequest): Promise<PostsAnswer> {
  const { body, status } = await page.callPublicly<PostsAnswer>(searchPostsAll, {
    query: {
      query: 'min_likes:1 -is:reply -is:repost',
      start_time: wireTime(page.now - WEEK_MS),
      max_results: '20',
      sort_order: 'relevancy',
    },
  })
  return status < 400 ? postsByIds(page, body.data?.map(({ id }) => id) ?? []) : {}
}
