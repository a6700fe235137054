import { type Html, html } from '../../identity/pages/html.ts'
import { adOf, type PageRequest } from '../page-request.ts'

/** A form with one button that does something on `/i/actions/<name>`; the script of the page sends it in place. */
export function actionForm(
  page: PageRequest,
  action: string,
  fields: Record<string, string>,
  button: { text: string | Html; classes: string; label?: string; pressed?: boolean },
): Html {
  const { runtime, browser, request } = page
  const ad = adOf(page)
  const sent = ad === undefined ? fields : { ...fields, ad }
  const here = request.rawQuery === '' ? request.path : `${request.path}?${request.rawQuery}`
  return html`<form method="post" action="${runtime.mount}/i/actions/${action}" data-action="${action}">
<input type="hidden" name="csrf" value="${browser.csrf}"><input type="hidden" name="return_to" value="${here}">${Object.entries(sent).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button class="${button.classes}" type="submit"${button.label ? html` aria-label="${button.label}"` : ''}${button.pressed === undefined ? '' : html` aria-pressed="${String(button.pressed)}"`}>${button.text}</button>
</form>`
}
