import type { Runtime } from '../../api-kit/runtime.ts'
import { every } from '../../process/every.ts'
import { OutgoingError } from '../../process/outgoing.ts'
import type { Db } from '../../storage/database.ts'
import type { AdsError } from '../kit/errors.ts'
import { AdsProblem } from '../kit/errors.ts'
import { nextFetch, type Schedule } from './feed-schedule.ts'
import { putProducts } from './put-products.ts'
import { FeedError, type FeedRecord, readFeed } from './read-feed.ts'
import { feedDone, feedRelease, feedRenew, runAdd, runEnd, runsTrim } from './scheduled-feed.statements.ts'

/** A feed that this process has claimed. */
export interface ClaimedFeed {
  id: string
  catalog_id: string
  feed_url: string
  feed_format: string
  frequency: string
  repeat: string | null
  start_time: string
  time_zone: string
}

/** How long a claim lasts without being renewed. */
export const CLAIM_MS = 120_000
const PRODUCTS_AT_ONCE = 200
const MOST_BYTES = 8 * 1024 ** 3
/** How long the server of a file may be silent, how long a run may take, and how often it renews its claim. Tests shorten them. */
export const FEED_TIMES = { idleMs: 30_000, totalMs: 30 * 60_000, renewMs: 30_000 }
const ERRORS_KEPT = 100
const RUNS_KEPT = 20

// The feed was changed or deleted, or claimed by another run: this run ends without a result.
class ClaimLost extends Error {}

interface Tally {
  created: number
  updated: number
  unchanged: number
  failed: number
  errors: { place: number; id: string; errors: Partial<Pick<AdsError, 'code' | 'parameter' | 'details'>>[] }[]
}

/** Fetches a feed and puts its products into the catalog, some at a time. A second run on the same file changes nothing. */
export async function importFeed(
  runtime: Runtime,
  feed: ClaimedFeed,
  runId: string,
  stopping: AbortSignal,
): Promise<void> {
  const tally: Tally = { created: 0, updated: 0, unchanged: 0, failed: 0, errors: [] }
  await runAdd.count(runtime.database, runId, feed.id, new Date(runtime.clock.now()))
  let problem: string | null = null
  try {
    await fetchProducts(runtime, feed, runId, stopping, tally)
  } catch (error) {
    if (stopping.aborted) {
      // Another process can start again immediately.
      await feedRelease.count(runtime.database, feed.id, runId)
      return
    }
    if (error instanceof ClaimLost || isCatalogMissing(error)) return
    problem = problemOf(error)
    if (problem === null) throw error
  }
  const now = runtime.clock.now()
  await runEnd.count(
    runtime.database,
    runId,
    new Date(now),
    problem === null ? 'IMPORTED' : 'FAILED',
    problem,
    tally.created,
    tally.updated,
    tally.unchanged,
    tally.failed,
    JSON.stringify(tally.errors),
  )
  await runsTrim.count(runtime.database, feed.id, RUNS_KEPT)
  await feedDone.count(runtime.database, feed.id, runId, new Date(nextFetch(feed as Schedule, now)))
}

const isCatalogMissing = (error: unknown): boolean => error instanceof AdsProblem && error.status === 404

/** The problem as merchants see it; null for failures of the server itself. */
function problemOf(error: unknown): string | null {
  if (error instanceof FeedError) return error.message
  if (error instanceof OutgoingError) return `${error.kind}: ${error.message}`
  return null
}

async function fetchProducts(
  runtime: Runtime,
  feed: ClaimedFeed,
  runId: string,
  stopping: AbortSignal,
  tally: Tally,
): Promise<void> {
  const { idleMs, totalMs, renewMs } = FEED_TIMES
  const tooLate = AbortSignal.timeout(totalMs)
  const checkTime = () => {
    if (tooLate.aborted) throw new FeedError(`the file was not read within ${totalMs / 1_000} seconds`)
  }
  const ending = AbortSignal.any([stopping, tooLate])
  const request = { url: feed.feed_url, idleMs, maxBytes: MOST_BYTES, stopping: ending }
  const download = await runtime.outgoing.download(request).catch((error: unknown) => {
    checkTime()
    throw error
  })
  // A file may bring no product for a long time, such as one of comments only: the run is not dead because of it.
  const renewing = every(
    renewMs,
    () => renewClaim(runtime.database, runtime, feed, runId),
    (error) => runtime.log.debug({ err: error, feed: feed.id }, 'the claim of a product feed was not renewed'),
  )
  try {
    if (download.status !== 200) throw new FeedError(`the server answered with status ${download.status}`)
    let waiting: FeedRecord[] = []
    let count = 0
    let storedAt = performance.now()
    const store = async () => {
      const batch = waiting
      waiting = []
      storedAt = performance.now()
      await storeProducts(runtime, feed, runId, batch, count - batch.length, tally)
    }
    for await (const record of readFeed(feed.feed_format, download.chunks)) {
      waiting.push(record)
      count += 1
      const isFull = waiting.length >= PRODUCTS_AT_ONCE
      if (isFull || performance.now() - storedAt > renewMs) await store()
      checkTime()
    }
    if (waiting.length > 0) await store()
  } catch (error) {
    checkTime()
    throw error
  } finally {
    download.close()
    await renewing.stop()
  }
}

/** False when the feed was deleted, changed, or claimed by another run. */
async function renewClaim(db: Db, runtime: Runtime, feed: ClaimedFeed, runId: string): Promise<boolean> {
  return (await feedRenew.count(db, feed.id, runId, new Date(runtime.clock.now() + CLAIM_MS))) > 0
}

async function storeProducts(
  runtime: Runtime,
  feed: ClaimedFeed,
  runId: string,
  batch: FeedRecord[],
  before: number,
  tally: Tally,
): Promise<void> {
  // The last of several products with the same id counts.
  const last = new Map(batch.map((record, at) => [record.id ?? at, at]))
  const kept = batch.flatMap((record, at) => (last.get(record.id ?? at) === at ? [{ record, at }] : []))
  const results = await putProducts(
    runtime,
    feed.catalog_id,
    kept.map(({ record }) => record),
    {
      needsKeys: false,
      begin: async (tx) => {
        if (!(await renewClaim(tx, runtime, feed, runId))) throw new ClaimLost()
      },
    },
  )
  for (const [index, result] of results.entries()) {
    if (result.status === 'CREATE_SUCCESS') tally.created += 1
    else if (result.status === 'UPDATE_SUCCESS') tally.updated += 1
    else if (result.status === 'NO_CHANGE') tally.unchanged += 1
    else {
      tally.failed += 1
      if (tally.errors.length >= ERRORS_KEPT) continue
      const errors = result.errors.map(({ code, parameter, details }) => ({
        code,
        ...(parameter === undefined ? {} : { parameter }),
        ...(details === undefined ? {} : { details }),
      }))
      tally.errors.push({ place: before + kept[index]!.at + 1, id: result.id, errors })
    }
  }
}
