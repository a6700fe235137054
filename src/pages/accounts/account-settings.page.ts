import { FieldFaults } from '../../identity/accounts/field-faults.ts'
import { changePassword, requirePassword } from '../../identity/accounts/own-password.ts'
import { html } from '../../identity/pages/html.ts'
import { endSession } from '../../identity/sign-in/sessions.ts'
import { deleteAccount } from '../../social/accounts/delete-account.ts'
import { changeEmail, changeUsername, readEmail } from '../../social/accounts/own-profile.ts'
import { defineSignedInPage } from '../define-page.ts'
import type { PageContent } from '../layout.ts'
import type { SignedInRequest } from '../page-request.ts'
import { accountForm, field } from './fields.ts'
import { defineForm, type FormState, typed, UNSENT } from './form-page.ts'
import { settingsPage } from './settings-frame.ts'

const USERNAME = '/i/settings/username'
const EMAIL = '/i/settings/email'
const PASSWORD = '/i/settings/password'
const DELETE = '/i/settings/delete'

const currentPassword = (state: FormState, form: string) =>
  field(state, form, {
    name: 'current_password',
    label: 'Current password',
    type: 'password',
    autocomplete: 'current-password',
    required: true,
    most: 1000,
  })

async function show(page: SignedInRequest, state: FormState): Promise<PageContent> {
  const { email, email_confirmed: isConfirmed } = await readEmail(page.runtime, page.viewer.id)
  const newPassword = (name: string, label: string, hint?: string) =>
    field(state, PASSWORD, {
      name,
      label,
      type: 'password',
      autocomplete: 'new-password',
      required: true,
      most: 500,
      ...(hint ? { hint } : {}),
    })
  return settingsPage(page, {
    title: 'Account',
    section: '/i/settings/account',
    main: html`<section aria-labelledby="username"><h2 class="part" id="username">Username</h2>
${accountForm(
  page,
  state,
  USERNAME,
  field(state, USERNAME, {
    name: 'username',
    label: 'Username',
    value: page.viewer.username,
    autocomplete: 'username',
    hint: 'Addresses of your profile and posts change with it. Old ones do not lead to the new ones.',
    required: true,
    most: 15,
  }),
  { text: 'Change username' },
)}</section>
<section aria-labelledby="email"><h2 class="part" id="email">E-mail address</h2>
${accountForm(
  page,
  state,
  EMAIL,
  html`${field(state, EMAIL, {
    name: 'email',
    label: 'E-mail address',
    type: 'email',
    value: email ?? '',
    autocomplete: 'email',
    hint: email
      ? `It is ${isConfirmed ? 'confirmed: apps that you allow to can see it' : 'not confirmed: apps do not see it'}. Empty removes it.`
      : 'You can sign in with it. Nobody else sees it.',
    most: 200,
  })}${currentPassword(state, EMAIL)}`,
  { text: 'Save e-mail address' },
)}</section>
<section aria-labelledby="password"><h2 class="part" id="password">Password</h2>
${accountForm(
  page,
  state,
  PASSWORD,
  html`${currentPassword(state, PASSWORD)}${newPassword('new_password', 'New password', 'At least 8 characters. You are signed out everywhere else.')}${newPassword('repeated_password', 'New password again')}`,
  { text: 'Change password' },
)}</section>
<section aria-labelledby="end"><h2 class="part" id="end">Delete your account</h2>
<p class="fields"><a href="${page.runtime.mount}${DELETE}">Delete your account</a></p></section>`,
  })
}

async function showDelete(page: SignedInRequest, state: FormState): Promise<PageContent> {
  const { mount } = page.runtime
  return settingsPage(page, {
    title: 'Delete your account',
    section: '/i/settings/account',
    main: html`<div class="fields prose">
<p>This deletes <bdi>${page.viewer.name}</bdi> (@${page.viewer.username}). It takes effect at once and cannot be undone.</p>
<ul>
<li>Your profile, posts, likes, follows, lists and pictures are removed, and nobody finds them any more.</li>
<li>Messages that you sent stay with those who received them.</li>
<li>Your apps stop working, with all their keys and webhooks.</li>
<li>Your username becomes free for others.</li>
</ul>
<p><a href="${mount}/i/settings/data">Download your data</a> first, if you want to keep it.</p>
</div>
${accountForm(
  page,
  state,
  DELETE,
  html`${field(state, DELETE, { name: 'understood', label: 'I understand that this cannot be undone', type: 'checkbox', required: true })}${currentPassword(state, DELETE)}`,
  { text: 'Delete my account', classes: 'button bad' },
)}`,
  })
}

/** Username, e-mail address, password and the end of an account. */
export const accountSettingsPages = [
  defineSignedInPage('accountSettingsPage', 'GET /i/settings/account', (page) => show(page, UNSENT)),
  defineForm(
    'saveUsername',
    `POST ${USERNAME}`,
    async (page, form) => {
      await changeUsername(page.runtime, page.viewer.id, typed(form, 'username').replace(/^@/, ''))
      return { to: '/i/settings/account?done=username' }
    },
    show,
  ),
  defineForm(
    'saveEmail',
    `POST ${EMAIL}`,
    async (page, form) => {
      const { runtime, request, browser, viewer } = page
      await requirePassword(runtime, request, browser, viewer.id, form.get('current_password') ?? '')
      await changeEmail(runtime, viewer.id, typed(form, 'email'))
      return { to: '/i/settings/account?done=email' }
    },
    show,
  ),
  defineForm(
    'savePassword',
    `POST ${PASSWORD}`,
    async ({ runtime, request, browser, viewer }, form) => {
      const device = await changePassword(runtime, request, browser, viewer.id, {
        current: form.get('current_password') ?? '',
        wanted: form.get('new_password') ?? '',
        repeated: form.get('repeated_password') ?? '',
      })
      return { to: '/i/settings/account?done=password', cookies: [device] }
    },
    show,
  ),
  defineSignedInPage('deleteAccountPage', `GET ${DELETE}`, (page) => showDelete(page, UNSENT)),
  defineForm(
    'deleteOwnAccount',
    `POST ${DELETE}`,
    async ({ runtime, request, browser, viewer }, form) => {
      if (!form.has('understood')) throw new FieldFaults({ understood: 'Confirm that you understand this.' })
      await requirePassword(runtime, request, browser, viewer.id, form.get('current_password') ?? '')
      await deleteAccount(runtime, viewer.id)
      return { to: '/', cookies: [await endSession(runtime, browser)] }
    },
    showDelete,
  ),
]
