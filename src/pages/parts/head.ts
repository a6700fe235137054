import { type Html, html } from '../../identity/pages/html.ts'
import { PREVIEW_SIZE_META } from '../../legacy-words.ts'
import { cutText } from '../../process/cut-text.ts'
import type { PageRequest } from '../page-request.ts'
import { ownAddress } from './own-address.ts'

const MOST_DESCRIPTION = 200

/** What search engines and previews of links show of a page. Only for what everybody may see. */
export function describedHead(
  page: PageRequest,
  about: {
    /** The one address of the page, without the mount. */
    path: string
    title: string
    description: string
    kind?: 'website' | 'article' | 'profile'
    /** An address on this server. */
    picture?: string | undefined
    hasEmbed?: boolean
  },
): Html {
  const { baseUrl } = page.runtime
  const address = baseUrl + about.path
  const description = cutText(about.description.replace(/\s+/g, ' ').trim(), MOST_DESCRIPTION)
  const own = ownAddress(page, about.picture)
  const picture = own === undefined ? undefined : baseUrl + own.slice(page.runtime.mount.length)
  return html`<link rel="canonical" href="${address}">
<meta name="description" content="${description}">
<meta property="og:site_name" content="Rostra">
<meta property="og:type" content="${about.kind ?? 'website'}">
<meta property="og:url" content="${address}">
<meta property="og:title" content="${about.title}">
<meta property="og:description" content="${description}">
${picture ? html`<meta property="og:image" content="${picture}">\n` : ''}<meta name="${PREVIEW_SIZE_META}" content="${picture && about.kind !== 'profile' ? 'summary_large_image' : 'summary'}">
${about.hasEmbed ? html`<link rel="alternate" type="application/json+oembed" href="${baseUrl}/oembed?url=${encodeURIComponent(address)}" title="${about.title}">\n` : ''}`
}
