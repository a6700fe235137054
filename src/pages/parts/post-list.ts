import { type Html, html } from '../../identity/pages/html.ts'
import type { PageRequest } from '../page-request.ts'
import { postCard } from './post-card.ts'
import { readExtras } from './post-extras.ts'
import { readMarks } from './viewer-marks.ts'
import { joinPosts, type PostsAnswer } from './views.ts'

/** What a list has besides its posts. */
interface Besides {
  /** Cards that are not of the list, in the order of their places. */
  others?: readonly PlacedCard[]
  /** What else belongs to a post. */
  below?: (postId: string) => Html | ''
}

/** The posts of an answer as cards, and a link to the next page. */
export async function postList(
  page: PageRequest,
  answer: PostsAnswer,
  nothing: string,
  { others = [], below = () => '' }: Besides = {},
): Promise<Html> {
  const posts = joinPosts(answer.data ?? [], answer.includes)
  const [marks] = await Promise.all([readMarks(page, posts), readExtras(page, posts)])
  const cards = posts.map((post) => html`${postCard(page, post, marks)}${below(post.id)}`)
  return html`<div class="list" data-list data-newest="${posts[0]?.id ?? '1'}">
${withOthers(cards, others)}
</div>
${posts.length === 0 ? html`<p class="empty soft">${nothing}</p>` : ''}${nextPage(page, answer.meta?.next_token)}`
}

/** A card that is not one of the list, and its place in it. */
export interface PlacedCard {
  place: number
  card: Html
}

/** Cards with others among them, at their places in the order of the places. */
function withOthers(cards: readonly Html[], others: readonly PlacedCard[]): Html[] {
  const all = [...cards]
  for (const { place, card } of others) all.splice(place, 0, card)
  return all
}

/** The link to the next page of the list that an address shows. */
export function nextPage({ request, runtime, query }: PageRequest, token: string | undefined): Html | '' {
  if (token === undefined) return ''
  const parameters = new URLSearchParams([...query].filter(([name]) => name !== 'page'))
  parameters.set('page', token)
  return html`<p class="next"><a class="button" rel="next" href="${runtime.mount}${request.path}?${parameters.toString()}">Show more</a></p>`
}
