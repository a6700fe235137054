import { createHash } from 'node:crypto'
import { type Html, html, raw } from '../../identity/pages/html.ts'
import type { MediaFacts } from '../../social/media/media.statements.ts'
import { type UrlEntity, unescapeMarkup } from '../../social/text/wire-text.ts'
import { v1PostUrl } from '../../social/v1/compose-post.ts'
import { fullTextOf } from '../../social/v1/v1-text.ts'
import type { ShownPost } from './show-post.ts'

const STYLE = `
:root{color-scheme:light dark;--card:#fff;--ink:#1d1a21;--soft:#595461;--line:#dcd8e0;--accent:#6b1a4e}
@media (prefers-color-scheme:dark){:root{--card:#1c191f;--ink:#efecf2;--soft:#aea7b6;--line:#38323e;--accent:#dba9e4}}
*{box-sizing:border-box}
html{font:100%/1.5 system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif;background:var(--card);color:var(--ink)}
body{margin:0;padding:1rem;overflow-wrap:anywhere}
article{max-width:34rem;margin:0 auto;padding:1rem;border:1px solid var(--line);border-radius:.75rem}
header{display:flex;gap:.75rem;align-items:center;margin:0 0 .75rem}
.face{display:grid;place-items:center;flex:none;width:2.75rem;height:2.75rem;border-radius:50%;background:var(--accent);color:var(--card);font-weight:600}
bdi{display:block;font-weight:600;line-height:1.3}
.soft{margin:0;color:var(--soft);font-size:.9rem}
.text{margin:0;white-space:pre-wrap}
a{color:var(--accent)}
.media{display:grid;gap:.25rem;grid-template-columns:repeat(auto-fit,minmax(12rem,1fr));margin:.75rem 0 0;border-radius:.75rem;overflow:hidden}
.media img,.media video{display:block;width:100%;height:auto}
.said{margin:.75rem 0 0}
.said p{margin:0}
.button{display:inline-block;margin:.5rem 0 0;padding:.35rem 1rem;border:1px solid var(--accent);border-radius:2rem;text-decoration:none}
.card{margin:.75rem 0 0;padding:.75rem 1rem;border:1px solid var(--line);border-radius:.75rem}
footer{margin:.75rem 0 0;padding:.75rem 0 0;border-top:1px solid var(--line)}
`

/** The hash by which the page's content security policy allows its style. */
export const PREVIEW_STYLE_HASH = `sha256-${createHash('sha256').update(STYLE).digest('base64')}`

const page = (title: string, content: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} · Rostra</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<style>${raw(STYLE)}</style>
</head>
<body>
${content}
</body>
</html>
`.text

/** A post as its readers will see it. */
export function previewPage(post: ShownPost, card: string | undefined, baseUrl: string): string {
  const { name, username } = post.author
  const time = new Date(post.scheduledAt?.getTime() ?? post.createdAt).toISOString()
  return page(
    `Preview of a post by ${name}`,
    html`<article>
<header><span class="face" aria-hidden="true">${[...name][0]?.toUpperCase()}</span><div><bdi>${name}</bdi><p class="soft">@${username}</p></div></header>
<p class="text">${textOf(post)}</p>
${post.media.length === 0 ? '' : html`<div class="media">${post.media.map(figure)}</div>`}
${videoText(post)}
${card === undefined ? '' : html`<p class="card"><bdi>${card}</bdi></p>`}
<footer><p class="soft">${STATES[post.state]} <time datetime="${time}">${time.slice(0, 16).replace('T', ' ')} UTC</time>${
      post.nullcast ? ' · Promoted' : ''
    }</p>${post.state === 'PUBLISHED' ? html`<p class="soft"><a href="${v1PostUrl(baseUrl, username, post.id)}" rel="noopener noreferrer" target="_blank">Address of the post</a></p>` : ''}</footer>
</article>`,
  )
}

/** For links that have expired or never existed. */
export const expiredPage = (): string =>
  page(
    'No preview',
    html`<article><p class="text">This preview does not exist or has expired. Ask the advertiser for a new one.</p></article>`,
  )

const STATES = { DRAFT: 'Draft of', PUBLISHED: 'Published', SCHEDULED: 'To be published' }

/** The text with its links. Offsets in a wire text count code points. */
function textOf({ written }: ShownPost): Html[] {
  const { text, entities, range } = fullTextOf(written)
  const signs = Array.from(text)
  const links = (entities.urls ?? []).filter((item) => item.media_key === undefined)
  const parts: Html[] = []
  let at = range[0]
  for (const link of links) {
    parts.push(html`${unescapeMarkup(signs.slice(at, link.start).join(''))}`, anchor(link))
    at = link.end
  }
  parts.push(html`${unescapeMarkup(signs.slice(at, range[1]).join(''))}`)
  return parts
}

const anchor = ({ expanded_url: url, display_url: shown }: UrlEntity): Html =>
  /^https?:/i.test(url)
    ? html`<a href="${url}" rel="noopener noreferrer nofollow" target="_blank">${shown}</a>`
    : html`${shown}`

const ACTIONS = { visit_site: 'Visit site', watch_now: 'Watch now' } as const

/** The title, description and button below a video. */
function videoText({ media, videoDetails: words }: ShownPost): Html | string {
  if (!words || media[0]?.type !== 'video') return ''
  const { title, description, call_to_actions: actions } = words
  const buttons = (['visit_site', 'watch_now'] as const).flatMap((kind) => {
    const url = actions?.[kind]?.url
    return url === undefined || !/^https:/i.test(url) ? [] : [{ url, label: ACTIONS[kind] }]
  })
  if (title === undefined && description === undefined && buttons.length === 0) return ''
  return html`<div class="said">
${title === undefined ? '' : html`<bdi>${title}</bdi>`}
${description === undefined ? '' : html`<p>${description}</p>`}
${buttons.map(({ url, label }) => html`<a class="button" href="${url}" rel="noopener noreferrer nofollow" target="_blank">${label}</a>`)}
</div>`
}

function figure({ type, url, preview_image_url: poster, alt_text: words }: MediaFacts): Html {
  if (type === 'video')
    return html`<video controls preload="none" src="${url ?? ''}" poster="${poster ?? ''}" aria-label="${words ?? 'Video'}"></video>`
  return html`<img src="${url ?? ''}" alt="${words ?? ''}">`
}
