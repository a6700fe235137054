import { type Html, html } from '../../identity/pages/html.ts'
import type { PageRequest } from '../page-request.ts'
import { ownAddress } from './own-address.ts'
import type { MediaView, PostView } from './views.ts'

/** The pictures and videos of a post. Videos play with the controls of the browser. */
export function mediaOf(page: PageRequest, post: PostView): Html | '' {
  const shown = post.media.flatMap((item) => mediaItem(page, item) ?? [])
  return shown.length === 0 ? '' : html`<div class="media n${Math.min(4, shown.length)}">${shown}</div>`
}

/** A picture or video. */
export function mediaItem(page: PageRequest, item: MediaView): Html | undefined {
  const size = item.width && item.height ? html` width="${item.width}" height="${item.height}"` : ''
  const poster = ownAddress(page, item.preview_image_url)
  if (item.type === 'photo') {
    const url = ownAddress(page, item.url)
    return url === undefined
      ? undefined
      : html`<a href="${url}"><img src="${url}" alt="${item.alt_text ?? ''}"${size} loading="lazy"></a>`
  }
  const sources = (item.variants ?? [])
    .toSorted((left, right) => (right.bit_rate ?? 0) - (left.bit_rate ?? 0))
    .flatMap(({ url, content_type: type }) => {
      const own = ownAddress(page, url)
      return own ? html`<source src="${own}" type="${type}">` : []
    })
  if (sources.length === 0) return undefined
  const kind = item.type === 'video' ? html` controls preload="none"` : html` autoplay loop muted playsinline`
  return html`<video${kind}${size}${poster ? html` poster="${poster}"` : ''}${item.alt_text ? html` aria-label="${item.alt_text}"` : ''}>${sources}</video>`
}
