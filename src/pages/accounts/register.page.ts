import { redirect } from '../../api-kit/writing/answer.ts'
import { html } from '../../identity/pages/html.ts'
import { startSession } from '../../identity/sign-in/sessions.ts'
import { safeReturn } from '../../identity/sign-in/sign-in.ts'
import { register } from '../../social/accounts/register.ts'
import { definePeoplePage } from '../define-page.ts'
import type { PageContent } from '../layout.ts'
import type { PageRequest } from '../page-request.ts'
import { accountForm, field } from './fields.ts'
import { defineOpenForm, type FormState, typed, UNSENT } from './form-page.ts'

const PATH = '/i/register'

async function show(page: PageRequest, state: FormState): Promise<PageContent> {
  const { mount, registration } = page.runtime
  const returnTo = safeReturn(state.values.get('return_to') ?? page.query.get('return_to')) ?? '/home'
  const signIn = html`<div class="fields"><p class="soft">You have an account? <a href="${mount}/i/sign-in?return_to=${encodeURIComponent(returnTo)}">Sign in</a></p></div>`
  if (registration === 'closed')
    return {
      title: 'Register',
      main: html`<h1 class="top">Register</h1>
<p class="fields">Nobody can register on this server. Ask its operator for an account.</p>
${signIn}`,
    }
  const fields = html`${field(state, PATH, {
    name: 'username',
    label: 'Username',
    autocomplete: 'username',
    hint: 'Letters, digits and underscores, 15 at most. You can change it later.',
    required: true,
    most: 15,
  })}${field(state, PATH, { name: 'name', label: 'Name', autocomplete: 'name', hint: 'What others see.', required: true, most: 50 })}${field(
    state,
    PATH,
    {
      name: 'email',
      label: 'E-mail address (optional)',
      type: 'email',
      autocomplete: 'email',
      hint: 'You can sign in with it. Nobody else sees it.',
      most: 200,
    },
  )}${field(state, PATH, {
    name: 'password',
    label: 'Password',
    type: 'password',
    autocomplete: 'new-password',
    hint: 'At least 8 characters.',
    required: true,
    most: 500,
  })}${
    registration === 'invitation'
      ? field(state, PATH, {
          name: 'invitation',
          label: 'Invitation',
          value: page.query.get('invitation') ?? '',
          hint: 'The code that you got. You need one to register on this server.',
          required: true,
          most: 100,
        })
      : ''
  }`
  return {
    title: 'Register',
    main: html`<h1 class="top">Register</h1>
${accountForm(page, state, PATH, fields, { text: 'Create account' }, { return_to: returnTo })}
${signIn}`,
  }
}

/** The page on which somebody creates an account. */
export const registerPages = [
  definePeoplePage('registerPage', `GET ${PATH}`, async (page) =>
    page.viewer ? redirect(`${page.runtime.mount}/home`) : show(page, UNSENT),
  ),
  defineOpenForm(
    'register',
    `POST ${PATH}`,
    async (page, form) => {
      const { runtime, request, browser } = page
      const id = await register(runtime, request, {
        username: typed(form, 'username').replace(/^@/, ''),
        name: typed(form, 'name'),
        email: typed(form, 'email'),
        password: form.get('password') ?? '',
        invitation: typed(form, 'invitation'),
      })
      const cookies = [await startSession(runtime, browser, id)]
      return { to: safeReturn(form.get('return_to')) ?? '/home', cookies }
    },
    show,
  ),
]
