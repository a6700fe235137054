import { Answer } from '../api-kit/writing/answer.ts'
import { type Html, html } from '../identity/pages/html.ts'
import { LOGO } from '../identity/pages/layout.ts'
import { assetPath } from './assets.ts'
import type { PageRequest } from './page-request.ts'
import { type IconName, icon } from './parts/icons.ts'
import { avatar } from './parts/user-card.ts'

/** What a page has besides the frame that all pages share. */
export interface PageContent {
  title: string
  main: Html
  /** A second column on wide screens. */
  aside?: Html
  /** Elements of the head: descriptions for search engines and previews. */
  head?: Html
  status?: number
  /** Whether search engines may list it; only what everybody can see. */
  isListed?: boolean
  /** What the live channel of the page follows: `home`, `post:<id>`, `messages`, ... */
  live?: string
  /** Further headers of the answer. */
  headers?: Record<string, string | string[]>
}

interface Entry {
  path: string
  text: string
  icon: IconName
}

const SIGNED_IN: readonly Entry[] = [
  { path: '/home', text: 'Home', icon: 'home' },
  { path: '/search', text: 'Search', icon: 'search' },
  { path: '/notifications', text: 'Notifications', icon: 'bell' },
  { path: '/messages', text: 'Messages', icon: 'mail' },
]
/** What a phone has in a menu, because its bar has room for five. */
const SIGNED_IN_REST: readonly Entry[] = [
  { path: '/i/bookmarks', text: 'Bookmarks', icon: 'bookmark' },
  { path: '/i/lists', text: 'Lists', icon: 'list' },
  { path: '/i/communities', text: 'Communities', icon: 'people' },
  { path: '/i/settings', text: 'Settings', icon: 'settings' },
]
const SIGNED_OUT: readonly Entry[] = [
  { path: '/search', text: 'Search', icon: 'search' },
  { path: '/i/trends', text: 'Trends', icon: 'trend' },
]

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; connect-src 'self'; " +
  "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

/** The answer with a whole page. */
export function writePage(page: PageRequest, content: PageContent): Answer {
  const { setCookie } = page.browser
  return new Answer(writeDocument(page, content), {
    status: content.status ?? 200,
    contentType: 'text/html; charset=utf-8',
    headers: {
      'content-security-policy': POLICY,
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      // The same address shows each viewer another page.
      vary: 'cookie, accept',
      ...(setCookie.length > 0 ? { 'set-cookie': setCookie } : {}),
      ...content.headers,
    },
  })
}

function writeDocument(page: PageRequest, content: PageContent): string {
  const { runtime, viewer, browser } = page
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${content.title} · Rostra</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="same-origin">
${content.isListed ? '' : html`<meta name="robots" content="noindex">\n`}<link rel="stylesheet" href="${assetPath(runtime, 'pages.css')}">
<link rel="icon" href="${runtime.mount}/favicon.ico">
<script type="module" src="${assetPath(runtime, 'pages.js')}"></script>
${content.head ?? ''}</head>
<body data-mount="${runtime.mount}"${viewer ? html` data-csrf="${browser.csrf}" data-viewer="${viewer.id}"` : ''}${content.live ? html` data-live="${content.live}"` : ''}>
<a class="skip" href="#main">Skip to the content</a>
<div class="frame${content.aside ? ' three' : ''}">
<header class="side">
<a class="brand" href="${runtime.mount}/${viewer ? 'home' : ''}">${LOGO}<span>Rostra</span></a>
${navigation(page)}
${viewer ? account(page) : signedOut(page)}
</header>
<main id="main" tabindex="-1">
${content.main}
</main>
${content.aside ? html`<aside class="more" aria-label="More">${content.aside}</aside>` : ''}
</div>
<div class="toast" role="status" aria-live="polite"></div>
</body>
</html>
`.text
}

function navigation({ runtime, viewer, request }: PageRequest): Html {
  const entries = viewer
    ? [...SIGNED_IN, ...SIGNED_IN_REST, { path: `/${viewer.username}`, text: 'Profile', icon: 'person' } as const]
    : SIGNED_OUT
  const current = ({ path }: Entry) => (request.path === path ? html` aria-current="page"` : '')
  const isRest = (entry: Entry) => SIGNED_IN_REST.includes(entry)
  return html`<nav aria-label="Main"><ul>
${entries.map(
  (
    entry,
  ) => html`<li${isRest(entry) ? html` class="rest"` : ''}><a href="${runtime.mount}${entry.path}"${current(entry)}>
${icon(entry.icon)}<span>${entry.text}</span>${entry.path === '/notifications' || entry.path === '/messages' ? html`<b class="count" data-count="${entry.path.slice(1)}" hidden></b>` : ''}</a></li>
`,
)}</ul></nav>
${
  viewer
    ? html`<details class="menu rest-menu"><summary aria-label="More pages">${icon('more')}</summary><ul>
${SIGNED_IN_REST.map((entry) => html`<li><a class="item" href="${runtime.mount}${entry.path}"${current(entry)}>${entry.text}</a></li>`)}</ul></details>`
    : ''
}`
}

function account(page: PageRequest): Html {
  const { runtime, viewer, browser } = page
  return html`<div class="me">
<a class="who" href="${runtime.mount}/${viewer!.username}">${avatar(page, viewer!)}<span><bdi>${viewer!.name}</bdi><span class="soft">@${viewer!.username}</span></span></a>
<form method="post" action="${runtime.mount}/i/sign-out"><input type="hidden" name="csrf" value="${browser.csrf}"><input type="hidden" name="return_to" value="/"><button class="button plain" type="submit">Sign out</button></form>
</div>`
}

const signedOut = ({ runtime }: PageRequest): Html => html`<div class="me">
<a class="button first" href="${runtime.mount}/i/sign-in?return_to=/home">Sign in</a>
<a class="button" href="${runtime.mount}/i/register">Register</a>
</div>`
