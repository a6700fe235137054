import { change, type Runtime } from '../../api-kit/runtime.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { notesLock, ratingsAdd, ratingsCount, writersAmong } from './note.statements.ts'
import { type Helpfulness, type RatingTag, tagsFor } from './rating-tags.ts'

/** The rating of a note by a user. */
export interface NoteRating {
  noteId: string
  raterId: string
  helpfulness: Helpfulness
  tags: readonly RatingTag[]
}

/** Stores ratings, all or none. A second rating of a note by the same user replaces the first. The next scoring counts them. */
export async function rateNotes(runtime: Runtime, ratings: readonly NoteRating[]): Promise<void> {
  const noteIds = [...new Set(ratings.map((rating) => rating.noteId))]
  const rows = ratings.map(({ noteId, raterId, helpfulness, tags }) => ({
    note_id: noteId,
    rater_id: raterId,
    helpfulness,
    tags: [...new Set(tags)],
  }))
  await change(runtime, async (tx) => {
    const found = await notesLock.all(tx, noteIds.filter(isStorableId))
    const raters = [...new Set(ratings.map((rating) => rating.raterId))]
    const writers = new Set((await writersAmong.all(tx, raters)).map((row) => row.user_id))
    checkRatings(ratings, new Map(found.map((row) => [row.id, row.writer_id])), writers)
    await ratingsAdd.count(tx, JSON.stringify(rows), new Date(runtime.clock.now()))
    await ratingsCount.count(tx, noteIds)
  })
}

/** Refuses the first rating with a fault. */
function checkRatings(
  ratings: readonly NoteRating[],
  writerOf: ReadonlyMap<string, string>,
  writers: ReadonlySet<string>,
): void {
  const seen = new Set<string>()
  for (const [index, { noteId, raterId, helpfulness, tags }] of ratings.entries()) {
    const refuse = (member: string, value: string, message: string) =>
      invalidParameter(`ratings[${index}].${member}`, value, message)
    const writer = writerOf.get(noteId)
    if (writer === undefined) throw refuse('note', noteId, `There is no note [${noteId}].`)
    if (writer === raterId) throw refuse('user', raterId, 'A user cannot rate an own note.')
    if (writers.has(raterId))
      throw refuse('user', raterId, 'A user who is enrolled as a writer of notes cannot rate notes.')
    const pair = `${noteId} ${raterId}`
    if (seen.has(pair)) throw refuse('user', raterId, `The user [${raterId}] rates the note [${noteId}] twice.`)
    seen.add(pair)
    const allowed = tagsFor(helpfulness)
    const wrong = tags.find((tag) => !allowed.includes(tag))
    if (wrong) throw refuse('tags', wrong, `A rating of ${helpfulness} can have the tags ${allowed.join(', ')}.`)
  }
}
