import type { As, TestAnswer, TestServer } from '../support/server.ts'
import { accessToken } from './acting.ts'

/** What sending answers with. */
export interface Sent {
  dm_conversation_id: string
  dm_event_id: string
}

const sentOf = (answer: TestAnswer): Sent => {
  if (answer.status !== 201) throw new Error(`message refused: ${answer.status} ${answer.text}`)
  return answer.body.data
}

const asOf = (who: string | As): As => (typeof who === 'string' ? { user: who } : who) as As

/** Tries to send a message from one user to another, by name. */
export const trySending = (server: TestServer, from: string | As, to: string, body: object | string = 'Hello') =>
  server.post(
    `/2/dm_conversations/with/${/^\d+$/.test(to) ? to : server.userId(to)}/messages`,
    typeof body === 'string' ? { text: body } : body,
    asOf(from),
  )

/** Sends a message from one user to another, by name. */
export const sendMessage = async (server: TestServer, from: string | As, to: string, body?: object | string) =>
  sentOf(await trySending(server, from, to, body))

/** Sends a message to a conversation. */
export const sendToConversation = async (server: TestServer, from: string | As, id: string, text: string) =>
  sentOf(await server.post(`/2/dm_conversations/${id}/messages`, { text }, asOf(from)))

/** Creates a group of users by name or id; the first creates it. */
export async function makeGroup(server: TestServer, [creator, ...others]: string[], text = 'Hello all'): Promise<Sent> {
  const ids = others.map((name) => (/^\d+$/.test(name) ? name : server.userId(name)))
  const body = { conversation_type: 'Group', participant_ids: ids, message: { text } }
  return sentOf(await server.post('/2/dm_conversations', body, { user: creator! }))
}

/** The texts that a user sees in a conversation, newest first. Joins and leaves are shown as their type. */
export async function textsOf(server: TestServer, who: string | As, conversationId: string): Promise<string[]> {
  const read = await server.get(`/2/dm_conversations/${conversationId}/dm_events`, asOf(who))
  if (read.status !== 200) throw new Error(`not read: ${read.status} ${read.text}`)
  return (read.body.data ?? []).map((item: { text?: string; event_type: string }) => item.text ?? item.event_type)
}

export const MESSAGE_SCOPES = ['dm.read', 'dm.write', 'post.read', 'users.read']

/** A user by OAuth 2.0 with the scopes of messages. */
export const byOAuth2 = async (server: TestServer, username: string, scopes = MESSAGE_SCOPES): Promise<As> => ({
  bearer: await accessToken(server, username, scopes),
})
