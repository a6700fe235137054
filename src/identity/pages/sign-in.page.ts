import { type Html, html } from './html.ts'
import { document, name, postForm } from './layout.ts'
import { returnUrl } from './urls.ts'

/** Does not say which of the two is wrong, or whether the account exists. */
export const SIGN_IN_FAILED = 'The username or the password is wrong. Check both and try again.'

export function signInPage(m: {
  action: string
  csrf: string
  hidden: Record<string, string>
  username?: string
  error?: string
  appName?: string
  purpose: 'authorize' | 'session'
  cancelUrl?: string
  /** Where somebody without an account creates one. */
  registerUrl?: string
  /** Users who can be signed in with a click, on a server for development. */
  usersToClick?: { id: string; username: string; name: string }[]
}): string {
  const cancel = returnUrl(m.cancelUrl)
  const invalid = m.error ? html` aria-invalid="true" aria-describedby="error"` : ''
  const focusPassword = Boolean(m.username)
  const lead =
    m.purpose === 'authorize'
      ? html`<p class="soft">${m.appName ? name(m.appName) : 'An app'} would like to use your account. Sign in to decide.</p>`
      : html`<p class="soft">Use your account on this server.</p>`
  const footer =
    m.purpose === 'authorize'
      ? html`<p>${m.appName ? name(m.appName) : 'The app'} does not see your password.${cancel ? '' : ' To stop here, close this page: nothing has been shared.'}</p>`
      : undefined
  const register = m.registerUrl
    ? html`<p class="soft below">No account yet? <a href="${m.registerUrl}">Create one</a></p>`
    : ''

  return document({
    title: m.error ? 'Error: Sign in' : 'Sign in',
    main: html`<h1>Sign in</h1>
${lead}
${m.error ? html`<div class="alert" id="error" role="alert"><strong>You are not signed in</strong>${m.error}</div>` : ''}
${postForm(
  { action: m.action, csrf: m.csrf, hidden: m.hidden },
  html`<label for="username">Username</label>
<input id="username" name="username" type="text" value="${m.username ?? ''}" autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false" required${invalid}${focusPassword ? '' : ' autofocus'}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${invalid}${focusPassword ? ' autofocus' : ''}>
<div class="actions">
<button class="button first" type="submit">Sign in</button>
${cancel ? html`<a class="button" href="${cancel}">Cancel</a>` : ''}
</div>`,
)}
${register}
${m.usersToClick?.length ? clickable(m, m.usersToClick) : ''}`,
    footer,
  })
}

/** Buttons that sign in without a password. They come last, so the form with the password stays the first. */
const clickable = (
  form: { action: string; csrf: string; hidden: Record<string, string> },
  users: { id: string; username: string; name: string }[],
): Html => html`<section class="decide click" aria-labelledby="click">
<h2 id="click">Or sign in with a click</h2>
<p class="soft small">Only on this machine, for development (<code>--dev-sign-in</code>).</p>
${postForm(
  form,
  html`<div class="actions">
${users.map((user) => html`<button class="button" type="submit" name="as_user" value="${user.id}"><span>${name(user.name)} <span class="soft">@${user.username}</span></span></button>\n`)}</div>`,
)}
</section>`
