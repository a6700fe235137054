import type { Runtime } from '../../api-kit/runtime.ts'
import { type RowOf, statement } from '../../storage/statement.ts'

const columns = {
  id: 'int8',
  writer_id: 'int8',
  text: 'text',
  classification: 'text',
  misleading_tags: 'text[]',
  status: 'text',
  own_rating: 'text?',
  locked: 'bool',
} as const

/** A note as a reader of its post sees it. */
export type NoteOfPost = RowOf<typeof columns>

const MOST = 50

// `$2` is the reader: their own rating is shown.
const notesOfPost = statement(
  'notes_of_post',
  columns,
  `select n.id, n.writer_id, n.text, n.classification, n.misleading_tags, n.status, n.locked,
          (select r.helpfulness from community_note_rating r where r.note_id = n.id and r.rater_id = $2) as own_rating
     from community_note n where n.first_version_id = (select p.first_version_id from post p where p.id = $1)
    order by n.status = 'currently_rated_helpful' desc, n.id desc limit ${MOST}`,
)

/** The notes on a post, those that are shown first. Who may see the post has been decided. */
export const readNotesOfPost = (
  { database }: Pick<Runtime, 'database'>,
  postId: string,
  readerId: string,
): Promise<NoteOfPost[]> => notesOfPost.all(database, postId, readerId)
