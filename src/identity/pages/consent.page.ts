import { type Html, html } from './html.ts'
import { document, name, postForm } from './layout.ts'
import { hostOf, linkUrl, webUrl } from './urls.ts'

/** The consent page of OAuth 1.0a and OAuth 2.0. It posts the field `decision`: `approve` or `deny`. */
export function consentPage(m: {
  action: string
  csrf: string
  hidden: Record<string, string>
  app: {
    name: string
    description?: string
    websiteUrl?: string
    ownerUsername?: string
    /** Where the browser goes next; for an app scheme its name (`myapp:`). Null: the user gets a PIN. */
    callbackHost: string | null
  }
  user: { name: string; username: string; imageUrl?: string }
  can: string[]
  cannot: string[]
  keepsAccess: boolean
  signOutAction: string
}): string {
  const website = webUrl(m.app.websiteUrl)
  const origin: Html[] = []
  if (m.app.ownerUsername) origin.push(html`Made by ${name(`@${m.app.ownerUsername}`)}`)
  if (website) origin.push(html`<a href="${website}" rel="noopener noreferrer">${hostOf(website)}</a>`)

  return document({
    title: `Allow ${m.app.name}?`,
    width: 'wide',
    main: html`<h1>Allow ${name(m.app.name)} to use your account?</h1>
${m.app.description ? html`<p>${m.app.description}</p>` : ''}
${origin.length > 0 ? html`<p class="soft small">${origin.map((part, i) => html`${i > 0 ? ' · ' : ''}${part}`)}</p>` : ''}
<section class="account" aria-label="Your account">
<div class="who">${face(m.user)}<div><span class="unseen">Signed in as </span>${name(m.user.name)} <span class="soft small">@${m.user.username}</span></div></div>
${postForm({ action: m.signOutAction, csrf: m.csrf, hidden: m.hidden }, html`<button class="button plain" type="submit">Use another account</button>`)}
</section>
<div class="terms ${m.can.length > 6 || m.cannot.length === 0 ? 'long' : 'two'}">
${terms('can', 'This app will be able to', m.can)}
${terms('cannot', 'It will not be able to', m.cannot)}
</div>
<div class="decide">
<div class="small" id="afterwards">
<p>${
      m.keepsAccess
        ? 'This access lasts until you revoke it.'
        : 'This access ends after a short time. Then the app has to ask you again.'
    }</p>
<p>${
      m.app.callbackHost === null
        ? 'If you allow it, you get a PIN to type into the app. Continue only if you started this in the app yourself.'
        : html`You will be sent to ${name(m.app.callbackHost)} next. Allow only apps that you know and trust.`
    }</p>
</div>
${postForm(
  { action: m.action, csrf: m.csrf, hidden: m.hidden },
  html`<div class="actions">
<button class="button first" type="submit" name="decision" value="approve" aria-describedby="afterwards">Allow access</button>
<button class="button" type="submit" name="decision" value="deny">Cancel</button>
</div>`,
)}
</div>`,
  })
}

function terms(kind: 'can' | 'cannot', heading: string, sentences: string[]): Html | '' {
  if (sentences.length === 0) return ''
  return html`<section class="${kind}" aria-labelledby="${kind}">
<h2 id="${kind}">${heading}</h2>
<ul role="list">
${sentences.map((sentence) => html`<li>${sentence}</li>\n`)}</ul>
</section>`
}

/**
 * The picture covers the first letter. The style gives it no size, so when the content policy blocks it, browsers show nothing
 * instead of a broken-image icon.
 */
function face(user: { name: string; username: string; imageUrl?: string }): Html {
  const image = linkUrl(user.imageUrl)
  const letter = Array.from(user.name.trim() || user.username)[0] ?? ''
  return html`<span class="face" aria-hidden="true">${letter.toUpperCase()}${image ? html`<img src="${image}" alt="" referrerpolicy="no-referrer">` : ''}</span>`
}
