import { type Html, html } from '../../identity/pages/html.ts'
import { webUrl } from '../../identity/pages/urls.ts'
import { unescapeMarkup } from '../../social/text/wire-text.ts'
import type { Entities } from './views.ts'

interface Piece {
  start: number
  end: number
  html: Html | ''
}

/** Text that somebody wrote, with its links, mentions and tags as links. Positions count code points of the escaped text. */
export function linkedText(text: string, entities: Entities | undefined, mount: string): Html {
  const points = [...text]
  const pieces = [
    ...(entities?.urls ?? []).map((url) => ({ start: url.start, end: url.end, html: linkOf(url) })),
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

// The link of a post's own media is not shown: the media are.
function linkOf(url: { url: string; expanded_url?: string; display_url?: string; media_key?: string }): Html | '' {
  if (url.media_key !== undefined) return ''
  const href = webUrl(url.expanded_url) ?? webUrl(url.url)
  const shown = url.display_url ?? url.expanded_url ?? url.url
  return href === null
    ? html`${shown}`
    : html`<a href="${webUrl(url.url) ?? href}" rel="nofollow ugc noopener" title="${href}">${shown}</a>`
}

const tagPiece = (tag: { start: number; end: number; tag: string }, sign: string, mount: string): Piece => ({
  start: tag.start,
  end: tag.end,
  html: html`<a href="${mount}/search?q=${encodeURIComponent(sign + tag.tag)}">${sign}${tag.tag}</a>`,
})
