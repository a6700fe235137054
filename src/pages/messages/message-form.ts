import { type Html, html } from '../../identity/pages/html.ts'
import { LONGEST_MESSAGE } from '../../social/messages/message.body.ts'
import type { PageRequest } from '../page-request.ts'

/** Where a message goes: into a conversation, or to users by name. */
export interface MessageTarget {
  conversation?: string
  to?: string
  text?: string
  refusal?: string
}

/** The form that sends a message. */
export function messageForm({ runtime, browser }: PageRequest, target: MessageTarget): Html {
  return html`<form method="post" action="${runtime.mount}/i/messages" class="compose send" enctype="multipart/form-data" data-send>
<input type="hidden" name="csrf" value="${browser.csrf}">${target.conversation ? html`<input type="hidden" name="conversation" value="${target.conversation}">` : ''}
${target.refusal ? html`<p class="alert" id="refusal" role="alert"><strong>Not sent.</strong> ${target.refusal}</p>` : ''}
${target.conversation ? '' : html`<label class="label" for="to">To</label><input id="to" name="to" required maxlength="1000" placeholder="@name, or several for a group" autocapitalize="none" autocomplete="off" value="${target.to ?? ''}">`}
<label class="unseen" for="text">Message</label>
<textarea id="text" name="text" rows="2" maxlength="${LONGEST_MESSAGE}" placeholder="Message" dir="auto">${target.text ?? ''}</textarea>
<div class="tools"><details class="extra"><summary>Picture</summary><div class="file"><label class="unseen" for="file_0">Picture</label><input id="file_0" name="file_0" type="file" accept="image/*,video/mp4"><label class="unseen" for="alt_0">Description</label><input id="alt_0" name="alt_0" maxlength="1000" placeholder="Description"></div></details><span class="grow"></span><button class="button first" type="submit">Send</button></div>
</form>`
}
