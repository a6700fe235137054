import { type Html, html } from '../../identity/pages/html.ts'
import type { PageRequest } from '../page-request.ts'
import { postCard } from '../parts/post-card.ts'
import { readExtras } from '../parts/post-extras.ts'
import { nextPage } from '../parts/post-list.ts'
import { readMarks } from '../parts/viewer-marks.ts'
import { joinPosts, type PostView } from '../parts/views.ts'
import { pageKey } from './page-key.ts'
import { postsByIds } from './posts-by-ids.ts'
import { ancestorsOf, hasHiddenReplies, nextReplies, repliesTo } from './thread.statements.ts'

const MOST_ABOVE = 40
const REPLIES = 20
const NEXT_REPLIES = 2

/** What a post answers, the beginning of the conversation first. Places of posts that the viewer may not see are marked. */
export async function postsAbove(page: PageRequest, post: PostView): Promise<Html | ''> {
  if (!post.references.some(({ kind }) => kind === 'replied_to')) return ''
  const rows = await ancestorsOf.all(page.runtime.database, post.id, MOST_ABOVE)
  const ids = rows.map(({ id }) => id)
  const cards = await cardsOf(page, ids)
  return html`<div class="list above-post">
${ids.map((id) => cards.get(id) ?? html`<p class="card gone soft">This post cannot be shown.</p>`)}
</div>`
}

/** The replies to a post, each with the first replies to it. */
export async function repliesBelow(page: PageRequest, post: PostView): Promise<Html> {
  const { database } = page.runtime
  const versions = post.edit_history_post_ids ?? [post.id]
  const isHidden = page.query.get('replies') === 'hidden'
  const rows = await repliesTo.all(database, versions, pageKey(page) ?? '0', isHidden, REPLIES + 1)
  const ids = rows.slice(0, REPLIES).map(({ id }) => id)
  const next = ids.length === 0 ? [] : await nextReplies.all(database, ids, NEXT_REPLIES)
  const cards = await cardsOf(page, [...ids, ...next.map(({ id }) => id)])
  const shown = ids.flatMap((id) => {
    const card = cards.get(id)
    if (!card) return []
    const below = next.flatMap((row) => (row.parent_id === id ? (cards.get(row.id) ?? []) : []))
    return html`${card}${below.length === 0 ? '' : html`<div class="below">${below}</div>`}`
  })
  return html`${shown.length === 0 ? html`<p class="empty soft">There are no replies${isHidden ? '' : ' yet'}.</p>` : html`<div class="list replies" data-list>${shown}</div>`}
${nextPage(page, rows.length > REPLIES ? ids.at(-1) : undefined)}${isHidden ? '' : await hiddenLink(page, versions)}`
}

async function hiddenLink(page: PageRequest, versions: readonly string[]): Promise<Html | ''> {
  const found = await hasHiddenReplies.first(page.runtime.database, [...versions])
  return found?.hidden
    ? html`<p class="next"><a href="${page.runtime.mount}${page.request.path}?replies=hidden">Show replies that the author has hidden</a></p>`
    : ''
}

/** The cards of posts that the viewer may see, by id. */
async function cardsOf(page: PageRequest, ids: readonly string[]): Promise<Map<string, Html>> {
  const answer = await postsByIds(page, ids)
  const posts = joinPosts(answer.data ?? [], answer.includes)
  const [marks] = await Promise.all([readMarks(page, posts), readExtras(page, posts)])
  return new Map(posts.map((post) => [post.id, postCard(page, post, marks)]))
}
