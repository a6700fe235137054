import { type Html, html } from '../../identity/pages/html.ts'
import { webUrl } from '../../identity/pages/urls.ts'
import { shortLink } from '../../social/links/short-link.ts'
import { displayUrl } from '../../social/text/display-url.ts'
import { adOf, type PageRequest } from '../page-request.ts'
import { icon } from './icons.ts'
import { clickAddress } from './linked-text.ts'
import { ownAddress } from './own-address.ts'
import type { PostView } from './views.ts'

/** The article that a post is about. */
export function articleCard(page: PageRequest, { article, cover }: PostView): Html | '' {
  if (article?.id === undefined) return ''
  const picture = ownAddress(page, cover?.url ?? cover?.preview_image_url)
  return html`<a class="linked" href="${page.runtime.mount}/i/articles/${article.id}">${picture ? html`<img src="${picture}" alt="${cover?.alt_text ?? ''}" loading="lazy">` : ''}<span><b><bdi>${article.title}</bdi></b><span class="soft small">${article.preview_text}</span></span></a>`
}

/** Whether the text of a post is only the address of its article, which the card shows better. */
export const isOnlyArticle = ({ article, text, entities }: PostView): boolean =>
  article?.id !== undefined &&
  !/\s/.test(text) &&
  (text.endsWith(`/i/articles/${article.id}`) || entities?.urls?.[0]?.url === text)

/** The card that an advertiser made for the post. */
export function cardOf(page: PageRequest, post: PostView): Html | '' {
  const card = page.extras.get(post.id)?.card
  if (!card) return ''
  const picture = ownAddress(page, card.pictureUrl)
  const target = webUrl(card.url)
  // Of a promoted post the click counts.
  const click = target && card.hasShortLink && adOf(page) ? clickAddress(shortLink(target), page, post.id) : undefined
  const inner = html`${picture ? html`<img src="${picture}" alt="" loading="lazy">` : ''}<span><b><bdi>${card.title ?? ''}</bdi></b>${target ? html`<span class="soft small">${displayUrl(target)}</span>` : ''}</span>`
  return target
    ? html`<a class="linked" href="${click ? `${click}&card=1` : target}" rel="nofollow ugc noopener">${inner}</a>`
    : html`<div class="linked">${inner}</div>`
}

/** What readers should know about a post, in the words of a note that people of different views found helpful. */
export function noteOf(page: PageRequest, post: PostView): Html | '' {
  const note = page.extras.get(post.id)?.note
  return note === undefined
    ? ''
    : html`<aside class="context" aria-label="Note"><b>Readers added context</b><p dir="auto">${withAddresses(note)}</p></aside>`
}

/** A text without entities: its addresses become links. */
function withAddresses(text: string): Html {
  return html`${text.split(/(https?:\/\/[^\s<>"']+[\w/])/).map((part) => {
    const target = part.startsWith('http') ? webUrl(part) : null
    return target ? html`<a href="${target}" rel="nofollow ugc noopener">${displayUrl(target)}</a>` : part
  })}`
}

/** Where a post belongs: its place, its community, and whether somebody paid for it. */
export function facts(page: PageRequest, post: PostView): Html | '' {
  const community = page.extras.get(post.id)?.community
  const shown = [
    post.place ? html`<span>${icon('place')}${post.place}</span>` : '',
    community
      ? html`<a href="${page.runtime.mount}/i/communities/${community.id}">${icon('people')}<bdi>${community.name}</bdi></a>`
      : '',
    post.paid_partnership ? html`<span>Paid partnership</span>` : '',
  ].filter((item) => item !== '')
  return shown.length === 0 ? '' : html`<p class="soft small facts">${shown}</p>`
}
