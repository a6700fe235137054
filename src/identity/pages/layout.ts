import { type Html, html, raw } from './html.ts'
import { STYLE } from './style.ts'
import { formAction } from './urls.ts'

export { STYLE_HASH } from './style.ts'

/** An R whose bowl is the prow of a ship: such prows decorated the speakers' platform in Rome. */
export const LOGO = raw(
  '<svg viewBox="4 3 24 26" aria-hidden="true" focusable="false"><path fill="currentColor" ' +
    'd="M4 3h6v26H4zM12 3l16 8-16 8zM12 21.200l4.200-2.100L28 29h-7.400z"/></svg>',
)

export function document(page: {
  title: string
  width?: 'mid' | 'wide'
  main: Html
  footer?: Html
  describedBy?: string
}): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${page.title} · Rostra</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="same-origin">
<meta name="robots" content="noindex">
<style>${raw(STYLE)}</style>
</head>
<body>
<div class="page ${page.width}">
<header class="brand">${LOGO}<span>Rostra</span></header>
<main${page.describedBy ? html` aria-describedby="${page.describedBy}"` : ''}>
${page.main}
</main>
${page.footer ? html`<footer>${page.footer}</footer>` : ''}
</div>
</body>
</html>
`.text
}

/** Fields that the page itself sends; a hidden field of the same name would be read instead. */
const OWN_FIELDS = new Set(['csrf', 'decision', 'username', 'password', 'as_user'])

/** A form that posts, with its token against forged requests and hidden fields that come back unchanged. */
export function postForm(form: { action: string; csrf: string; hidden: Record<string, string> }, content: Html): Html {
  const hidden = Object.entries(form.hidden).filter(([name]) => !OWN_FIELDS.has(name))
  return html`<form method="post" action="${formAction(form.action)}">
<input type="hidden" name="csrf" value="${form.csrf}">
${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`)}${content}
</form>`
}

/** A name that somebody chose. It is isolated, so right-to-left marks in it cannot reorder the text around it. */
export function name(text: string): Html {
  return html`<bdi>${text}</bdi>`
}
