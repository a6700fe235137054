import { type Html, html } from '../../identity/pages/html.ts'
import { getDirectMessagesEventsByConversationId } from '../../social/messages/read-messages.ts'
import type { SignedInRequest } from '../page-request.ts'
import { actionForm } from '../parts/action-form.ts'
import { linkedText } from '../parts/linked-text.ts'
import { moment } from '../parts/moment.ts'
import { avatar } from '../parts/user-card.ts'
import type { Entities, MediaView, UserView } from '../parts/views.ts'

/** A message, or a change of the participants, as version 2 shows it. */
export interface MessageView {
  id: string
  event_type: 'MessageCreate' | 'ParticipantsJoin' | 'ParticipantsLeave'
  text?: string
  created_at?: string
  sender_id?: string
  participant_ids?: string[]
  entities?: Entities
  attachments?: { media_keys?: string[] }
  referenced_posts?: { id: string }[]
}

/** An answer with messages. */
export interface MessagesAnswer {
  data?: MessageView[]
  includes?: { users?: UserView[]; media?: MediaView[] }
  meta?: { next_token?: string }
}

export const MESSAGE_FIELDS = {
  'dm_event.fields': 'attachments,created_at,entities,event_type,id,participant_ids,referenced_posts,sender_id,text',
  expansions: 'attachments.media_keys,sender_id,participant_ids',
  'user.fields': 'profile_image_url,verified,protected',
  'media.fields': 'alt_text,height,type,url,preview_image_url,variants,width',
} as const

/** A page of the messages of a conversation, newest first. */
export const readConversation = (page: SignedInRequest, id: string, most: number): Promise<MessagesAnswer> =>
  page.need<MessagesAnswer>(getDirectMessagesEventsByConversationId, {
    path: { id },
    query: { ...MESSAGE_FIELDS, max_results: String(most), pagination_token: page.query.get('page') },
  })

/** Messages, oldest first. */
export function messageList(page: SignedInRequest, { data = [], includes }: MessagesAnswer): Html {
  const users = new Map(includes?.users?.map((user) => [user.id, user]))
  const media = new Map(includes?.media?.map((item) => [item.media_key, item]))
  return html`${data.toReversed().map((item) => messageItem(page, item, users, media))}`
}

function messageItem(
  page: SignedInRequest,
  item: MessageView,
  users: ReadonlyMap<string, UserView>,
  media: ReadonlyMap<string, MediaView>,
): Html {
  const nameOf = (id: string | undefined) => users.get(id ?? '')?.name ?? 'Somebody'
  if (item.event_type !== 'MessageCreate') {
    const names = item.participant_ids?.map(nameOf).join(', ')
    return html`<li class="change soft small" data-message="${item.id}"><bdi>${names}</bdi> ${item.event_type === 'ParticipantsJoin' ? 'joined' : 'left'}</li>\n`
  }
  const isOwn = item.sender_id === page.viewer.id
  const sender = users.get(item.sender_id ?? '')
  return html`<li class="message${isOwn ? ' own' : ''}" data-message="${item.id}">
${isOwn || !sender ? '' : avatar(page, sender)}<div class="bubble"><span class="unseen">${isOwn ? 'You' : nameOf(item.sender_id)}: </span>${item.text ? html`<p class="text" dir="auto">${linkedText(item.text, item.entities, page)}</p>` : ''}${item.attachments?.media_keys?.map((key) => picture(page, media.get(key)))}
<div class="soft small line">${moment(item.created_at, page.now)}${actionForm(page, 'delete-message', { event_id: item.id }, { text: 'Delete', classes: 'button plain tiny', label: 'Delete this message for you' })}</div></div></li>
`
}

/** The address of a media item of a message, for a browser that is signed in. */
function mediaAddress({ runtime, request }: SignedInRequest, address: string | undefined): string | undefined {
  const start = [request.baseUrl, runtime.baseUrl]
    .map((base) => `${base}/2/dm_conversations/media/`)
    .find((prefix) => address?.startsWith(prefix))
  return start === undefined ? undefined : `${runtime.mount}/messages/media/${address!.slice(start.length)}`
}

function picture(page: SignedInRequest, item: MediaView | undefined): Html | '' {
  if (!item) return ''
  const still = mediaAddress(page, item.url ?? item.preview_image_url)
  const video = mediaAddress(page, item.variants?.find((variant) => variant.content_type === 'video/mp4')?.url)
  if (video)
    return html`<video class="attached" src="${video}" controls preload="none"${still ? html` poster="${still}"` : ''}></video>`
  return still ? html`<img class="attached" src="${still}" alt="${item.alt_text ?? 'Picture'}" loading="lazy">` : ''
}
