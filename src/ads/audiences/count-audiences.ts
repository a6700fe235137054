import type { Runtime } from '../../api-kit/runtime.ts'
import { idAt } from '../../process/ids.ts'
import { type Tx, transaction } from '../../storage/database.ts'
import type { AdsTask } from '../kit/task.ts'
import { acceptedMasks, fulfils, leafIds, leavesOf, type Segment } from './audience-segments.ts'
import {
  claimList,
  dueLists,
  expiredDrop,
  keysRemove,
  markDependent,
  matchesRemove,
  matchKeys,
  matchSegments,
  matchVisitors,
  nextKeyChange,
  restAudience,
  restDoNotReach,
  settleAudience,
  settleDoNotReach,
} from './match.statements.ts'

const DAY_MS = 86_400_000
/** A user counts as active who joined or posted within so many days. */
const ACTIVE_DAYS = 90
/** A visitor of a website or an app belongs to the audience of its event tag for so many days after the last time. */
const VISITOR_DAYS = 90
/** The number of active users that makes an audience targetable. Smaller sizes are not shown. */
export const LEAST_PEOPLE = 100
// A list that takes long to count then rests ten times as long, however often it changes.
const QUICK_COUNT_MS = 1_000
const REST_FACTOR = 10
// A run ends after this time; the lists that are left are counted in the next run.
const LONGEST_RUN_MS = 5_000

type Due = Awaited<ReturnType<typeof dueLists.all>>[number]

/** Finds the users whom the keys of audiences and Do Not Reach lists identify, and counts them. */
export const countAudiences: AdsTask = {
  name: 'count audiences',
  run: async (runtime) => {
    const started = performance.now()
    const failed = new Set<string>()
    let counted = 0
    for (;;) {
      const due = (await dueLists.all(runtime.database, new Date(runtime.clock.now()))).filter(
        (list) => !failed.has(list.id),
      )
      if (due.length === 0) return counted
      for (const list of due) {
        if (performance.now() - started > LONGEST_RUN_MS) return counted
        try {
          if (await transaction(runtime.database, (tx) => countOne(tx, runtime, list))) counted += 1
          else failed.add(list.id)
        } catch (error) {
          failed.add(list.id)
          runtime.log.error({ err: error, audience: list.id }, 'an audience could not be counted')
        }
      }
    }
  },
}

/** Counts one list in one transaction, so a run that is interrupted leaves it due. */
async function countOne(tx: Tx, runtime: Runtime, list: Due): Promise<boolean> {
  if (!(await claimList.first(tx, list.id))!.claimed) return false
  const started = performance.now()
  const nowMs = runtime.clock.now()
  const now = new Date(nowMs)
  if (list.deleted) {
    await keysRemove.count(tx, list.id)
    await matchesRemove.count(tx, list.id)
    await (list.is_audience ? restAudience : restDoNotReach).count(tx, list.id)
    if (list.is_audience) await markDependent.count(tx, list.id, now)
    return true
  }
  const activeSince = nowMs - ACTIVE_DAYS * DAY_MS
  const activity = [new Date(activeSince), idAt(activeSince)] as const
  const isOfUsers = !list.is_flexible && list.tag_id === null
  if (isOfUsers) await expiredDrop.count(tx, list.id, now)
  const found = list.is_flexible
    ? await matchSegments.first(tx, list.id, now, ...activity, ...leafColumns(list.segments as Segment, nowMs))
    : list.tag_id === null
      ? await matchKeys.first(tx, list.id, now, ...activity)
      : await matchVisitors.first(tx, list.id, now, ...activity, list.tag_id, new Date(nowMs - VISITOR_DAYS * DAY_MS))
  const nextChange = isOfUsers ? ((await nextKeyChange.first(tx, list.id, now))?.at ?? null) : now
  // A list is counted daily, because users join and become inactive. An empty list need not be counted again.
  const next =
    nextChange && new Date(nextChange > now ? Math.min(nextChange.getTime(), nowMs + DAY_MS) : nowMs + DAY_MS)
  const tookMs = performance.now() - started
  const rest = tookMs < QUICK_COUNT_MS ? null : new Date(nowMs + tookMs * REST_FACTOR)
  const settle = list.is_audience ? settleAudience : settleDoNotReach
  await settle.count(tx, list.id, found!.active, LEAST_PEOPLE, list.revision, next, rest)
  if (list.is_audience && found!.changed > 0) await markDependent.count(tx, list.id, now)
  return true
}

/** The leaves of a flexible audience as columns for the statement. A user is in an audience once, so only the time of joining decides. */
function leafColumns(segments: Segment, now: number) {
  const leaves = leavesOf(segments)
  const start = (leaf: Segment) =>
    leaf.lookback_window === undefined ? '-infinity' : new Date(now - leaf.lookback_window * DAY_MS).toISOString()
  return [
    leafIds(segments),
    leaves.map(start),
    leaves.map((leaf) => fulfils(leaf, 1)),
    leaves.map((leaf) => fulfils(leaf, 0)),
    acceptedMasks(segments),
  ] as const
}
