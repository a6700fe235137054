import { type Html, html } from '../../identity/pages/html.ts'
import { searchNews } from '../../social/news/read-news.ts'
import { searchPostsAll, searchPostsRecent } from '../../social/search/search-posts.ts'
import { getUsersByIds } from '../../social/users/read-users.ts'
import { FIRST_CURSOR, readUserCursor } from '../../social/users/search-cursor.ts'
import { findUsersByText } from '../../social/users/search-users.ts'
import { definePeoplePage } from '../define-page.ts'
import type { PageRequest } from '../page-request.ts'
import { icon } from '../parts/icons.ts'
import { postList } from '../parts/post-list.ts'
import { sideColumn } from '../parts/side-column.ts'
import { tabs } from '../parts/tabs.ts'
import { type UsersAnswer, userList } from '../parts/user-list.ts'
import { POST_FIELDS, type PostsAnswer, USER_FIELDS } from '../parts/views.ts'
import type { NewsView } from './news.page.ts'
import { postsByIds } from './posts-by-ids.ts'
import { searchHelp } from './search-help.ts'

const TABS = [
  { name: 'latest', text: 'Latest' },
  { name: 'top', text: 'Top' },
  { name: 'people', text: 'People' },
] as const
const MOST_QUERY = 4_096

/** Search with the query language of the interface. */
export const searchPage = definePeoplePage('searchPage', 'GET /search', async (page) => {
  const query = (page.query.get('q') ?? '').trim().slice(0, MOST_QUERY)
  const tab = TABS.find(({ name }) => name === page.query.get('f'))?.name ?? 'latest'
  const shown = query === '' ? html`${searchHelp(page)}` : await results(page, query, tab)
  return {
    aside: await sideColumn(page),
    title: query === '' ? 'Search' : `${query} · Search`,
    main: html`<h1 class="unseen">Search</h1>
<form class="line-form search" method="get" action="${page.runtime.mount}/search" role="search">
<label class="unseen" for="q">Search</label>
<input id="q" name="q" type="search" value="${query}" placeholder="Words, #tag, from:username" maxlength="${MOST_QUERY}" enterkeyhint="search">
${tab === 'latest' ? '' : html`<input type="hidden" name="f" value="${tab}">`}<button class="button first" type="submit">${icon('search')}<span class="unseen">Search</span></button>
</form>
${
  query === ''
    ? ''
    : tabs(
        page,
        'Kinds of results',
        TABS.map(({ name, text }) => ({
          path: `/search?q=${encodeURIComponent(query)}${name === 'latest' ? '' : `&f=${name}`}`,
          text,
          isCurrent: name === tab,
        })),
      )
}
${shown}`,
  }
})

async function results(page: PageRequest, query: string, tab: 'latest' | 'top' | 'people'): Promise<Html> {
  if (tab === 'people') return userList(page, await findPeople(page, query), 'Nobody was found.')
  const { answer, refusal } = await findPosts(page, query, tab)
  if (refusal !== undefined)
    return html`<div class="fields"><p class="alert" role="alert"><strong>The query cannot be read.</strong> ${refusal}</p></div>${searchHelp(page)}`
  return html`${page.query.has('page') ? '' : await stories(page, query)}${await postList(page, answer, 'Nothing was found.')}
<details class="help"><summary>How to search</summary>${searchHelp(page)}</details>`
}

/**
 * Posts of any age. Only apps may search all of them, so the viewer gets the posts by their ids, as the viewer may see them. What only
 * the search of the last week knows, such as entities and own private lists, is looked for there.
 */
async function findPosts(
  page: PageRequest,
  query: string,
  tab: 'latest' | 'top',
): Promise<{ answer: PostsAnswer; refusal?: string | undefined }> {
  const input = {
    query: {
      query,
      max_results: tab === 'top' ? '100' : '20',
      sort_order: tab === 'top' ? 'relevancy' : 'recency',
      next_token: page.query.get('page'),
    },
  }
  const all = await page.callPublicly<PostsAnswer>(searchPostsAll, input)
  if (all.status < 400) {
    const found = await postsByIds(page, all.body.data?.map(({ id }) => id) ?? [])
    return { answer: { ...found, meta: all.body.meta } }
  }
  const recent = await page.call<PostsAnswer>(searchPostsRecent, { query: { ...POST_FIELDS, ...input.query } })
  return { answer: recent.body, refusal: recent.status < 400 ? undefined : (recent.reason ?? 'It is not valid.') }
}

const PEOPLE = 30

async function findPeople(page: PageRequest, query: string): Promise<UsersAnswer> {
  const token = page.query.get('page')
  const cursor = (token === undefined ? undefined : readUserCursor(token)) ?? FIRST_CURSOR
  const { users, next } = await findUsersByText(
    page.runtime.database,
    query.replace(/^@/, '').slice(0, 50),
    cursor,
    PEOPLE,
  )
  if (users.length === 0) return {}
  const { body } = await page.call<UsersAnswer>(getUsersByIds, { query: { ...USER_FIELDS, ids: users.join() } })
  return { ...body, meta: next === undefined ? {} : { next_token: next } }
}

/** News stories with the words of the query. */
async function stories(page: PageRequest, query: string): Promise<Html | ''> {
  if (/[:()]/.test(query)) return ''
  const answer = await page.callPublicly<{ data?: NewsView[] }>(searchNews, {
    query: { query: query.replace(/^[#$]/, ''), max_results: '2', 'news.fields': 'name,summary' },
  })
  const found = answer.status < 400 ? (answer.body.data ?? []) : []
  return html`${found.map((story) => html`<a class="linked story" href="${page.runtime.mount}/i/news/${story.rest_id}"><span><span class="soft small">News</span><b><bdi>${story.name}</bdi></b><span class="soft small">${story.summary}</span></span></a>`)}`
}
