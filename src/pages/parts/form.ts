import { type Html, html } from '../../identity/pages/html.ts'
import type { PageRequest } from '../page-request.ts'

/** A form with fields that posts to an action. */
export function pageForm(
  { runtime, browser }: PageRequest,
  form: {
    action: string
    hidden?: Record<string, string | undefined>
    content: Html
    submit: string
    classes?: string
  },
): Html {
  const hidden = Object.entries({ csrf: browser.csrf, ...form.hidden })
  return html`<form method="post" action="${runtime.mount}${form.action}" class="fields">
${hidden.map(([name, value]) => (value === undefined ? '' : html`<input type="hidden" name="${name}" value="${value}">`))}
${form.content}
<div><button class="${form.classes ?? 'button first'}" type="submit">${form.submit}</button></div>
</form>`
}

/** A line of text in a form, with its label. */
export function textField(field: {
  name: string
  label: string
  value?: string | undefined
  most: number
  isRequired?: boolean
  isLong?: boolean
  hint?: string
}): Html {
  const common = html`id="${field.name}" name="${field.name}" maxlength="${field.most}"${field.isRequired ? html` required` : ''}${field.hint ? html` placeholder="${field.hint}"` : ''}`
  return html`<div><label for="${field.name}">${field.label}</label>${
    field.isLong
      ? html`<textarea ${common} dir="auto">${field.value ?? ''}</textarea>`
      : html`<input ${common} value="${field.value ?? ''}" dir="auto">`
  }</div>
`
}

/** A box to tick. */
export const tickBox = (name: string, label: string, isOn: boolean, value = 'true'): Html =>
  html`<label class="tick"><input type="checkbox" name="${name}" value="${value}"${isOn ? html` checked` : ''}> ${label}</label>
`
