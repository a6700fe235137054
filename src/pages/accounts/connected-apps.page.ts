import { type ConnectedApp, readConnectedApps, revokeApp } from '../../identity/accounts/connected-apps.ts'
import { type Html, html } from '../../identity/pages/html.ts'
import { accessLevelSentences, scopeSentences } from '../../identity/pages/index.ts'
import { hostOf, webUrl } from '../../identity/pages/urls.ts'
import { isStorableId } from '../../process/ids.ts'
import { defineSignedInPage } from '../define-page.ts'
import type { PageContent } from '../layout.ts'
import type { SignedInRequest } from '../page-request.ts'
import { exactMoment } from '../parts/moment.ts'
import { buttonForm } from './fields.ts'
import { defineForm } from './form-page.ts'
import { settingsPage } from './settings-frame.ts'

const PATH = '/i/settings/apps'
const AT_ONCE = 50

async function show(page: SignedInRequest): Promise<PageContent> {
  const given = page.query.get('after') ?? '0'
  const after = isStorableId(given) ? given : '0'
  const found = await readConnectedApps(page.runtime, page.viewer.id, { after, limit: AT_ONCE + 1 })
  const apps = found.slice(0, AT_ONCE)
  return settingsPage(page, {
    title: 'Connected apps',
    section: PATH,
    main: html`<p class="fields soft">The apps that can use your account. An app loses its access at once when you revoke it.</p>
${apps.length === 0 ? html`<p class="empty soft">No app has access to your account.</p>` : html`<ul class="rows">\n${apps.map((app) => row(page, app))}</ul>`}
${found.length > AT_ONCE ? html`<p class="next"><a class="button" href="${page.runtime.mount}${PATH}?after=${apps.at(-1)!.id}">More apps</a></p>` : ''}`,
  })
}

function row(page: SignedInRequest, app: ConnectedApp): Html {
  const website = webUrl(app.website_url)
  const sentences = new Set([
    ...(app.access_level === null ? [] : accessLevelSentences(app.access_level).can),
    ...(app.scopes.length === 0 ? [] : scopeSentences(app.scopes).can),
  ])
  return html`<li><div><strong><bdi>${app.name}</bdi></strong> <span class="soft">by @${app.owner}</span>
${app.description ? html`<p><bdi>${app.description}</bdi></p>` : ''}
<p class="soft small">Since ${exactMoment(app.since.toISOString())}${app.last_token_at ? html`, last renewed ${exactMoment(app.last_token_at.toISOString())}` : ''}${website ? html` · <a href="${website}" rel="noreferrer nofollow">${hostOf(website)}</a>` : ''}</p>
<details class="small"><summary>What it can do</summary><ul>${[...sentences].map((sentence) => html`<li>${sentence}</li>`)}</ul></details></div>
${buttonForm(page, `${PATH}/revoke`, { app_id: app.id }, { text: 'Revoke access', label: `Revoke access of ${app.name}`, classes: 'button small bad' })}</li>
`
}

/** The apps that have access to the account. */
export const connectedAppPages = [
  defineSignedInPage('connectedAppsPage', `GET ${PATH}`, show),
  defineForm(
    'revokeApp',
    `POST ${PATH}/revoke`,
    async ({ runtime, viewer }, form) => {
      const isEnded = await revokeApp(runtime, viewer.id, form.get('app_id') ?? '')
      return { to: isEnded ? `${PATH}?done=app` : PATH }
    },
    show,
  ),
]
