import { type Html, html } from '../../identity/pages/html.ts'
import { webUrl } from '../../identity/pages/urls.ts'
import { shortCodeOf } from '../../social/links/short-link.ts'
import { unescapeMarkup } from '../../social/text/wire-text.ts'
import { adOf, type PageRequest } from '../page-request.ts'
import { ownAddress } from './own-address.ts'
import type { Entities } from './views.ts'

interface Piece {
  start: number
  end: number
  html: Html | ''
}

/** Text that somebody wrote, with its links, mentions and tags as links. Positions count code points of the escaped text. */
export function linkedText(text: string, entities: Entities | undefined, page: PageRequest, postId?: string): Html {
  const { mount } = page.runtime
  const points = [...text]
  const pieces = [
    ...(entities?.urls ?? []).map((url) => ({ start: url.start, end: url.end, html: linkOf(url, page, postId) })),
    ...(entities?.mentions ?? []).map(({ start, end, username }) => ({
      start,
      end,
      html: html`<a href="${mount}/${username}">@${username}</a>`,
    })),
    ...(entities?.hashtags ?? []).map((tag) => tagPiece(tag, '#', mount)),
    ...(entities?.cashtags ?? []).map((tag) => tagPiece(tag, '$', mount)),
  ].toSorted((left, right) => left.start - right.start)
  const parts: (string | Html)[] = []
  let at = 0
  for (const piece of pieces) {
    if (piece.start < at || piece.end > points.length) continue
    parts.push(unescapeMarkup(points.slice(at, piece.start).join('')), piece.html)
    at = piece.end
  }
  parts.push(unescapeMarkup(points.slice(at).join('')))
  return html`${parts}`
}

interface Link {
  url: string
  expanded_url?: string
  display_url?: string
  media_key?: string
}

// The link of a post's own media is not shown: the media are.
function linkOf(link: Link, page: PageRequest, postId: string | undefined): Html | '' {
  if (link.media_key !== undefined) return ''
  const target = webUrl(link.expanded_url) ?? webUrl(link.url)
  const shown = link.display_url ?? link.expanded_url ?? link.url
  if (target === null) return html`${shown}`
  const own = ownAddress(page, target)
  return own === undefined
    ? html`<a href="${clickAddress(link.url, page, postId) ?? target}" rel="nofollow ugc noopener" title="${target}">${shown}</a>`
    : html`<a href="${own}">${shown}</a>`
}

/** Where a short link opens on this server, so the click is counted and nobody else learns of it. */
export function clickAddress(url: string, page: PageRequest, postId: string | undefined): string | undefined {
  const code = shortCodeOf(url)
  if (code === undefined) return undefined
  const { mount } = page.runtime
  const ad = adOf(page)
  const links = ad === undefined || postId === undefined ? `${mount}/i/links` : `${mount}/i/ads/${ad}/links`
  return `${links}/${code}${postId === undefined ? '' : `?post=${postId}`}`
}

const tagPiece = (tag: { start: number; end: number; tag: string }, sign: string, mount: string): Piece => ({
  start: tag.start,
  end: tag.end,
  html: html`<a href="${mount}/search?q=${encodeURIComponent(sign + tag.tag)}">${sign}${tag.tag}</a>`,
})
