import { setImmediate as turn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { change, type Invalidate, type Runtime } from '../../api-kit/runtime.ts'
import { emit } from '../../events/emit.ts'
import { realNow } from '../../process/clock.ts'
import { every } from '../../process/every.ts'
import type { Stoppable } from '../../process/keep-trying.ts'
import type { Tx } from '../../storage/database.ts'
import { startLeader, untilEnd } from '../../storage/leader.ts'
import { LOCK } from '../../storage/lock-numbers.ts'
import { type Bridging, findCommonGround } from './bridging.ts'
import { countRatings } from './count-ratings.ts'
import type { NoteRatingStatus } from './note.object.ts'
import {
  notesSettle,
  notesToScore,
  notesUnscored,
  notesWithAuthors,
  scoresLock,
  scoresStore,
  scoringDue,
} from './note.statements.ts'
import { type LoadedRatings, readRatings } from './read-ratings.ts'

const EVERY_MS = 30_000
/** Scoring rests so many times as long as it took, so a worker has little to do with it however many ratings there are. */
const REST = 20
const NOTES_AT_ONCE = 1_000
const DAY_MS = 24 * 3600_000
/** After two weeks the status of a note is final. */
const OPEN_MS = 14 * DAY_MS

// Published thresholds.
const LEAST_RATINGS = 5
const HELPFUL = 0.4
const NOT_HELPFUL = -0.05
const NOT_HELPFUL_PER_FACTOR = -0.8

/** The status that follows from the ratings of a note. */
function statusOf(ratings: number, intercept: number, factor: number): NoteRatingStatus {
  if (ratings < LEAST_RATINGS) return 'minimum_ratings_not_met'
  if (intercept >= HELPFUL) return 'currently_rated_helpful'
  if (intercept < NOT_HELPFUL + NOT_HELPFUL_PER_FACTOR * Math.abs(factor)) return 'currently_rated_not_helpful'
  return 'needs_more_ratings'
}

/** What a scoring did. */
interface Scoring {
  ratings: number
  notes: number
  changed: number
  settled: number
}

/** Scores all notes from all ratings, and makes the status of old notes final. Undefined when it was stopped. */
export const scoreNotes = (runtime: Runtime, stopping: AbortSignal): Promise<Scoring | undefined> =>
  change(runtime, async (tx, invalidate) => {
    await scoresLock.count(tx, LOCK.noteScores)
    // Read before the ratings: a rating that comes later leaves its note to the next run.
    const unscored = new Map((await notesUnscored.all(tx)).map((row) => [row.id, row.rating_changes]))
    const table = await readRatings(tx, stopping)
    if (!table) return undefined
    const pause = async () => {
      await turn()
      return stopping.aborted
    }
    const changed = table.values.length === 0 ? 0 : await storeScores(tx, invalidate, runtime, table, unscored, pause)
    if (changed === undefined) return undefined
    const settled = await settleNotes(tx, invalidate, new Date(runtime.clock.now() - OPEN_MS))
    return { ratings: table.values.length, notes: table.noteCount, changed, settled }
  })

/** Stores the scores that differ from those before. Returns how many; undefined when it was stopped. */
async function storeScores(
  tx: Tx,
  invalidate: Invalidate,
  runtime: Runtime,
  table: LoadedRatings,
  unscored: ReadonlyMap<string, number>,
  pause: () => Promise<boolean>,
): Promise<number | undefined> {
  const found = await findCommonGround(table, Float64Array.from(table.raterIds, startOf), pause)
  if (!found) return undefined
  const results = scoresOf(table, found)
  let changed = 0
  const ids = table.noteIds.toSorted((left, right) => (BigInt(left) < BigInt(right) ? -1 : 1))
  for (let start = 0; start < ids.length; start += NOTES_AT_ONCE) {
    if (await pause()) return undefined
    const stored = await notesToScore.all(tx, ids.slice(start, start + NOTES_AT_ONCE))
    const different = stored.flatMap((before) => {
      const scored = unscored.get(before.id) ?? before.scored_changes
      const after = { id: before.id, ...results.get(before.id)!, scored_changes: scored }
      return isDeepStrictEqual(before, after) ? [] : [after]
    })
    if (different.length === 0) continue
    await scoresStore.count(tx, JSON.stringify(different))
    invalidate('note', ...different.map((item) => item.id))
    const hidden = new Set(stored.flatMap((before) => (before.status === SHOWN ? [] : [before.id])))
    const shown = different.filter((after) => after.status === SHOWN && hidden.has(after.id))
    await reportShown(
      tx,
      runtime,
      shown.map((item) => item.id),
    )
    changed += different.length
  }
  return changed
}

const SHOWN: NoteRatingStatus = 'currently_rated_helpful'

/** Reports that notes are shown from now on. */
async function reportShown(tx: Tx, runtime: Runtime, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const notes = await notesWithAuthors.all(tx, ids)
  const events = notes.map((note) => ({
    type: 'note.show' as const,
    actorId: note.writer_id,
    targetId: note.author_id,
    postId: note.post_id,
    payload: { note_id: note.id },
  }))
  await emit(tx, runtime, ...events)
}

interface Score {
  status: string
  intercept: number
  factor: number
  rating_counts: unknown
}

function scoresOf(table: LoadedRatings, { notes, raters }: Bridging): Map<string, Score> {
  const counted = countRatings(table, raters.factors)
  return new Map(
    table.noteIds.map((id, index) => {
      const [intercept, factor] = [round(notes.intercepts[index]!), round(notes.factors[index]!)]
      const { total, counts } = counted[index]!
      return [id, { status: statusOf(total, intercept, factor), intercept, factor, rating_counts: counts }]
    }),
  )
}

// Smaller differences between two runs are not worth a write.
const round = (value: number): number => Math.round(value * 1_000) / 1_000 + 0

// Between -0.5 and 0.5, made from the id: a rater begins at the same place in every run.
const startOf = (raterId: string): number => Number((BigInt(raterId) * 48_271n) % 2_147_483_647n) / 2_147_483_647 - 0.5

async function settleNotes(tx: Tx, invalidate: Invalidate, latest: Date): Promise<number> {
  let settled = 0
  for (;;) {
    const rows = await notesSettle.all(tx, latest, NOTES_AT_ONCE)
    invalidate('note', ...rows.map((row) => row.id))
    settled += rows.length
    if (rows.length < NOTES_AT_ONCE) return settled
  }
}

/** Scores notes when something changed. Returns how long that took. */
export async function scoreIfDue(runtime: Runtime, stopping: AbortSignal): Promise<number> {
  const begun = realNow()
  const state = await scoringDue.first(runtime.database, new Date(runtime.clock.now() - OPEN_MS))
  if (state?.due) await scoreNotes(runtime, stopping)
  return realNow() - begun
}

/** Scores notes in one process of all machines, while there are new ratings. */
export const startNoteScoring = (runtime: Runtime): Stoppable =>
  startLeader({
    name: 'note scoring',
    lock: [LOCK.noteScoring],
    connection: () => runtime.database.connection,
    log: runtime.log,
    lead: async (_own, ending) => {
      let notBefore = 0
      const work = every(
        EVERY_MS,
        async (stopping) => {
          if (realNow() < notBefore) return
          const took = await scoreIfDue(runtime, stopping)
          notBefore = realNow() + took * REST
        },
        (error) => runtime.log.error({ err: error }, 'notes could not be scored; this is tried again'),
      )
      await untilEnd(ending)
      await work.stop()
    },
  })
