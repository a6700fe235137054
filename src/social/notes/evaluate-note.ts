import { defineOperation, type Input } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { closed, component, fixedName, ownBound, type Static, Type } from '../../api-kit/declaring/schema.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { PostId } from '../ids.ts'
import { claimOpinionScore } from './claim-opinion.ts'
import { findWriter } from './note-writers.ts'
import { findPostToNote } from './write-notes.ts'

const optional = Type.Optional
const MOST_CHARACTERS = 2_000

const Draft = closed({ note_text: ownBound(Type.String(), MOST_CHARACTERS), post_id: fixedName(PostId) })
const scored = Type.Object({ claim_opinion_score: optional(Type.Number({ format: 'double' })) })

/** Scores a draft. Nothing is stored. */
async function evaluate({ body, caller, runtime, context }: Input<unknown, unknown, Static<typeof Draft>>) {
  await findWriter(runtime, caller)
  if (body.note_text.trim() === '') throw invalidParameter('note_text', body.note_text, 'note_text must not be empty.')
  const noted = await findPostToNote(context, body.post_id)
  return { data: { claim_opinion_score: claimOpinionScore(body.note_text, noted.note_text ?? noted.text) } }
}

const common = {
  tag: 'Community Notes',
  auth: { oauth1: true, oauth2: ['post.write'] },
  limit: { user: '90/15m' },
}

export const evaluateCommunityNotes = defineOperation({
  ...common,
  id: 'evaluateCommunityNotes',
  route: 'POST /2/evaluate_note',
  summary: 'Evaluate a draft of a community note',
  body: component('EvaluateNoteRequest', Draft),
  reply: component('EvaluateNoteResponse', Type.Object({ data: optional(scored), errors: ErrorsSchema })),
  handle: evaluate,
})

/** The name of the same operation in version 2.167. */
export const evaluateNotes = defineOperation({
  ...common,
  id: 'evaluateNotes',
  route: 'POST /2/notes/evaluate',
  summary: 'Evaluate a draft of a community note',
  since: '2.167',
  body: component('EvaluateCommunityNotesRequest', Draft),
  reply: component(
    'EvaluateCommunityNotesResponse',
    Type.Object({
      data: optional(component('EvaluateCommunityNotesResponseData', scored)),
      errors: ErrorsSchema,
    }),
  ),
  handle: evaluate,
})
