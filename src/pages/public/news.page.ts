import { type Html, html } from '../../identity/pages/html.ts'
import { getNews } from '../../social/news/read-news.ts'
import { definePeoplePage } from '../define-page.ts'
import { shownObject } from '../page-request.ts'
import { describedHead } from '../parts/head.ts'
import { exactMoment } from '../parts/moment.ts'
import { postList } from '../parts/post-list.ts'
import { postsByIds } from './posts-by-ids.ts'

/** A news story as version 2 shows one. */
export interface NewsView {
  rest_id: string
  name?: string
  summary?: string
  hook?: string
  category?: string
  keywords?: string[]
  disclaimer?: string
  last_updated_at_ms?: string
  cluster_posts_results?: { post_id?: string }[]
}

const FIELDS = 'category,cluster_posts_results,disclaimer,hook,keywords,name,summary,updated_at'
const MOST_POSTS = 50

/** A news story and the posts that it was made from. */
export const newsPage = definePeoplePage('newsPage', 'GET /i/news/{id}', async (page) => {
  const answer = await page.need<{ data?: NewsView }>(getNews, {
    path: { id: page.path.id ?? '' },
    query: { 'news.fields': FIELDS },
  })
  const story = shownObject(answer, 'story')
  const ids = (story.cluster_posts_results ?? []).flatMap(({ post_id: id }) => id ?? []).slice(0, MOST_POSTS)
  const title = story.name ?? 'News'
  return {
    title,
    isListed: true,
    head: describedHead(page, {
      path: `/i/news/${story.rest_id}`,
      title,
      description: story.summary ?? story.hook ?? title,
      kind: 'article',
    }),
    main: html`<div class="intro">
<p class="soft small facts"><span>News</span>${story.category ? html`<span>${story.category}</span>` : ''}${story.last_updated_at_ms ? html`<span>${exactMoment(story.last_updated_at_ms)}</span>` : ''}</p>
<h1><bdi>${title}</bdi></h1>
${story.summary ? html`<p class="text" dir="auto">${story.summary}</p>` : ''}
${keywords(page.runtime.mount, story.keywords ?? [])}
${story.disclaimer ? html`<p class="soft small disclaimer">${story.disclaimer}</p>` : ''}
</div>
<h2 class="top">Posts</h2>
${await postList(page, await postsByIds(page, ids), 'The posts of this story are gone.')}`,
  }
})

const keywords = (mount: string, words: readonly string[]): Html | '' =>
  words.length === 0
    ? ''
    : html`<p class="small facts">${words.map((word) => html`<a href="${mount}/search?q=${encodeURIComponent(word)}">${word}</a>`)}</p>`
