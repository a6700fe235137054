import { type Html, html } from '../../identity/pages/html.ts'
import type { PageContent } from '../layout.ts'
import type { PageRequest } from '../page-request.ts'

const SECTIONS = [
  ['/i/settings', 'Profile'],
  ['/i/settings/account', 'Account'],
  ['/i/settings/sessions', 'Sessions'],
  ['/i/settings/apps', 'Apps'],
  ['/i/settings/data', 'Your data'],
  ['/i/developer', 'Developers'],
] as const

/** What a page says after a change, by the word in its address. */
const DONE: Record<string, string> = {
  profile: 'Your profile was saved.',
  picture: 'Your pictures were saved.',
  username: 'Your username was changed.',
  email: 'Your e-mail address was saved.',
  password: 'Your password was changed. You were signed out everywhere else.',
  session: 'The session was ended.',
  sessions: 'You were signed out everywhere else.',
  app: 'The access of the app was revoked.',
  saved: 'The app was saved.',
  deleted: 'The app was deleted.',
  webhook: 'The webhook was registered.',
  'webhook-removed': 'The webhook was removed.',
  'webhook-valid': 'The webhook passed the challenge.',
}

/** A page of the settings: tabs to the others, what was just done, and the content. */
export function settingsPage(
  page: PageRequest,
  options: { title: string; section: (typeof SECTIONS)[number][0]; main: Html; status?: number },
): PageContent {
  const { mount } = page.runtime
  const done = DONE[page.query.get('done') ?? '']
  return {
    title: options.title,
    ...(options.status === undefined ? {} : { status: options.status }),
    main: html`<h1 class="top">${options.title}</h1>
<nav class="tabs" aria-label="Settings">${SECTIONS.map(([path, text]) => html`<a href="${mount}${path}"${path === options.section ? html` aria-current="page"` : ''}>${text}</a>`)}</nav>
${done ? html`<p class="done" role="status">${done}</p>` : ''}
${options.main}`,
  }
}
