import { type Html, html } from '../../identity/pages/html.ts'
import { LONGEST_SHORT_POST } from '../../social/text/weigh.ts'
import { adOf, type PageRequest } from '../page-request.ts'

/** What a new post is about, and what was typed already. */
export interface Draft {
  text?: string
  replyTo?: string
  quote?: string
  edit?: string
  community?: string
  /** Why the last attempt was refused. */
  refusal?: string
  /** What was typed into the other fields. */
  fields?: ReadonlyMap<string, string>
  /** Where the browser goes afterwards. */
  returnTo?: string
}

const DURATIONS = [
  [60, '1 hour'],
  [360, '6 hours'],
  [1_440, '1 day'],
  [4_320, '3 days'],
  [10_080, '7 days'],
] as const

const REPLY_SETTINGS = [
  ['', 'Everybody can reply'],
  ['following', 'People you follow'],
  ['mentionedUsers', 'People you mention'],
  ['verified', 'Verified people'],
] as const

export const MOST_FILES = 4
const OPTION_LENGTH = 25

/** The form that writes a post. It works without a script, which only adds a counter and sends it in place. */
export function composeForm(page: PageRequest, draft: Draft): Html {
  const { runtime, browser } = page
  const hidden = {
    csrf: browser.csrf,
    return_to: draft.returnTo,
    reply_to: draft.replyTo,
    quote: draft.quote,
    edit: draft.edit,
    community: draft.community,
    ad: adOf(page),
  }
  const label = draft.edit ? 'Edit the post' : draft.replyTo ? 'Your reply' : 'What is happening?'
  return html`<form method="post" action="${runtime.mount}/i/compose" class="compose" enctype="multipart/form-data" data-compose>
${Object.entries(hidden).map(([name, value]) => (value === undefined ? '' : html`<input type="hidden" name="${name}" value="${value}">`))}
${draft.refusal ? html`<p class="alert" id="refusal" role="alert"><strong>Not posted.</strong> ${draft.refusal}</p>` : ''}
<label class="unseen" for="text">${label}</label>
<textarea id="text" name="text" rows="3" maxlength="50000" placeholder="${label}" dir="auto"${draft.refusal ? html` aria-invalid="true" aria-describedby="refusal"` : ''}>${draft.text ?? ''}</textarea>
<div class="tools">${draft.edit ? '' : html`${pictures(draft)}${draft.replyTo || draft.quote ? '' : poll(draft)}${settings(draft)}`}
<span class="send-row"><span class="soft small" data-weight data-most="${LONGEST_SHORT_POST}"></span><button class="button first" type="submit">${draft.edit ? 'Save' : draft.replyTo ? 'Reply' : 'Post'}</button></span></div>
</form>`
}

const pictures = ({
  fields,
}: Draft): Html => html`<details class="extra" data-pictures><summary>Pictures or video</summary>
<p class="soft small">Up to ${MOST_FILES} pictures, or one video or GIF. Describe them for people who cannot see them.</p>
${Array.from(
  { length: MOST_FILES },
  (
    _none,
    index,
  ) => html`<div class="file"><label class="unseen" for="file_${index}">Picture ${index + 1}</label><input id="file_${index}" name="file_${index}" type="file" accept="image/*,video/mp4,video/webm">
<label class="unseen" for="alt_${index}">Description of picture ${index + 1}</label><input id="alt_${index}" name="alt_${index}" maxlength="1000" placeholder="Description" value="${fields?.get(`alt_${index}`) ?? ''}"></div>
`,
)}</details>
`

const poll = ({
  fields,
}: Draft): Html => html`<details class="extra"${fields?.get('option_0') ? html` open` : ''}><summary>Poll</summary>
${[0, 1, 2, 3].map(
  (index) =>
    html`<label class="unseen" for="option_${index}">Answer ${index + 1}</label><input id="option_${index}" name="option_${index}" maxlength="${OPTION_LENGTH}" placeholder="Answer ${index + 1}${index > 1 ? ' (optional)' : ''}" value="${fields?.get(`option_${index}`) ?? ''}">
`,
)}<label for="duration">Open for</label><select id="duration" name="duration">${DURATIONS.map(([minutes, text]) => html`<option value="${minutes}"${minutes === 1_440 ? html` selected` : ''}>${text}</option>`)}</select>
</details>
`

const settings = ({ fields }: Draft): Html => html`<details class="extra"><summary>Who can reply</summary>
<label class="unseen" for="reply_settings">Who can reply</label><select id="reply_settings" name="reply_settings">${REPLY_SETTINGS.map(([value, text]) => html`<option value="${value}"${fields?.get('reply_settings') === value ? html` selected` : ''}>${text}</option>`)}</select>
</details>
`
