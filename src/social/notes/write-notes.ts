import { defineOperation } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { closed, component, fixedName, Type } from '../../api-kit/declaring/schema.ts'
import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { change } from '../../api-kit/runtime.ts'
import { resourceNotFound } from '../../api-kit/writing/partial-errors.ts'
import { AsGiven, named, type Sentence, say } from '../../api-kit/writing/problem.ts'
import { blank, forbidden, invalidParameter, invalidRequest, objectNotFound } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { PostId } from '../ids.ts'
import { findPostToActOn } from '../posts/find-visible-post.ts'
import type { PostRow } from '../posts/post.parts.ts'
import { authorsOf, judgePosts } from '../visibility.ts'
import { claimOpinionScore } from './claim-opinion.ts'
import { NoteId, NoteInfo, noteRow } from './note.object.ts'
import { noteAdd, noteRemove } from './note.statements.ts'
import { checkTestMode, findWriter } from './note-writers.ts'

const optional = Type.Optional
const auth = { oauth1: true, oauth2: ['post.write'] }

export const createCommunityNotes = defineOperation({
  id: 'createCommunityNotes',
  route: 'POST /2/notes',
  tag: 'Community Notes',
  summary: 'Write a community note on a post, in test mode',
  auth,
  limit: { user: '90/15m + 250/24h' },
  body: component(
    'CreateNoteRequest',
    closed({ info: NoteInfo, post_id: fixedName(PostId), test_mode: Type.Boolean() }),
  ),
  reply: component(
    'CreateNoteResponse',
    Type.Object({ data: optional(Type.Object({ id: optional(NoteId) })), errors: ErrorsSchema }),
  ),
  handle: async ({ body, caller, runtime, context }) => {
    const writer = await findWriter(runtime, caller)
    checkTestMode(body.test_mode)
    const noted = await findPostToNote(context, body.post_id)
    checkInfo(body.info, noted)
    const id = runtime.ids.next()
    const { info } = body
    const made = await noteAdd.first(
      runtime.database,
      id,
      noted.id,
      writer.id,
      info.text,
      info.classification,
      [...new Set(info.misleading_tags)],
      info.trustworthy_sources,
      info.is_media_note ?? null,
      claimOpinionScore(info.text, noted.note_text ?? noted.text),
      new Date(runtime.clock.now()),
    )
    if (!made?.found) throw objectNotFound(resourceNotFound('post', 'post_id', body.post_id))
    if (made.id === null) throw refusedPost(body.post_id, 'User already created a note for this post.')
    return { data: { id } }
  },
})

// The member has this name in both namings.
const refusedPost = (id: string, message: string | Sentence) =>
  invalidRequest([{ parameters: new AsGiven({ post_id: [id] }), message }])

/** The post that a note may be written on: one that everybody may see. */
export async function findPostToNote(context: ReadContext, id: string): Promise<PostRow> {
  const row = await findPostToActOn(context, id, 'post_id')
  if (row.reposted_post_id !== null) throw refusedPost(id, 'A repost cannot have a note. Its original can.')
  const [refusal] = await judgePosts({ ...context, caller: undefined }, [authorsOf(row)])
  if (row.nullcast || refusal) throw refusedPost(id, say`Only a public ${named('post')} can have a note.`)
  return row
}

/** Rules about members of a note together. */
function checkInfo(info: NoteInfo, noted: PostRow): void {
  if (info.classification === 'misinformed_or_potentially_misleading' && info.misleading_tags.length === 0)
    throw invalidParameter(
      'info.misleading_tags',
      '',
      'misleading_tags must have at least one value when the classification is misinformed_or_potentially_misleading.',
    )
  if (info.is_media_note && noted.media_keys.length === 0)
    throw invalidParameter(
      'info.is_media_note',
      'true',
      say`is_media_note must be false for a ${named('post')} without media.`,
    )
}

const noSuchNote = (id: string) => blank(404, `Could not find note with id: [${id}].`)

export const deleteCommunityNotes = defineOperation({
  id: 'deleteCommunityNotes',
  route: 'DELETE /2/notes/{id}',
  tag: 'Community Notes',
  summary: 'Delete a community note of the caller',
  auth,
  limit: { user: '90/15m' },
  path: { id: NoteId },
  reply: component(
    'DeleteNoteResponse',
    Type.Object({ data: optional(Type.Object({ deleted: Type.Boolean() })), errors: ErrorsSchema }),
  ),
  handle: async ({ path, caller, runtime }) => {
    const writer = await findWriter(runtime, caller)
    const row = isStorableId(path.id) ? await runtime.parts.one(noteRow, path.id) : undefined
    if (!row) throw noSuchNote(path.id)
    if (row.writer_id !== writer.id)
      throw forbidden('You are not authorized to delete this note.', 'the note belongs to another user')
    const removed = await change(runtime, (tx, invalidate) => {
      invalidate('note', row.id)
      return noteRemove.count(tx, row.id, writer.id)
    })
    if (removed === 0) throw noSuchNote(path.id)
    return { data: { deleted: true } }
  },
})
