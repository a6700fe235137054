import { html } from '../identity/pages/html.ts'
import { getPostsById } from '../social/posts/read-posts.ts'
import { searchPostsRecent } from '../social/search/search-posts.ts'
import { unescapeMarkup } from '../social/text/wire-text.ts'
import { definePeoplePage } from './define-page.ts'
import { shownObject } from './page-request.ts'
import { exactMoment } from './parts/moment.ts'
import { postActions, postBody, postCard } from './parts/post-card.ts'
import { postList } from './parts/post-list.ts'
import { postMenu } from './parts/post-menu.ts'
import { avatar, nameLink } from './parts/user-card.ts'
import { NO_MARKS, readMarks } from './parts/viewer-marks.ts'
import { joinPosts, POST_FIELDS, type PostData, type PostsAnswer } from './parts/views.ts'

/** A post with what it answers and what was answered. */
export const postPage = definePeoplePage('postPage', 'GET /{username}/status/{id}', async (page) => {
  const { runtime, path } = page
  const id = path.id ?? ''
  const answer = await page.need<PostsAnswer<PostData>>(getPostsById, { path: { id }, query: POST_FIELDS })
  const [post] = joinPosts([shownObject(answer, 'post')], answer.includes)
  const marks = await readMarks(page, [post!])
  const parent = post!.references.find(({ kind }) => kind === 'replied_to')
  const replies = await page.call<PostsAnswer>(searchPostsRecent, {
    query: {
      ...POST_FIELDS,
      query: `conversation_id:${post!.conversation_id} is:reply`,
      next_token: page.query.get('page'),
    },
  })
  const author = post!.author
  return {
    title: `${author?.name ?? 'A post'}: ${unescapeMarkup(post!.text).slice(0, 60)}`,
    isListed: true,
    live: `post:${id}`,
    main: html`<h1 class="top">Post</h1>
${parent?.post ? postCard(page, parent.post, marks) : ''}
<article class="post whole" id="post-${id}" data-post="${id}">
<div class="line">${author ? html`<a class="pic" href="${runtime.mount}/${author.username}" tabindex="-1">${avatar(page, author)}</a>${nameLink(author, runtime.mount)}` : ''}${postMenu(page, post!)}</div>
${postBody(page, post!)}
<p class="soft small">${post!.created_at ? exactMoment(post!.created_at) : ''}${post!.source ? html` · ${post!.source}` : ''}</p>
${postActions(page, post!, marks.get(id) ?? NO_MARKS)}
</article>
<h2 class="top">Replies</h2>
${replies.status < 400 ? await postList(page, replies.body, 'There are no replies yet.') : ''}`,
  }
})
