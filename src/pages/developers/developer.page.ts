import { createOwnApp, readOwnApps } from '../../identity/developers/own-apps.ts'
import { html } from '../../identity/pages/html.ts'
import { accountForm, field } from '../accounts/fields.ts'
import { defineForm, type FormState, typed, UNSENT } from '../accounts/form-page.ts'
import { settingsPage } from '../accounts/settings-frame.ts'
import { defineSignedInPage } from '../define-page.ts'
import type { PageContent } from '../layout.ts'
import type { SignedInRequest } from '../page-request.ts'
import { appFields, LEVEL_WORDS, secretList, typedApp } from './app-fields.ts'

const PATH = '/i/developer'
const CREATE = `${PATH}/apps` as const

const NEW_APP = {
  name: '',
  description: '',
  website_url: '',
  callback_urls: [],
  permission_level: 'read-write-messages',
  client_type: 'confidential',
}

async function show(page: SignedInRequest, state: FormState): Promise<PageContent> {
  const { mount } = page.runtime
  const { projects, apps } = await readOwnApps(page.runtime, page.viewer.id)
  const nameOf = new Map(projects.map((project) => [project.id, project.name]))
  const choose = html`${field(state, CREATE, {
    name: 'project',
    label: 'Project',
    type: 'select',
    value: projects[0]?.id ?? '',
    options: [
      ...(projects.length === 0 ? [{ value: '', text: 'My first project' }] : []),
      ...projects.map((project) => ({ value: project.id, text: project.name })),
      { value: 'new', text: 'A new project' },
    ],
    hint: 'The apps of a project share its usage.',
  })}${field(state, CREATE, { name: 'new_project', label: 'Name of the new project', hint: 'Only for a new project.', most: 50 })}`
  return settingsPage(page, {
    title: 'Developers',
    section: PATH,
    main: html`<section aria-labelledby="apps"><h2 class="part" id="apps">Your apps</h2>
${
  apps.length === 0
    ? html`<p class="empty soft">You have no apps yet.</p>`
    : html`<ul class="rows">\n${apps.map(
        (
          app,
        ) => html`<li><div><a href="${mount}${CREATE}/${app.id}"><strong><bdi>${app.name}</bdi></strong></a>${app.suspended ? html` <span class="tag bad">Suspended</span>` : ''}
<p class="soft small"><bdi>${nameOf.get(app.project_id) ?? 'A project of somebody else'}</bdi> · ${app.tier} · ${LEVEL_WORDS[app.permission_level] ?? app.permission_level}</p></div></li>\n`,
      )}</ul>`
}</section>
<section aria-labelledby="create"><h2 class="part" id="create">Create an app</h2>
${accountForm(page, state, CREATE, html`${appFields(state, CREATE, NEW_APP)}${choose}`, { text: 'Create app' })}</section>`,
  })
}

/** The apps of a developer. */
export const developerPages = [
  defineSignedInPage('developerPage', `GET ${PATH}`, (page) => show(page, UNSENT)),
  defineForm(
    'createOwnApp',
    `POST ${CREATE}`,
    async (page, form) => {
      const given = typedApp(form)
      const project = { id: typed(form, 'project'), newName: typed(form, 'new_project') }
      const { id, secrets } = await createOwnApp(page.runtime, page.viewer.id, given, project)
      return {
        ...settingsPage(page, {
          title: 'Your app was created',
          section: PATH,
          main: html`<div class="fields prose">
<p>These are the keys of <bdi>${given.name}</bdi>. They are shown only now: store them in a safe place.</p>
${secretList(secrets)}
<p><a class="button first" href="${page.runtime.mount}${CREATE}/${id}">Go on to the app</a></p></div>`,
        }),
        headers: { 'cache-control': 'no-store' },
      }
    },
    show,
  ),
]
