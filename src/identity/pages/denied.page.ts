import { html } from './html.ts'
import { document, name } from './layout.ts'
import { returnUrl } from './urls.ts'

export function deniedPage(m: { appName: string; returnUrl?: string }): string {
  const back = returnUrl(m.returnUrl)
  return document({
    title: 'Access not allowed',
    main: html`<h1>Access not allowed</h1>
<p>${name(m.appName)} cannot use your account. Nothing has been shared with it.</p>
${
  back
    ? html`<div class="actions"><a class="button first" href="${back}"><span>Go back to ${name(m.appName)}</span></a></div>`
    : html`<p class="soft">You can close this page now.</p>`
}`,
  })
}
