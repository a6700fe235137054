import { html } from '../../identity/pages/html.ts'
import { document, name, postForm } from '../../identity/pages/layout.ts'

/** The page on which an advertiser lets a partner manage their advertising. It posts the field `decision`: `approve` or `deny`. */
export function linkAccountPage(m: {
  action: string
  csrf: string
  hidden: Record<string, string>
  partner: string
  user: { name: string; username: string }
  /** What happens, a sentence each. */
  steps: string[]
  /** Where the browser goes next. */
  callbackHost: string
}): string {
  return document({
    title: `Let ${m.partner} manage your advertising?`,
    width: 'wide',
    main: html`<h1>Let ${name(m.partner)} manage your advertising?</h1>
<p>Signed in as ${name(m.user.name)} <span class="soft small">@${m.user.username}</span></p>
<section class="can" aria-labelledby="can">
<h2 id="can">If you continue</h2>
<ul role="list">
${m.steps.map((step) => html`<li>${step}</li>\n`)}</ul>
</section>
<div class="decide">
<p class="small" id="afterwards">You will be sent to ${name(m.callbackHost)} next. Continue only with partners that you know and trust.</p>
${postForm(
  { action: m.action, csrf: m.csrf, hidden: m.hidden },
  html`<div class="actions">
<button class="button first" type="submit" name="decision" value="approve" aria-describedby="afterwards">Continue</button>
<button class="button" type="submit" name="decision" value="deny">Cancel</button>
</div>`,
)}
</div>`,
  })
}
