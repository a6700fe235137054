import { defineEndpoint, type Endpoint } from '../../api-kit/declaring/endpoint.ts'
import { BytesAnswer, jsonAnswer } from '../../api-kit/writing/answer.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { type Html, html } from '../../identity/pages/html.ts'
import { isStorableId } from '../../process/ids.ts'
import { bytesBetween } from '../../social/media/stored-bytes.ts'
import { namedConversation } from '../../social/messages/conversation-id.ts'
import { type ConversationRow, findConversationOf, readConversations } from '../../social/messages/conversation-list.ts'
import { findMessageFile } from '../../social/messages/download-media.ts'
import { readMessages } from '../../social/messages/message-signals.ts'
import { getDirectMessagesEventsById } from '../../social/messages/read-messages.ts'
import { defineSignedInPage, openPage } from '../define-page.ts'
import { readUsers } from '../notifications/notice-subjects.ts'
import type { SignedInRequest } from '../page-request.ts'
import { actionForm } from '../parts/action-form.ts'
import { moment } from '../parts/moment.ts'
import { nextPage } from '../parts/post-list.ts'
import { avatar } from '../parts/user-card.ts'
import type { UserView } from '../parts/views.ts'
import { messageForm } from './message-form.ts'
import { MESSAGE_FIELDS, type MessageView, messageList, readConversation } from './message-views.ts'

const PER_PAGE = 20
const MESSAGES_PER_PAGE = 50

/** The conversations of the viewer, or the requests of strangers. */
const messagesPage = defineSignedInPage('messagesPage', 'GET /messages', async (page) => {
  const { runtime, viewer, query } = page
  const areRequests = query.get('show') === 'requests'
  const token = query.get('page')
  if (token !== undefined && !isStorableId(token)) throw blank(404, 'This address has no page.')
  const rows = await readConversations(runtime, viewer.id, { before: token, areRequests, limit: PER_PAGE + 1 })
  const shown = rows.slice(0, PER_PAGE)
  const users = await usersOf(page, shown)
  const newest = await Promise.all(shown.map((row) => newestMessage(page, row)))
  const { mount } = runtime
  return {
    title: 'Messages',
    live: 'messages',
    main: html`<div class="top line"><h1>Messages</h1><span class="grow"></span><a class="button small first" href="${mount}/messages/compose">New message</a></div>
<nav class="tabs" aria-label="Messages"><a href="${mount}/messages"${areRequests ? '' : html` aria-current="page"`}>Conversations</a><a href="${mount}/messages?show=requests"${areRequests ? html` aria-current="page"` : ''}>Requests</a></nav>
${shown.length === 0 ? html`<p class="empty soft">${areRequests ? 'Messages of people whom you do not follow wait here.' : 'There are no messages yet.'}</p>` : html`<ul class="list plain" role="list">${shown.map((row, index) => conversationItem(page, row, users, newest[index]))}</ul>`}
${nextPage(page, rows.length > PER_PAGE ? shown.at(-1)!.newest_id : undefined)}`,
  }
})

async function usersOf(
  page: SignedInRequest,
  rows: readonly ConversationRow[],
): Promise<ReadonlyMap<string, UserView>> {
  const ids = new Set(rows.flatMap((row) => row.other_ids.slice(0, 4)))
  return new Map((await readUsers(page, [...ids])).map((user) => [user.id, user]))
}

async function newestMessage(page: SignedInRequest, { newest_id: id }: ConversationRow) {
  const query = { 'dm_event.fields': MESSAGE_FIELDS['dm_event.fields'] }
  const answer = await page.call<{ data?: MessageView }>(getDirectMessagesEventsById, { path: { event_id: id }, query })
  return answer.body.data
}

/** The names of the others in a conversation. */
function titleOf(row: ConversationRow, users: ReadonlyMap<string, UserView>): string {
  const names = row.other_ids.slice(0, 3).map((id) => users.get(id)?.name ?? 'Somebody')
  const others = row.other_ids.length - names.length
  return names.length === 0 ? 'Only you' : `${names.join(', ')}${others > 0 ? ` and ${others} more` : ''}`
}

function conversationItem(
  page: SignedInRequest,
  row: ConversationRow,
  users: ReadonlyMap<string, UserView>,
  newest: MessageView | undefined,
): Html {
  const other = users.get(row.other_ids[0] ?? '')
  const text = newest?.text ?? (newest?.attachments ? 'A picture' : 'The group was changed')
  return html`<li><a class="card conversation${row.is_unread ? ' new' : ''}" href="${page.runtime.mount}/messages/${row.id}" data-conversation="${row.id}">
${other ? avatar(page, other) : html`<span class="face"></span>`}
<span class="body"><span class="line"><bdi class="who">${titleOf(row, users)}</bdi> <span class="soft when">${moment(newest?.created_at, page.now)}</span></span>
<span class="soft cut" dir="auto">${newest?.sender_id === page.viewer.id ? 'You: ' : ''}${text}</span>${row.is_unread ? html`<span class="unseen"> Unread</span>` : ''}</span></a></li>
`
}

async function findConversation(page: SignedInRequest): Promise<ConversationRow> {
  const named = namedConversation(page.path.id ?? '', page.viewer.id)
  const row = named && (await findConversationOf(page.runtime, page.viewer.id, named.id))
  if (!row) throw blank(404, 'There is no such conversation.')
  return row
}

/** A conversation. Whoever opens it has read it, unless it is a request: then nobody learns that it was read. */
const conversationPage = defineSignedInPage('conversationPage', 'GET /messages/{id}', async (page) => {
  const row = await findConversation(page)
  const [users, answer] = await Promise.all([usersOf(page, [row]), readConversation(page, row.id, MESSAGES_PER_PAGE)])
  if (!row.is_request && row.is_unread) await readMessages(page.runtime, page.viewer.id, row.id, undefined)
  const title = titleOf(row, users)
  const older = answer.meta?.next_token
  const other = users.get(row.other_ids[0] ?? '')
  return {
    title,
    live: `messages:${row.id}`,
    main: html`<div class="top line"><a class="button small" href="${page.runtime.mount}/messages">Back</a><h1><bdi>${title}</bdi></h1></div>
${row.is_request && other ? request(page, other) : ''}
${older === undefined ? '' : html`<p class="next"><a class="button small" href="${page.runtime.mount}/messages/${row.id}?page=${older}">Show older messages</a></p>`}
<ol class="messages" role="list" data-messages="${row.id}" data-read="${row.read_id ?? '0'}">
${messageList(page, answer)}</ol>
<p class="soft small seen" data-seen${isSeen(page, row, answer.data?.[0]) ? '' : html` hidden`}>Seen</p>
<p class="soft small typing" data-typing role="status"></p>
${messageForm(page, { conversation: row.id })}
${row.is_group ? groupForms(page, row) : ''}`,
  }
})

const isSeen = (page: SignedInRequest, row: ConversationRow, newest: MessageView | undefined): boolean =>
  newest?.sender_id === page.viewer.id && BigInt(row.read_id ?? '0') >= BigInt(newest.id)

const request = (page: SignedInRequest, other: UserView): Html => html`<div class="alert">
<p><bdi>${other.name}</bdi> (@${other.username}) does not know whether you read this. Your answer accepts the request.</p>
<div class="line">${actionForm(page, 'block', { user_id: other.id }, { text: 'Block', classes: 'button small bad', label: `Block @${other.username}` })}</div></div>`

const groupForms = (
  page: SignedInRequest,
  row: ConversationRow,
): Html => html`<details class="extra"><summary>Group</summary>
<form method="post" action="${page.runtime.mount}/i/actions/group-add" class="fields"><input type="hidden" name="csrf" value="${page.browser.csrf}"><input type="hidden" name="conversation" value="${row.id}"><input type="hidden" name="return_to" value="/messages/${row.id}">
<div><label for="to">Add people</label><input id="to" name="to" required maxlength="1000" placeholder="@name, @name" autocapitalize="none" autocomplete="off"></div><div><button class="button small" type="submit">Add</button></div></form>
<form method="post" action="${page.runtime.mount}/i/actions/group-leave" class="fields"><input type="hidden" name="csrf" value="${page.browser.csrf}"><input type="hidden" name="conversation" value="${row.id}"><button class="button small bad" type="submit">Leave the group</button></form></details>`

const newMessagePage = defineSignedInPage('newMessagePage', 'GET /messages/compose', async (page) => ({
  title: 'New message',
  main: html`<h1 class="top">New message</h1>
${messageForm(page, { to: page.query.get('to') ?? '' })}`,
}))

/** The messages after one, for the script of an open conversation. */
const newMessages = defineSignedInPage('newMessages', 'GET /i/live/messages/{id}', async (page) => {
  const row = await findConversation(page)
  const after = page.query.get('after') ?? '0'
  if (!isStorableId(after)) throw blank(400, 'after is not the id of a message.')
  const answer = await readConversation(page, row.id, MESSAGES_PER_PAGE)
  const data = (answer.data ?? []).filter((item) => BigInt(item.id) > BigInt(after))
  if (!row.is_request && row.is_unread) await readMessages(page.runtime, page.viewer.id, row.id, undefined)
  return jsonAnswer({ html: messageList(page, { ...answer, data }).text, read: row.read_id ?? '0' })
})

/** The media items of messages, for whoever sees the message. */
const messageMedia: Endpoint = defineEndpoint(
  'messageMedia',
  'GET /messages/media/{dm_id}/{media_id}/{resource_id}',
  async (request, runtime, { path }) => {
    const page = await openPage(request, runtime, path)
    if (!page.viewer) throw blank(404, 'There is no such media item.')
    const file = await findMessageFile(runtime, page.viewer.id, {
      dm_id: path.dm_id ?? '',
      media_id: path.media_id ?? '',
      resource_id: path.resource_id ?? '',
    })
    const { size } = file.bytes
    return new BytesAnswer(size, bytesBetween(file.bytes, 0, size), 200, {
      'content-type': file.contentType,
      'cache-control': 'private, max-age=3600',
      'content-security-policy': "default-src 'none'",
      'x-content-type-options': 'nosniff',
    })
  },
)

export const messagePages: readonly Endpoint[] = [
  messagesPage,
  newMessagePage,
  conversationPage,
  newMessages,
  messageMedia,
]
