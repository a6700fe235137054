import { defineOperation, userOf } from '../../../api-kit/declaring/operation.ts'
import { closed, component, idSchema, ownBound, Type } from '../../../api-kit/declaring/schema.ts'
import { BytesAnswer } from '../../../api-kit/writing/answer.ts'
import { blank, invalidParameter } from '../../../api-kit/writing/problems.ts'
import { bytesBetween } from '../../media/stored-bytes.ts'
import { AppendReply, Payload, readBytes, SegmentIndex } from '../../media/uploading/upload-media.ts'
import { ChatConversationOrRecipientId, shownId } from '../conversation-id.ts'
import { findConversation } from '../find-conversation.ts'
import { chatMediaFind, chatSegmentsRead } from './chat-media.statements.ts'
import { appendToUpload, finishChatUpload, MAX_FILE_BYTES, startChatUpload } from './chat-upload.ts'

const optional = Type.Optional
const auth = { oauth1: true, oauth2: ['media.write'] }
const Id = ownBound(Type.String(), 100)
const MediaHashKey = component('MediaHashKey', Type.String({ pattern: '^[a-zA-Z0-9]{1,50}$' }))
/** A segment in base64, with the other members of the body. */
const BODY_LIMIT = 8 * 1024 * 1024

export const chatMediaUploadInitialize = defineOperation({
  id: 'chatMediaUploadInitialize',
  route: 'POST /2/chat/media/upload/initialize',
  tag: 'Chat',
  summary: 'Start the upload of an encrypted file',
  auth,
  body: component(
    'ChatMediaUploadInitializeRequest',
    closed({
      conversation_id: optional(Id),
      total_bytes: optional(Type.Integer({ minimum: 0 })),
    }),
  ),
  reply: component(
    'ChatMediaUploadInitializeResponse',
    Type.Object({
      data: optional(
        Type.Object({ conversation_id: Type.String(), media_hash_key: Type.String(), session_id: Type.String() }),
      ),
    }),
  ),
  handle: async ({ body, caller, runtime }) => {
    const { conversation_id: id, total_bytes: size } = body
    if (id === undefined) throw missing('conversation_id')
    if (size === undefined) throw missing('total_bytes')
    if (size < 1 || size > MAX_FILE_BYTES)
      throw invalidParameter('total_bytes', String(size), `total_bytes must be from 1 to ${MAX_FILE_BYTES}.`)
    const callerId = userOf(caller).id
    const conversation = await findConversation(runtime, id, callerId)
    const upload = await startChatUpload(runtime, conversation.id, callerId, size)
    return {
      data: {
        conversation_id: shownId(conversation),
        media_hash_key: upload.media_hash_key,
        session_id: upload.id,
      },
    }
  },
})

const missing = (name: string) => invalidParameter(name, undefined, `${name} is missing but it is required`)

export const chatMediaUploadAppend = defineOperation({
  id: 'chatMediaUploadAppend',
  route: 'POST /2/chat/media/upload/{id}/append',
  tag: 'Chat',
  summary: 'Send a segment of an encrypted file',
  auth,
  path: { id: idSchema('ChatMediaSessionId') },
  body: component(
    'ChatMediaUploadAppendRequest',
    closed({ conversation_id: Id, media: Payload, media_hash_key: Id, segment_index: SegmentIndex }),
  ),
  bodyAsForm: true,
  bodyLimit: BODY_LIMIT,
  reply: AppendReply,
  handle: async ({ path, body, caller, runtime }) => {
    const callerId = userOf(caller).id
    const conversation = await findConversation(runtime, body.conversation_id, callerId)
    const session = { id: path.id, conversationId: conversation.id, hashKey: body.media_hash_key, userId: callerId }
    const until = await appendToUpload(runtime, session, Number(body.segment_index), readBytes(body.media))
    return { data: { expires_at: Math.floor(until.getTime() / 1000) } }
  },
})

export const chatMediaUploadFinalize = defineOperation({
  id: 'chatMediaUploadFinalize',
  route: 'POST /2/chat/media/upload/{id}/finalize',
  tag: 'Chat',
  summary: 'Finish the upload of an encrypted file',
  auth,
  path: { id: idSchema('ChatMediaSessionId') },
  body: component(
    'ChatMediaUploadFinalizeRequest',
    closed({
      conversation_id: optional(Id),
      media_hash_key: optional(Id),
      message_id: optional(Id),
      num_parts: optional(ownBound(Type.String(), 10)),
      ttl_msec: optional(ownBound(Type.String(), 19)),
    }),
  ),
  reply: component(
    'ChatMediaUploadFinalizeResponse',
    Type.Object({ data: optional(Type.Object({ success: Type.Boolean() })) }),
  ),
  handle: async ({ path, body, caller, runtime }) => {
    if (body.conversation_id === undefined) throw missing('conversation_id')
    if (body.media_hash_key === undefined) throw missing('media_hash_key')
    const callerId = userOf(caller).id
    const conversation = await findConversation(runtime, body.conversation_id, callerId)
    const session = { id: path.id, conversationId: conversation.id, hashKey: body.media_hash_key, userId: callerId }
    await finishChatUpload(runtime, session, {
      parts: body.num_parts,
      messageId: body.message_id,
      ttlMs: body.ttl_msec,
    })
    return { data: { success: true } }
  },
})

export const chatMediaDownload = defineOperation({
  id: 'chatMediaDownload',
  route: 'GET /2/chat/media/{id}/{media_hash_key}',
  tag: 'Chat',
  summary: 'Download an encrypted file of a conversation',
  auth,
  path: { id: ChatConversationOrRecipientId, media_hash_key: MediaHashKey },
  bytes: true,
  reply: component('BinaryPayload', Type.String({ format: 'binary' })),
  handle: async ({ path, caller, runtime }) => {
    const conversation = await findConversation(runtime, path.id, userOf(caller).id)
    const now = new Date(runtime.clock.now())
    const row = await chatMediaFind.first(runtime.database, path.media_hash_key, conversation.id, now)
    if (!row) throw blank(404, `The conversation has no media item [${path.media_hash_key}].`)
    const size = Number(row.total_bytes)
    const stored = {
      size,
      read: async (from: number, length: number) => {
        const rows = await chatSegmentsRead.all(runtime.database, row.id, String(from), String(from + length))
        return Buffer.concat(rows.flatMap((part) => part.bytes ?? []))
      },
    }
    return new BytesAnswer(size, bytesBetween(stored, 0, size), 200, {
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment',
      'cache-control': 'private, no-store',
    })
  },
})
