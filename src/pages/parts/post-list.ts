import { type Html, html } from '../../identity/pages/html.ts'
import type { PageRequest } from '../page-request.ts'
import { postCard } from './post-card.ts'
import { readExtras } from './post-extras.ts'
import { readMarks } from './viewer-marks.ts'
import { joinPosts, type PostsAnswer } from './views.ts'

/** The posts of an answer as cards, each with what else belongs to it, and a link to the next page. */
export async function postList(
  page: PageRequest,
  answer: PostsAnswer,
  nothing: string,
  below: (postId: string) => Html | '' = () => '',
): Promise<Html> {
  const posts = joinPosts(answer.data ?? [], answer.includes)
  const [marks] = await Promise.all([readMarks(page, posts), readExtras(page, posts)])
  return html`<div class="list" data-list data-newest="${posts[0]?.id ?? '1'}">
${posts.map((post) => html`${postCard(page, post, marks)}${below(post.id)}`)}
</div>
${posts.length === 0 ? html`<p class="empty soft">${nothing}</p>` : ''}${nextPage(page, answer.meta?.next_token)}`
}

/** The link to the next page of the list that an address shows. */
export function nextPage({ request, runtime, query }: PageRequest, token: string | undefined): Html | '' {
  if (token === undefined) return ''
  const parameters = new URLSearchParams([...query].filter(([name]) => name !== 'page'))
  parameters.set('page', token)
  return html`<p class="next"><a class="button" rel="next" href="${runtime.mount}${request.path}?${parameters.toString()}">Show more</a></p>`
}
