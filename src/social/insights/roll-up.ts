import type { Db } from '../../storage/database.ts'
import { DAY_MS } from './facts.ts'
import { mediaHoursRoll, postHoursRoll, viewersPrune } from './insight.statements.ts'
import { HOURS_KEPT_MS } from './read-series.ts'

const ROWS_AT_ONCE = 20_000
/** The most steps of one turn: a long pause of the server is caught up over several turns. */
const MOST_STEPS = 25
/** For how long a viewer of a video is remembered, who then counts once. */
const VIEWERS_KEPT_MS = 30 * DAY_MS

/** Turns hours that are too old for hourly answers into days, and forgets viewers that decide nothing any more. */
export async function rollUpFacts(db: Db, now: number): Promise<void> {
  const before = new Date(Math.floor((now - HOURS_KEPT_MS) / DAY_MS) * DAY_MS)
  for (const roll of [postHoursRoll, mediaHoursRoll]) {
    for (let step = 0; step < MOST_STEPS; step++)
      if ((await roll.first(db, before, ROWS_AT_ONCE))!.moved < ROWS_AT_ONCE) break
  }
  await viewersPrune.count(db, new Date(now - DAY_MS), new Date(now - VIEWERS_KEPT_MS))
}
