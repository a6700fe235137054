import { type RowOf, statement } from '../../storage/statement.ts'
import { keyedList } from '../keyed-list.ts'

export const writerEnrol = statement(
  'note_writer_enrol',
  {},
  `insert into note_writer (user_id, top, enrolled_at) values ($1, $2, $3)
   on conflict (user_id) do update set top = excluded.top`,
)
export const writerWithdraw = statement('note_writer_withdraw', {}, 'delete from note_writer where user_id = $1')
export const writerById = statement(
  'note_writer_by_id',
  { top: 'bool' },
  'select top from note_writer where user_id = $1',
)
export const writersAmong = statement(
  'note_writers_among',
  { user_id: 'int8' },
  'select user_id from note_writer where user_id = any($1::bigint[])',
)

/** Adds a note. `found` is false when the post is gone; `id` is null when the writer has a note for it already. */
export const noteAdd = statement(
  'note_add',
  { found: 'bool', id: 'int8?' },
  `with noted as (select id, first_version_id from post where id = $2 for key share),
   made as (
     insert into community_note (id, post_id, first_version_id, writer_id, text, classification, misleading_tags, trustworthy_sources,
                                 is_media_note, claim_opinion_score, status, created_at)
     select $1, id, first_version_id, $3, $4, $5, $6::text[], $7, $8, $9, 'minimum_ratings_not_met', $10 from noted
     on conflict (first_version_id, writer_id) do nothing
     returning id
   )
   select exists (select from noted) as found, (select id from made) as id`,
)
export const noteRemove = statement('note_remove', {}, 'delete from community_note where id = $1 and writer_id = $2')
/** Whether a user has a note for any version of a post. */
export const noteOfWriter = statement(
  'note_of_writer',
  { id: 'int8' },
  'select id from community_note where first_version_id = $1 and writer_id = $2',
)

export const notesWritten = keyedList('notes_written', {
  key: 'n.id',
  id: 'n.id',
  from: 'community_note n',
  where: 'n.writer_id = $1',
})

const noteColumns = {
  id: 'int8',
  post_id: 'int8',
  writer_id: 'int8',
  text: 'text',
  classification: 'text',
  misleading_tags: 'text[]',
  trustworthy_sources: 'bool',
  is_media_note: 'bool?',
  claim_opinion_score: 'float8',
  status: 'text',
  intercept: 'float8?',
  factor: 'float8?',
  rating_counts: 'jsonb?',
  locked: 'bool',
} as const
export type NoteRow = RowOf<typeof noteColumns>

export const notesById = statement(
  'notes_by_id',
  noteColumns,
  `select ${Object.keys(noteColumns).join(', ')} from community_note where id = any($1::bigint[])`,
)

/** Locks notes in the order of their ids. Returns those that exist. */
export const notesLock = statement(
  'notes_lock',
  { id: 'int8', writer_id: 'int8' },
  'select id, writer_id from community_note where id = any($1::bigint[]) order by id for update',
)
/** Stores ratings, each in place of an earlier one by the same rater. */
export const ratingsAdd = statement(
  'note_ratings_add',
  {},
  `insert into community_note_rating (note_id, rater_id, helpfulness, tags, rated_at)
   select note_id, rater_id, helpfulness, tags, $2
     from jsonb_to_recordset($1::jsonb) as r (note_id bigint, rater_id bigint, helpfulness text, tags text[])
    order by note_id, rater_id
   on conflict (note_id, rater_id) do update
     set helpfulness = excluded.helpfulness, tags = excluded.tags, rated_at = excluded.rated_at`,
)
export const ratingsCount = statement(
  'note_ratings_count',
  {},
  'update community_note set rating_changes = rating_changes + 1 where id = any($1::bigint[])',
)
export const ratingsOfNote = statement(
  'note_ratings_of_note',
  { helpfulness: 'text', ratings: 'int4' },
  'select helpfulness, count(*)::int as ratings from community_note_rating where note_id = $1 group by helpfulness',
)

/** Whether a note has ratings that its score does not include, or has reached the age at which its status is final. */
export const scoringDue = statement(
  'note_scoring_due',
  { due: 'bool' },
  `select exists (select from community_note where rating_changes <> scored_changes and not locked)
       or exists (select from community_note where not locked and created_at <= $1) as due`,
)
/** The notes with ratings that their score does not include. */
export const notesUnscored = statement(
  'notes_unscored',
  { id: 'int8', rating_changes: 'int4' },
  'select id, rating_changes from community_note where rating_changes <> scored_changes and not locked',
)
export const scoresLock = statement('note_scores_lock', {}, 'select from (select pg_advisory_xact_lock($1)) as held')

/** Ratings before a position, those of the newest notes first. */
export const ratingsBefore = statement(
  'note_ratings_before',
  { note_id: 'int8', rater_id: 'int8', helpfulness: 'text', tags: 'text[]' },
  `select note_id, rater_id, helpfulness, tags from community_note_rating
    where (note_id, rater_id) < ($1::bigint, $2::bigint) order by note_id desc, rater_id desc limit $3`,
)
/** Locks notes in the order of their ids, as ratings do. */
export const notesToScore = statement(
  'notes_to_score',
  {
    id: 'int8',
    status: 'text',
    intercept: 'float8?',
    factor: 'float8?',
    rating_counts: 'jsonb?',
    scored_changes: 'int4',
  },
  `select id, status, intercept, factor, rating_counts, scored_changes from community_note
    where id = any($1::bigint[]) and not locked order by id for update`,
)
export const scoresStore = statement(
  'note_scores_store',
  {},
  `update community_note n
      set status = s.status, intercept = s.intercept, factor = s.factor, rating_counts = s.rating_counts, scored_changes = s.scored_changes
     from jsonb_to_recordset($1::jsonb)
       as s (id bigint, status text, intercept float8, factor float8, rating_counts jsonb, scored_changes int)
    where n.id = s.id`,
)
/** Notes with the authors of their posts. */
export const notesWithAuthors = statement(
  'notes_with_authors',
  { id: 'int8', writer_id: 'int8', post_id: 'int8', author_id: 'int8' },
  `select n.id, n.writer_id, n.post_id, p.author_id from community_note n join post p on p.id = n.post_id where n.id = any($1::bigint[]) order by n.id`,
)
/** Makes the status of notes final that were written at a moment or before. */
export const notesSettle = statement(
  'notes_settle',
  { id: 'int8' },
  `update community_note
      set locked = true, status = case status when 'needs_more_ratings' then 'insufficient_consensus' else status end
    where id in (select id from community_note where not locked and created_at <= $1 order by id limit $2 for update)
   returning id`,
)
