import { html } from './html.ts'
import { document, name } from './layout.ts'

/** What an app without a callback gets. The element names around the PIN are the ones that existing clients look for. */
export function pinPage(m: { appName: string; pin: string }): string {
  return document({
    title: `PIN for ${m.appName}`,
    main: html`<h1>One more step</h1>
<p class="soft">You allowed ${name(m.appName)} to use your account. Now give it this PIN.</p>
<div class="pin" id="oauth_pin">
<span class="soft small" id="code-desc">Your PIN</span>
<kbd aria-labelledby="code-desc"><code>${m.pin}</code></kbd>
</div>
<p class="unseen">One by one: ${Array.from(m.pin).join(' ')}</p>
<ol>
<li>Copy the PIN. One click or tap on it selects all of it.</li>
<li>Go back to ${name(m.appName)} and type or paste it there.</li>
<li>Then close this page.</li>
</ol>`,
    footer: html`<p>The PIN works once and only for a short time. Give it to nobody but the app you started from.</p>`,
  })
}
