import type { Endpoint } from '../../api-kit/declaring/endpoint.ts'
import { type Html, html } from '../../identity/pages/html.ts'
import { getPostsLikingUsers } from '../../social/likes/read-likes.ts'
import { getPostsQuotedPosts } from '../../social/reposts/read-quotes.ts'
import { getPostsRepostedBy } from '../../social/reposts/read-reposts.ts'
import { definePeoplePage, defineSignedInPage } from '../define-page.ts'
import type { PageContent } from '../layout.ts'
import type { PageRequest } from '../page-request.ts'
import { exactMoment } from '../parts/moment.ts'
import { postBody, postPath } from '../parts/post-card.ts'
import { postList } from '../parts/post-list.ts'
import { tabs } from '../parts/tabs.ts'
import { type UsersAnswer, userList } from '../parts/user-list.ts'
import { joinPosts, POST_FIELDS, type PostsAnswer, type PostView, USER_FIELDS } from '../parts/views.ts'
import { findPost } from './find-post.ts'
import { postsByIds } from './posts-by-ids.ts'

const LISTS = [
  { tail: 'reposts', text: 'Reposts' },
  { tail: 'quotes', text: 'Quotes' },
  { tail: 'likes', text: 'Likes' },
] as const

type Tail = (typeof LISTS)[number]['tail']

function listContent(page: PageRequest, post: PostView, tail: Tail, shown: Html): PageContent {
  const path = postPath(post)
  return {
    title: `${LISTS.find((list) => list.tail === tail)!.text} of a post by @${post.author?.username}`,
    main: html`<h1 class="top"><a href="${page.runtime.mount}${path}">Post by @${post.author?.username}</a></h1>
${tabs(
  page,
  'What people did with the post',
  LISTS.map((list) => ({ path: `${path}/${list.tail}`, text: list.text, isCurrent: list.tail === tail })),
)}
${shown}`,
  }
}

const query = (page: PageRequest) => ({ max_results: '50', pagination_token: page.query.get('page') })

const repostsPage = definePeoplePage('repostsPage', 'GET /{username}/status/{id}/reposts', async (page) => {
  const post = await findPost(page)
  const answer = await page.need<UsersAnswer>(getPostsRepostedBy, {
    path: { id: post.id },
    query: { ...USER_FIELDS, ...query(page) },
  })
  return listContent(page, post, 'reposts', userList(page, answer, 'Nobody has reposted it yet.'))
})

const quotesPage = definePeoplePage('quotesPage', 'GET /{username}/status/{id}/quotes', async (page) => {
  const post = await findPost(page)
  const answer = await page.need<PostsAnswer>(getPostsQuotedPosts, {
    path: { id: post.id },
    query: { ...POST_FIELDS, ...query(page) },
  })
  return listContent(page, post, 'quotes', await postList(page, answer, 'Nobody has quoted it yet.'))
})

/** Who liked a post, for signed-in users: the interface tells it to nobody else. */
const likesPage = defineSignedInPage('likesPage', 'GET /{username}/status/{id}/likes', async (page) => {
  const post = await findPost(page)
  const answer = await page.need<UsersAnswer>(getPostsLikingUsers, {
    path: { id: post.id },
    query: { ...USER_FIELDS, ...query(page) },
  })
  return listContent(page, post, 'likes', userList(page, answer, 'Nobody has liked it yet.'))
})

/** All versions of a post, the newest first. */
const historyPage = definePeoplePage('historyPage', 'GET /{username}/status/{id}/history', async (page) => {
  const post = await findPost(page)
  const answer = await postsByIds(page, post.edit_history_post_ids?.toReversed() ?? [post.id])
  const versions = joinPosts(answer.data ?? [], answer.includes)
  return {
    title: `Versions of a post by @${post.author?.username}`,
    main: html`<h1 class="top"><a href="${page.runtime.mount}${postPath(post)}">Versions of this post</a></h1>
<div class="list">${versions.map(
      (version) =>
        html`<article class="post whole"><p class="soft small">${version.created_at ? exactMoment(version.created_at) : ''}</p>${postBody(page, version)}</article>`,
    )}</div>`,
  }
})

/** What belongs to a post besides its page. */
export const postListPages: readonly Endpoint[] = [repostsPage, quotesPage, likesPage, historyPage]
