import { sortTerms } from '../../search/slices/keep-slices.ts'
import { type Database, sqlState, type Tx, transaction } from '../../storage/database.ts'
import { readFact } from '../../storage/instance-facts.ts'
import { shareWorld } from '../world-lock.ts'
import { applyEvents } from './apply-events.ts'
import { applyPosts, countPosts, countVotes, storeShortLinks } from './apply-posts.ts'
import { applyUsers, countFollows, type Has, storeUserTerms } from './apply-users.ts'
import { checkReferences, checkUsernames, refuseExisting, skipExisting } from './check-staged.ts'
import { clearEmptyWorld, isEmptyWorld } from './empty-world.ts'
import { insertSql } from './insert-rows.ts'
import type { Kind } from './kind.ts'
import { KINDS } from './kinds.ts'
import { ExchangeError, type Manifest, readManifest } from './manifest.ts'
import { checkFile, stageFile, stageOf } from './stage-rows.ts'
import { storeSearchTerms } from './store-search-terms.ts'

export interface ImportOrder {
  folder: string
  /** Check everything, and change nothing. */
  dryRun: boolean
  /** Leave out rows that exist, instead of refusing the import. */
  skipExisting: boolean
}

export interface ImportWatch {
  progress(step: string, done: number, of: number): void
  signal: AbortSignal
}

export interface ImportResult {
  manifest: Manifest
  /** Rows by kind. */
  imported: Record<string, number>
  skipped: Record<string, number>
}

const ANALYZE_FROM_ROWS = 10_000

/** Ends a transaction whose result is wanted without its changes. */
class DryRun extends Error {}

/**
 * Imports an export in one transaction, so all of it or nothing. Files are loaded into temporary tables and checked there; then
 * each kind is one INSERT, and counters, links and search terms are made from the rows.
 */
export async function importWorld(database: Database, order: ImportOrder, watch: ImportWatch): Promise<ImportResult> {
  const manifest = await readManifest(order.folder)
  for (const item of manifest.files) {
    watch.progress(`checking ${item.file}`, 0, item.rows)
    await checkFile(order.folder, item, watch.signal)
  }
  let result: ImportResult | undefined
  try {
    await transaction(database, async (tx) => {
      result = await importAll(tx, manifest, order, watch)
      if (order.dryRun) throw new DryRun()
    })
  } catch (error) {
    if (!(error instanceof DryRun)) throw explained(error)
  }
  if (!order.dryRun) {
    await sortTerms(database)
    const rows = Object.values(result!.imported).reduce((sum, count) => sum + count, 0)
    if (rows >= ANALYZE_FROM_ROWS) await database.query({ text: 'analyze' })
  }
  return result!
}

async function importAll(tx: Tx, manifest: Manifest, order: ImportOrder, watch: ImportWatch): Promise<ImportResult> {
  const { folder } = order
  const kinds = KINDS.filter((kind) => manifest.files.some((item) => item.what === kind.name))
  const has: Has = (name) => kinds.some((kind) => kind.name === name)
  await tx.query({ text: `select set_config('work_mem', '64MB', true)` })
  await shareWorld(tx)
  const baseUrl = (await readFact(tx, 'base_url')) ?? ''
  for (const kind of kinds) {
    const item = manifest.files.find((file) => file.what === kind.name)!
    const staging = { folder, format: manifest.format, baseUrl, signal: watch.signal }
    await stageFile(tx, kind, item, {
      ...staging,
      progress: (what, rows, of) => watch.progress(`reading ${what}`, rows, of),
    })
  }
  watch.progress('checking', 0, 1)
  const isEmpty = await isEmptyWorld(tx)
  if (isEmpty) await clearEmptyWorld(tx, kinds)
  const skipped = await leaveOutExisting(tx, kinds, order, isEmpty)
  if (has('users')) await checkUsernames(tx)
  await checkReferences(tx, kinds)
  const imported: Record<string, number> = {}
  for (const kind of kinds) {
    const { rows } = await tx.query<{ rows: number }>({ text: `select count(*)::int as rows from ${stageOf(kind)}` })
    imported[kind.name] = rows[0]!.rows
  }
  if (!order.dryRun) await apply(tx, manifest, kinds, has, isEmpty, watch)
  return { manifest, imported, skipped }
}

/** Removes or refuses staged rows that exist. The log of another world cannot be mixed with this one. */
async function leaveOutExisting(
  tx: Tx,
  kinds: readonly Kind[],
  order: ImportOrder,
  isEmpty: boolean,
): Promise<Record<string, number>> {
  const skipped: Record<string, number> = {}
  const compared = kinds.filter((kind) => !(isEmpty && kind.name === 'users'))
  if (!order.skipExisting) {
    await refuseExisting(tx, compared)
    if (!isEmpty && kinds.some((kind) => kind.name === 'events'))
      throw new ExchangeError(
        'Events can be imported only into an empty world, because their sequences belong to one log. Nothing was changed. Leave them out with --skip-existing.',
      )
    return skipped
  }
  for (const kind of compared) {
    if (kind.name === 'events' && !isEmpty) {
      const { rowCount } = await tx.query({ text: `delete from ${stageOf(kind)}` })
      skipped.events = rowCount ?? 0
    } else skipped[kind.name] = await skipExisting(tx, kind)
  }
  return skipped
}

async function apply(
  tx: Tx,
  manifest: Manifest,
  kinds: readonly Kind[],
  has: Has,
  isEmpty: boolean,
  watch: ImportWatch,
): Promise<void> {
  const step = (name: string) => {
    watch.signal.throwIfAborted()
    watch.progress(name, 0, 1)
  }
  for (const kind of kinds) {
    step(`storing ${kind.name}`)
    if (kind.name === 'users') await applyUsers(tx, kind, has, isEmpty)
    else if (kind.name === 'posts') await applyPosts(tx, kind, has)
    else if (kind.name === 'events') {
      if (isEmpty) await applyEvents(tx, manifest.last_sequence)
    } else await tx.query({ text: insertSql(kind) })
    if (kind.name === 'lists') await tx.query({ text: listMetrics(has) })
    if (kind.name === 'poll_votes') await countVotes(tx, has)
    if (kind.name === 'community_members') await tx.query({ text: memberCounts })
  }
  step('counting')
  if (has('follows')) await countFollows(tx)
  await countPosts(tx, has)
  if (has('users') || isEmpty) await storeUserTerms(tx, isEmpty)
  await storeShortLinks(tx, has)
  if (isEmpty && has('posts'))
    await tx.query({ text: 'with counts as (delete from topic_count) delete from topic_state' })
  if (!has('posts')) return
  const posts = manifest.files.find((item) => item.what === 'posts')!.rows
  await storeSearchTerms(tx, (done) => {
    watch.signal.throwIfAborted()
    watch.progress('indexing posts', done, posts)
  })
}

// Triggers count the members and followers that follow.
const listMetrics = (has: Has): string =>
  `insert into list_metrics (list_id, member_count, follower_count)
   select id, ${has('list_members') ? '0' : 'coalesce(member_count, 0)'}, ${has('list_follows') ? '0' : 'coalesce(follower_count, 0)'} from staged_lists`

const memberCounts = `update community c set member_count = (select count(*) from community_member m where m.community_id = c.id)
   where c.id in (select community_id from staged_community_members)`

/** What the database refuses is the fault of a file: a value out of range or too deep, or two rows for one thing. */
function explained(error: unknown): unknown {
  if (!/^(?:2[23]|54)/.test(sqlState(error) ?? '')) return error
  const { message, detail, where } = error as { message: string; detail?: string; where?: string }
  const at = where?.match(/COPY (\S+), line (\d+)/)
  const row = at ? ` (${at[1]!.replace('staged_', '')}, row ${at[2]})` : ''
  return new ExchangeError(
    `The rows cannot be stored: ${(detail ?? message).replace(/\.$/, '')}${row}. Nothing was changed.`,
  )
}
