import { endOtherSessions, endOwnSession, readSessions } from '../../identity/accounts/own-sessions.ts'
import { html } from '../../identity/pages/html.ts'
import { defineSignedInPage } from '../define-page.ts'
import type { PageContent } from '../layout.ts'
import type { SignedInRequest } from '../page-request.ts'
import { exactMoment } from '../parts/moment.ts'
import { buttonForm } from './fields.ts'
import { defineForm } from './form-page.ts'
import { settingsPage } from './settings-frame.ts'

const PATH = '/i/settings/sessions'

async function show(page: SignedInRequest): Promise<PageContent> {
  const sessions = await readSessions(page.runtime, page.viewer.id, page.browser.session)
  return settingsPage(page, {
    title: 'Sessions',
    section: PATH,
    main: html`<p class="fields soft">The browsers in which you are signed in. If you do not know one, sign it out and change your password.</p>
<ul class="rows">
${sessions.map((session) => {
  const agent = session.agent || 'Unknown browser'
  const begun = session.created_at
    ? html`Signed in ${exactMoment(session.created_at.toISOString())}`
    : 'Signed in earlier'
  return html`<li><div><strong>${agent}</strong>${session.is_current ? html` <span class="tag">This browser</span>` : ''}
<p class="soft small">${begun}${session.last_seen_on ? html`, last used on ${session.last_seen_on}` : ''}</p></div>
${session.is_current ? '' : buttonForm(page, `${PATH}/end`, { session: session.id }, { text: 'Sign out', label: `Sign out ${agent}` })}</li>
`
})}</ul>
${sessions.length > 1 ? html`<div class="fields"><div>${buttonForm(page, `${PATH}/end-others`, {}, { text: 'Sign out everywhere else', classes: 'button' })}</div></div>` : ''}`,
  })
}

/** The browsers in which the user is signed in. */
export const sessionPages = [
  defineSignedInPage('sessionsPage', `GET ${PATH}`, show),
  defineForm(
    'endSession',
    `POST ${PATH}/end`,
    async ({ runtime, viewer }, form) => {
      // A session of somebody else, or one that has ended, is not there: the list shows it.
      const isEnded = await endOwnSession(runtime.database, viewer.id, form.get('session') ?? '')
      return { to: isEnded ? `${PATH}?done=session` : PATH }
    },
    show,
  ),
  defineForm(
    'endOtherSessions',
    `POST ${PATH}/end-others`,
    async ({ runtime, viewer, browser }) => {
      await endOtherSessions(runtime.database, viewer.id, browser.session)
      return { to: `${PATH}?done=sessions` }
    },
    show,
  ),
]
