import { html } from './html.ts'
import { document, name } from './layout.ts'

/** The page for apps without a callback. Existing clients look for these element names around the PIN. */
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
    footer: html`<p>The PIN works once and only for a short time. Give it only to the app that you started from.</p>`,
  })
}
