import { type Html, html, raw } from './html.ts'
import { document } from './layout.ts'
import { linkUrl } from './urls.ts'

/** A page that only shows a message: refusals, problem pages. */
export function messagePage(m: {
  title: string
  paragraphs: string[]
  tone: 'error' | 'info'
  links?: { href: string; text: string }[]
  details?: { name: string; value: string }[]
}): string {
  const text = m.paragraphs.map((paragraph) => html`<p>${paragraph}</p>\n`)
  const isError = m.tone === 'error'
  return document({
    title: m.title,
    width: 'mid',
    describedBy: isError && text.length > 0 ? 'error' : undefined,
    main: html`${isError ? MARK : ''}<h1>${m.title}</h1>
${text.length === 0 ? '' : isError ? html`<div class="prose" id="error" role="alert">\n${text}</div>` : html`<div class="prose">\n${text}</div>`}
${details(m.details ?? [])}
${links(m.links ?? [])}`,
  })
}

const MARK = raw(
  '<svg class="mark bad" viewBox="0 0 32 32" aria-hidden="true" focusable="false"><circle cx="16" cy="16" r="14" fill="none" ' +
    'stroke="currentColor" stroke-width="2"/><path d="M16 8.500v9.500" stroke="currentColor" stroke-width="2.500" ' +
    'stroke-linecap="round"/><circle cx="16" cy="22.800" r="1.700" fill="currentColor"/></svg>',
)

function details(rows: { name: string; value: string }[]): Html | '' {
  if (rows.length === 0) return ''
  return html`<dl>
${rows.map((row) => html`<div><dt>${row.name}</dt><dd>${row.value}</dd></div>\n`)}</dl>`
}

function links(entries: { href: string; text: string }[]): Html | '' {
  if (entries.length === 0) return ''
  return html`<ul class="links" role="list">
${entries.map((entry) => {
  const href = linkUrl(entry.href)
  return html`<li>${href ? html`<a href="${href}">${entry.text}</a>` : entry.text}</li>\n`
})}</ul>`
}
