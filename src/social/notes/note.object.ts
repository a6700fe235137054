import { defineObject, staticField } from '../../api-kit/declaring/object.ts'
import { definePart, keyedBy } from '../../api-kit/declaring/part.ts'
import {
  Count,
  closed,
  component,
  fixedName,
  idSchema,
  ownBound,
  type Static,
  Type,
  words,
} from '../../api-kit/declaring/schema.ts'
import { PostId } from '../ids.ts'
import { bucketOf } from './claim-opinion.ts'
import { notesById } from './note.statements.ts'

const optional = Type.Optional

export const NoteId = idSchema('NoteId')

export const MISLEADING_TAGS = [
  'disputed_claim_as_fact',
  'factual_error',
  'manipulated_media',
  'misinterpreted_satire',
  'missing_important_context',
  'other',
  'outdated_information',
] as const

/** What a writer says in a note. */
export const NoteInfo = component(
  'NoteInfo',
  closed({
    classification: component('NoteClassification', words(['misinformed_or_potentially_misleading', 'not_misleading'])),
    is_media_note: optional(Type.Boolean()),
    misleading_tags: ownBound(Type.Array(component('MisleadingTags', words(MISLEADING_TAGS))), MISLEADING_TAGS.length),
    text: ownBound(Type.String({ pattern: '^(?=[\\s\\S]*https?://\\S+)[\\s\\S]+$' }), 280),
    trustworthy_sources: Type.Boolean(),
  }),
)
export type NoteInfo = Static<typeof NoteInfo>

const Tag = Type.Object({ tag_count: optional(Count), tag_name: optional(Type.String()) })
const BucketCounts = component(
  'NoteFactorBucketCounts',
  Type.Object({
    helpful_count: optional(Count),
    helpful_tag_counts: optional(Tag),
    not_helpful_count: optional(Count),
    not_helpful_tag_counts: optional(Tag),
    somewhat_helpful_count: optional(Count),
  }),
)
const RatingCounts = component(
  'NoteRatingCountsPerModel',
  Type.Object({
    negative_factor_bucket_counts: optional(BucketCounts),
    neutral_factor_bucket_counts: optional(BucketCounts),
    positive_factor_bucket_counts: optional(BucketCounts),
  }),
)
/** The ratings of a note, by the side on which its raters usually are. */
export type RatingCounts = Static<typeof RatingCounts>

const ScoringStatus = component(
  'NoteScoringStatus',
  Type.Object({
    has_access: optional(Type.Boolean()),
    rating_counts_per_model: optional(
      Type.Object({ model_name: optional(Type.String()), value: optional(RatingCounts) }),
    ),
  }),
)

const MODEL = 'CoreModel'

export const NoteRatingStatus = component(
  'NoteRatingStatus',
  words([
    'currently_rated_helpful',
    'currently_rated_not_helpful',
    'firm_reject',
    'insufficient_consensus',
    'minimum_ratings_not_met',
    'needs_more_ratings',
    'needs_your_help',
  ]),
)
export type NoteRatingStatus = Static<typeof NoteRatingStatus>

/** Notes by id. Whatever changes a note invalidates kind `note`. */
export const noteRow = definePart('note', 'row', async (db, ids) =>
  keyedBy((row) => row.id, await notesById.all(db, ids)),
)

/** The object `note` of the interface. Only its writer reads it. */
export const note = defineObject({
  name: 'note',
  // Lists leave out what is gone, so no error names a note.
  resource: 'post',
  plural: 'notes',
  component: 'Note',
  always: ['id', 'post_id'],
  unlisted: ['post_id'],
  existence: noteRow,
  fields: {
    id: staticField(noteRow, NoteId, (row) => row.id),
    post_id: staticField(noteRow, fixedName(PostId), (row) => row.post_id),
    info: staticField(noteRow, NoteInfo, (row) => ({
      classification: row.classification as NoteInfo['classification'],
      ...(row.is_media_note === null ? {} : { is_media_note: row.is_media_note }),
      misleading_tags: row.misleading_tags as NoteInfo['misleading_tags'],
      text: row.text,
      trustworthy_sources: row.trustworthy_sources,
    })),
    scoring_status: staticField(noteRow, ScoringStatus, (row) => ({
      has_access: true,
      ...(row.rating_counts === null
        ? {}
        : { rating_counts_per_model: { model_name: MODEL, value: row.rating_counts as RatingCounts } }),
    })),
    status: staticField(noteRow, NoteRatingStatus, (row) => row.status as NoteRatingStatus),
    test_result: staticField(
      noteRow,
      component(
        'NoteTestResult',
        Type.Object({ evaluator_score_bucket: optional(Type.String()), evaluator_type: optional(Type.String()) }),
      ),
      (row) => ({ evaluator_score_bucket: bucketOf(row.claim_opinion_score), evaluator_type: 'ClaimOpinion' }),
    ),
  },
})
