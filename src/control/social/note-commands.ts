import { closed, Type, words } from '../../api-kit/declaring/schema.ts'
import { blank, invalidParameter } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { noteRow } from '../../social/notes/note.object.ts'
import { ratingsOfNote } from '../../social/notes/note.statements.ts'
import { enrolWriter, withdrawWriter } from '../../social/notes/note-writers.ts'
import { type NoteRating, rateNotes } from '../../social/notes/rate-notes.ts'
import { HELPFULNESS, RATING_TAGS } from '../../social/notes/rating-tags.ts'
import { scoreNotes } from '../../social/notes/score-notes.ts'
import { findUsers } from '../../social/users/find-users.ts'
import { type Command, defineCommand, findUser, NameOrId } from '../command.ts'

// The interface has no operations to enrol writers or to rate notes.

const MOST_RATINGS = 10_000
const NoteId = Type.String({ pattern: '^[0-9]{1,19}$' })

const enrol = defineCommand(
  'notes.enrol',
  closed({ user: NameOrId, top: Type.Optional(Type.Boolean()) }),
  async (runtime, { user, top = false }) => {
    const { id, username } = await findUser(runtime, user, 'user')
    await enrolWriter(runtime, id, { top })
    return { user_id: id, username, enrolled: true, top }
  },
)

const withdraw = defineCommand('notes.withdraw', closed({ user: NameOrId }), async (runtime, { user }) => {
  const { id, username } = await findUser(runtime, user, 'user')
  await withdrawWriter(runtime, id)
  return { user_id: id, username, enrolled: false }
})

const rate = defineCommand(
  'notes.rate',
  closed({
    ratings: Type.Array(
      closed({
        note: NoteId,
        user: NameOrId,
        helpfulness: words(HELPFULNESS),
        tags: Type.Optional(Type.Array(words(RATING_TAGS), { maxItems: RATING_TAGS.length })),
      }),
      { minItems: 1, maxItems: MOST_RATINGS },
    ),
  }),
  async (runtime, { ratings }) => {
    const users = await findUsers(
      runtime,
      ratings.map((rating) => rating.user),
    )
    const found = ratings.map(({ note, user, helpfulness, tags = [] }, index): NoteRating => {
      const raterId = users.get(user)
      if (raterId === undefined) throw invalidParameter(`ratings[${index}].user`, user, `There is no user [${user}].`)
      return { noteId: note, raterId, helpfulness, tags }
    })
    await rateNotes(runtime, found)
    return { rated: found.length }
  },
)

const score = defineCommand('notes.score', closed({}), (runtime) => scoreNotes(runtime, new AbortController().signal))

const show = defineCommand('notes.show', closed({ note: NoteId }), async (runtime, { note }) => {
  const row = isStorableId(note) ? await runtime.parts.one(noteRow, note) : undefined
  if (!row) throw blank(404, `There is no note [${note}].`)
  const counted = await ratingsOfNote.all(runtime.database, note)
  const ratings = Object.fromEntries(HELPFULNESS.map((name) => [name, 0]))
  for (const { helpfulness, ratings: count } of counted) ratings[helpfulness] = count
  const { id, post_id, writer_id, text, status, locked, intercept, factor, claim_opinion_score } = row
  return { id, post_id, writer_id, text, status, final: locked, intercept, factor, claim_opinion_score, ...ratings }
})

/** The commands about community notes. */
export const noteCommands: readonly Command[] = [enrol, withdraw, rate, score, show]
