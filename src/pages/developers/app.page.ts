import type { Caller } from '../../api-kit/declaring/caller.ts'
import type { Operation } from '../../api-kit/declaring/operation.ts'
import { type CallInput, callOperation } from '../../api-kit/serving/call-operation.ts'
import { FieldFaults } from '../../identity/accounts/field-faults.ts'
import { callingApp } from '../../identity/authenticate.ts'
import type { App } from '../../identity/credentials.parts.ts'
import { deleteOwnApp, findOwnApp, noSuchApp, rotateOwnApp, updateOwnApp } from '../../identity/developers/own-apps.ts'
import { type Html, html } from '../../identity/pages/html.ts'
import { readUsage } from '../../identity/usage/read-usage.ts'
import { createWebhooks, deleteWebhooks, getWebhooks, validateWebhooks } from '../../webhooks/configure-webhooks.ts'
import { accountForm, buttonForm, field } from '../accounts/fields.ts'
import { defineForm, type FormState, type Sent, typed, UNSENT } from '../accounts/form-page.ts'
import { settingsPage } from '../accounts/settings-frame.ts'
import { defineSignedInPage } from '../define-page.ts'
import type { PageContent } from '../layout.ts'
import type { SignedInRequest } from '../page-request.ts'
import { appFields, LEVEL_WORDS, secretList, typedApp } from './app-fields.ts'
import { usagePlot } from './usage-plot.ts'

const PATH = '/i/developer/apps/{id}'
const DAYS = 30
const DAY_MS = 86_400_000

/** The app of the address, if it is the viewer's; others do not learn whether it exists. */
async function ownApp(page: SignedInRequest): Promise<App> {
  const app = await findOwnApp(page.runtime, page.viewer.id, page.path.id ?? '')
  if (!app) throw noSuchApp()
  return app
}

interface WebhookView {
  id: string
  url: string
  valid: boolean
}

/** Runs an operation as the app does with its bearer token; a refusal is that of a form. */
async function callAsApp<T>(page: SignedInRequest, app: App, operation: Operation, input: CallInput): Promise<T> {
  const caller: Caller = { kind: 'app', app: callingApp(app), user: undefined, scopes: new Set(), level: 'read' }
  const answer = await callOperation<T>(page.runtime, page.request, caller, operation, input)
  if (answer.status >= 400) throw new FieldFaults({ [answer.status === 400 ? 'url' : 'form']: sentence(answer) })
  return answer.body
}

function sentence(answer: { body: unknown; reason: string | undefined }): string {
  const { errors } = answer.body as { errors?: { message?: string }[] }
  return errors?.[0]?.message ?? answer.reason ?? 'The request was refused.'
}

async function show(page: SignedInRequest, state: FormState): Promise<PageContent> {
  const app = await ownApp(page)
  const path = `/i/developer/apps/${app.id}`
  return settingsPage(page, {
    title: app.name,
    section: '/i/developer',
    main: html`<section aria-labelledby="facts"><h2 class="part" id="facts">App</h2>
<div class="fields">${app.suspended ? html`<p class="alert">An operator suspended this app. Its keys and tokens are refused.</p>` : ''}
<dl class="secrets">
<div><dt>App id</dt><dd>${app.id}</dd></div>
<div><dt>API key</dt><dd>${app.api_key}</dd></div>
<div><dt>Client id</dt><dd>${app.client_id}</dd></div>
<div><dt>Tier</dt><dd>${app.tier}</dd></div>
<div><dt>Permission</dt><dd>${LEVEL_WORDS[app.permission_level] ?? app.permission_level}</dd></div>
</dl>
<p class="hint">The tier says how much the app can do. An operator can change it.</p></div></section>
${await usage(page, app)}
<section aria-labelledby="edit"><h2 class="part" id="edit">Settings</h2>
${accountForm(page, state, `${path}/update`, appFields(state, `${path}/update`, app), { text: 'Save app' })}</section>
<section aria-labelledby="keys"><h2 class="part" id="keys">New keys</h2>
${accountForm(
  page,
  state,
  `${path}/rotate`,
  field(state, `${path}/rotate`, {
    name: 'understood',
    label: 'End all keys and tokens of this app',
    type: 'checkbox',
    required: true,
    hint: 'Users have to give access again.',
  }),
  { text: 'Make new keys', classes: 'button bad' },
)}</section>
${app.suspended ? '' : await webhooks(page, state, app, path)}
<section aria-labelledby="delete"><h2 class="part" id="delete">Delete the app</h2>
${accountForm(
  page,
  state,
  `${path}/delete`,
  field(state, `${path}/delete`, {
    name: 'understood',
    label: 'Delete this app, its tokens, rules, subscriptions and webhooks',
    type: 'checkbox',
    required: true,
    hint: 'This cannot be undone. Posts that it wrote stay.',
  }),
  { text: 'Delete app', classes: 'button bad' },
)}</section>`,
  })
}

async function usage(page: SignedInRequest, app: App): Promise<Html> {
  if (!page.runtime.hasUsage) return html``
  const read = await readUsage(page.runtime, { projectId: app.project_id, tier: app.tier }, DAYS)
  const counted = read.daily_client_app_usage?.find((item) => item.client_app_id === app.id)?.usage ?? []
  const byDay = new Map(counted.map((item) => [item.date.slice(0, 10), item.usage]))
  const days = Array.from({ length: DAYS }, (_, index) => {
    const day = new Date(page.now - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10)
    return { day, used: byDay.get(day) ?? 0 }
  })
  return html`<section aria-labelledby="usage"><h2 class="part" id="usage">Usage</h2>
<div class="fields">${usagePlot(days)}
<p class="soft small">Posts that this app read, in ${DAYS} days. Its project read ${read.project_usage} of ${read.project_cap} posts this month; the count begins again in ${read.cap_reset_day} days.</p></div></section>`
}

async function webhooks(page: SignedInRequest, state: FormState, app: App, path: string): Promise<Html> {
  const { data = [] } = await callAsApp<{ data?: WebhookView[] }>(page, app, getWebhooks, {})
  const form = `${path}/webhooks`
  const faults = state.sentTo.startsWith(`${form}/`) ? state.faults : {}
  return html`<section aria-labelledby="webhooks"><h2 class="part" id="webhooks">Webhooks</h2>
${Object.values(faults).map((text) => html`<div class="fields"><p class="alert" role="alert">${text}</p></div>`)}
${
  data.length === 0
    ? html`<p class="fields soft">This app has no webhooks.</p>`
    : html`<ul class="rows">\n${data.map(
        (
          item,
        ) => html`<li><div><code>${item.url}</code> ${item.valid ? html`<span class="tag">Valid</span>` : html`<span class="tag bad">Not valid</span>`}</div>
${buttonForm(page, `${form}/validate`, { webhook_id: item.id }, { text: 'Validate', label: `Validate ${item.url}` })}${buttonForm(page, `${form}/delete`, { webhook_id: item.id }, { text: 'Remove', label: `Remove ${item.url}`, classes: 'button small bad' })}</li>\n`,
      )}</ul>`
}
${accountForm(
  page,
  state,
  form,
  field(state, form, {
    name: 'url',
    label: 'Address',
    type: 'url',
    hint: 'It has to answer the challenge, which is signed with the API key secret.',
    required: true,
    most: 200,
  }),
  { text: 'Register webhook' },
)}</section>`
}

const to = (app: App, done: string): Sent => ({ to: `/i/developer/apps/${app.id}?done=${done}` })

/** An app of a developer: its settings, keys, usage and webhooks. */
export const appPages = [
  defineSignedInPage('ownAppPage', `GET ${PATH}`, (page) => show(page, UNSENT)),
  defineForm(
    'updateOwnApp',
    `POST ${PATH}/update`,
    async (page, form) => {
      const app = await ownApp(page)
      await updateOwnApp(page.runtime, app, typedApp(form))
      return to(app, 'saved')
    },
    show,
  ),
  defineForm(
    'rotateOwnApp',
    `POST ${PATH}/rotate`,
    async (page, form) => {
      const app = await ownApp(page)
      if (!form.has('understood')) throw new FieldFaults({ understood: 'Confirm that you want this.' })
      const secrets = await rotateOwnApp(page.runtime, app)
      return {
        ...settingsPage(page, {
          title: 'New keys',
          section: '/i/developer',
          main: html`<div class="fields prose">
<p>These are the new keys of <bdi>${app.name}</bdi>. They are shown only now: store them in a safe place.</p>
${secretList(secrets)}
<p><a class="button first" href="${page.runtime.mount}/i/developer/apps/${app.id}">Back to the app</a></p></div>`,
        }),
        headers: { 'cache-control': 'no-store' },
      }
    },
    show,
  ),
  defineForm(
    'deleteOwnApp',
    `POST ${PATH}/delete`,
    async (page, form) => {
      const app = await ownApp(page)
      if (!form.has('understood')) throw new FieldFaults({ understood: 'Confirm that you want this.' })
      await deleteOwnApp(page.runtime, app)
      return { to: '/i/developer?done=deleted' }
    },
    show,
  ),
  defineForm(
    'createOwnWebhook',
    `POST ${PATH}/webhooks`,
    async (page, form) => {
      const app = await ownApp(page)
      await callAsApp(page, app, createWebhooks, { body: { url: typed(form, 'url') } })
      return to(app, 'webhook')
    },
    show,
  ),
  defineForm(
    'validateOwnWebhook',
    `POST ${PATH}/webhooks/validate`,
    async (page, form) => {
      const app = await ownApp(page)
      const input = { path: { webhook_id: typed(form, 'webhook_id') } }
      const { errors } = await callAsApp<{ errors?: { detail: string }[] }>(page, app, validateWebhooks, input)
      if (errors?.[0]) throw new FieldFaults({ form: errors[0].detail })
      return to(app, 'webhook-valid')
    },
    show,
  ),
  defineForm(
    'deleteOwnWebhook',
    `POST ${PATH}/webhooks/delete`,
    async (page, form) => {
      const app = await ownApp(page)
      await callAsApp(page, app, deleteWebhooks, { path: { webhook_id: typed(form, 'webhook_id') } })
      return to(app, 'webhook-removed')
    },
    show,
  ),
]
