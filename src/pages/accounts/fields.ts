import { type Html, html } from '../../identity/pages/html.ts'
import type { PageRequest } from '../page-request.ts'
import type { FormState } from './form-page.ts'

interface Field {
  name: string
  label: string
  type?: 'text' | 'password' | 'email' | 'url' | 'textarea' | 'select' | 'checkbox'
  /** What is shown before somebody types. */
  value?: string
  hint?: string | Html
  autocomplete?: string
  required?: boolean
  most?: number
  options?: readonly { value: string; text: string }[]
  isChecked?: boolean
}

/** A field with its label and hint. What is wrong with it stands beside it, and screen readers say it with the field. */
export function field(state: FormState, form: string, item: Field): Html {
  const isSent = state.sentTo === form
  const id = `${form.split('/').at(-1)}-${item.name}`
  const fault = isSent ? state.faults[item.name] : undefined
  const kept = item.type === 'password' ? undefined : isSent ? state.values.get(item.name) : undefined
  const value = kept ?? item.value ?? ''
  const described = [item.hint ? `${id}-hint` : '', fault ? `${id}-fault` : ''].filter((name) => name !== '').join(' ')
  const isFirst = fault !== undefined && Object.keys(state.faults)[0] === item.name
  const common = html` id="${id}" name="${item.name}"${described ? html` aria-describedby="${described}"` : ''}${fault ? html` aria-invalid="true"` : ''}${item.required ? ' required' : ''}${item.most ? html` maxlength="${item.most}"` : ''}${item.autocomplete ? html` autocomplete="${item.autocomplete}"` : ''}${isFirst ? ' autofocus' : ''}`
  const notes = html`${item.hint ? html`<p class="hint" id="${id}-hint">${item.hint}</p>` : ''}${fault ? html`<p class="fault" id="${id}-fault">${fault}</p>` : ''}`
  if (item.type === 'checkbox') {
    const isChecked = isSent ? state.values.has(item.name) : item.isChecked
    return html`<div class="field"><label class="check"><input type="checkbox" value="yes"${common}${isChecked ? ' checked' : ''}> ${item.label}</label>${notes}</div>
`
  }
  return html`<div class="field"><label for="${id}">${item.label}</label>
${control(item, common, value)}${notes}</div>
`
}

function control(item: Field, common: Html, value: string): Html {
  if (item.type === 'textarea') return html`<textarea${common} rows="3">\n${value}</textarea>`
  if (item.type === 'select')
    return html`<select${common}>${(item.options ?? []).map((option) => html`<option value="${option.value}"${option.value === value ? ' selected' : ''}>${option.text}</option>`)}</select>`
  const isName = item.autocomplete === 'username'
  return html`<input type="${item.type ?? 'text'}" value="${item.type === 'password' ? '' : value}"${common}${isName ? html` autocapitalize="none" autocorrect="off" spellcheck="false"` : ''}>`
}

/** A form that posts to an address of the server. `form` begins with a slash. */
export function accountForm(
  page: PageRequest,
  state: FormState,
  form: string,
  content: Html,
  button: { text: string; classes?: string },
  hidden: Record<string, string> = {},
): Html {
  const isSent = state.sentTo === form
  const whole = isSent ? state.faults.form : undefined
  const others = isSent && Object.keys(state.faults).some((name) => name !== 'form')
  return html`<form method="post" action="${page.runtime.mount}${form}">
<div class="fields">
${whole || others ? html`<div class="alert" role="alert"><strong>That did not work.</strong> ${whole ?? 'What has to be changed stands beside the fields.'}</div>` : ''}
<input type="hidden" name="csrf" value="${page.browser.csrf}">${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${content}<div><button class="${button.classes ?? 'button first'}" type="submit">${button.text}</button></div>
</div>
</form>`
}

/** A form of one button. */
export const buttonForm = (
  page: PageRequest,
  form: string,
  hidden: Record<string, string>,
  button: { text: string; label?: string; classes?: string },
): Html =>
  html`<form method="post" action="${page.runtime.mount}${form}"><input type="hidden" name="csrf" value="${page.browser.csrf}">${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<button class="${button.classes ?? 'button small'}" type="submit"${button.label ? html` aria-label="${button.label}"` : ''}>${button.text}</button></form>`
