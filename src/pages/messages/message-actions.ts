import type { Endpoint } from '../../api-kit/declaring/endpoint.ts'
import { neutral } from '../../api-kit/naming/naming.ts'
import { readContext } from '../../api-kit/reading/read-context.ts'
import { Problem } from '../../api-kit/writing/problem.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { html } from '../../identity/pages/html.ts'
import { joinGroup, leaveGroup } from '../../social/messages/change-group.ts'
import {
  createDirectMessagesByConversationId,
  createDirectMessagesByParticipantId,
  createDirectMessagesConversation,
} from '../../social/messages/create-messages.ts'
import { deleteDirectMessagesEvents } from '../../social/messages/delete-message.ts'
import { indicateTyping, readMessages } from '../../social/messages/message-signals.ts'
import { getUsersByUsernames } from '../../social/users/read-users.ts'
import { uploadFile } from '../compose/upload-files.ts'
import { type ActionRequest, defineAction, sentenceOf } from '../define-page.ts'
import { ownCaller } from '../own-app.ts'
import { messageForm } from './message-form.ts'

interface Sent {
  data: { dm_conversation_id: string; dm_event_id: string }
}

const sendAction = defineAction(
  'sendMessageAction',
  'POST /i/messages',
  async (page) => {
    const { form } = page
    const conversation = form.get('conversation')
    try {
      const sent = await sendMessage(page, conversation)
      return { to: `/messages/${sent.data.dm_conversation_id}`, data: { id: sent.data.dm_event_id } }
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error
      const refusal = sentenceOf(error)
      const target = { conversation, to: form.get('to'), text: form.get('text'), refusal }
      const main = html`<h1 class="top">Message</h1>${messageForm(page, target)}`
      return { refused: { status: error.status, message: refusal, content: { title: 'Message', main } } }
    }
  },
  { bodyLimit: 24 * 1024 * 1024 },
)

async function sendMessage(page: ActionRequest, conversation: string | undefined): Promise<Sent> {
  const { form, files } = page
  const text = (form.get('text') ?? '').replaceAll('\r\n', '\n').trim()
  const recipients = conversation === undefined ? await findRecipients(page) : []
  const bytes = files.get('file_0')
  const mediaId = bytes && (await uploadFile(page, bytes, 'dm', form.get('alt_0') ?? ''))
  if (text === '' && !mediaId) throw blank(400, 'A message needs a text or a picture.')
  const message = {
    ...(text === '' ? {} : { text }),
    ...(mediaId ? { attachments: [{ media_id: mediaId }] } : {}),
  }
  if (conversation !== undefined)
    return page.need<Sent>(createDirectMessagesByConversationId, {
      path: { dm_conversation_id: conversation },
      body: message,
    })
  if (recipients.length === 1)
    return page.need<Sent>(createDirectMessagesByParticipantId, {
      path: { participant_id: recipients[0]! },
      body: message,
    })
  return page.need<Sent>(createDirectMessagesConversation, {
    body: { conversation_type: 'Group', participant_ids: recipients, message },
  })
}

const MOST_RECIPIENTS = 49

/** The ids of the users whom a form names. */
async function findRecipients(page: ActionRequest): Promise<string[]> {
  const names = [...new Set((page.form.get('to') ?? '').split(/[\s,;]+/).map((name) => name.replace(/^@/, '')))].filter(
    (name) => name !== '',
  )
  const wrong = names.find((name) => !/^\w{1,15}$/.test(name))
  if (names.length === 0) throw blank(400, 'Say to whom the message goes.')
  if (wrong !== undefined) throw blank(400, `There is no user @${wrong}.`)
  if (names.length > MOST_RECIPIENTS) throw blank(400, `A message can go to at most ${MOST_RECIPIENTS} people.`)
  const answer = await page.call<{ data?: { id: string; username: string }[] }>(getUsersByUsernames, {
    query: { usernames: names.join(',') },
  })
  const found = answer.body.data ?? []
  const known = new Set(found.map((user) => user.username.toLowerCase()))
  const missing = names.find((name) => !known.has(name.toLowerCase()))
  if (missing !== undefined) throw blank(404, `There is no user @${missing}.`)
  return found.map((user) => user.id)
}

const conversationOf = ({ form }: ActionRequest): string => form.get('conversation') ?? ''

const groupAddAction = defineAction('groupAddAction', 'POST /i/actions/group-add', async (page) => {
  const caller = ownCaller(page.viewer)
  const input = { caller, runtime: page.runtime, context: readContext(page.runtime, caller, neutral) }
  await joinGroup(input, conversationOf(page), await findRecipients(page))
  return undefined
})

const groupLeaveAction = defineAction('groupLeaveAction', 'POST /i/actions/group-leave', async (page) => {
  await leaveGroup(page.runtime, page.viewer.id, conversationOf(page))
  return { to: '/messages' }
})

const deleteAction = defineAction('deleteMessageAction', 'POST /i/actions/delete-message', async (page) => {
  await page.need(deleteDirectMessagesEvents, { path: { event_id: page.form.get('event_id') ?? '' } })
  return undefined
})

// Only the script of an open conversation sends these two.
const typingAction = defineAction('typingAction', 'POST /i/actions/typing', async (page) => {
  await indicateTyping(page.runtime, page.viewer.id, conversationOf(page))
  return undefined
})

const readAction = defineAction('readMessagesAction', 'POST /i/actions/read-messages', async (page) => {
  await readMessages(page.runtime, page.viewer.id, conversationOf(page), undefined)
  return undefined
})

export const messageActions: readonly Endpoint[] = [
  sendAction,
  groupAddAction,
  groupLeaveAction,
  deleteAction,
  typingAction,
  readAction,
]
