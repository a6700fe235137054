import { LARGEST_ID } from '../../process/ids.ts'
import type { Tx } from '../../storage/database.ts'
import { LOCK } from '../../storage/lock-numbers.ts'
import { statement } from '../../storage/statement.ts'
import type { SliceSizes } from './store-terms.ts'

/** Slices are changed by one transaction at a time. */
const slicesLock = statement('search_slices_lock', {}, `select pg_advisory_xact_lock(${LOCK.searchSlices})`)

// Counts that are kept of an ended slice are stale when it is divided. An epoch is never lower than one of counts that are kept.
const sliceSplit = statement(
  'search_slice_split',
  { no: 'int4', coarse: 'int4', last_id: 'int8', earlier: 'int4' },
  `with old as (
     update search_slice set last_id = $1::bigint - 1 where first_id < $1::bigint and last_id >= $1::bigint returning no, coarse, ended_xid
   ), stale as (
     update search_coarse c set epoch = c.epoch + 1 from old o where c.no = o.coarse and o.ended_xid is not null
   ), made as (
     insert into search_slice (no, coarse, first_id, last_id, begun_xid)
     select (select max(no) + 1 from search_slice), o.coarse, $1::bigint, s.last_id, pg_current_xact_id()
       from old o join search_slice s on s.no = o.no
     returning no, coarse, last_id
   )
   select m.no, m.coarse, m.last_id, (select count(*)::int from search_slice s where s.coarse = m.coarse and s.first_id < $1::bigint) as earlier
     from made m`,
)

const coarseSplit = statement(
  'search_coarse_split',
  { last_id: 'int8' },
  `with old as (
     update search_coarse set last_id = $1::bigint - 1, epoch = epoch + 1 where first_id < $1::bigint and last_id >= $1::bigint returning no, epoch
   ), made as (
     insert into search_coarse (no, first_id, last_id, epoch)
     select (select max(no) + 1 from search_coarse), $1::bigint, c.last_id, o.epoch from old o join search_coarse c on c.no = o.no
     returning no, last_id
   ), moved as (
     update search_slice s set coarse = m.no from made m, old o where s.coarse = o.no and s.first_id >= $1::bigint
   )
   select last_id from made`,
)

// A row is rewritten only if its slices are not those that cover its id.
const relabel = (condition: string) =>
  `update post_terms t
      set terms = ts_delete(t.terms, array(select l.term from unnest(tsvector_to_array(t.terms)) as l (term) where l.term like '~%'))
                  || array_to_tsvector(array['~f' || s.no, '~c' || s.coarse])
     from search_slice s
    where ${condition} and t.id >= s.first_id and t.id <= s.last_id
      and not (t.terms @@ ('~f' || s.no)::tsquery and t.terms @@ ('~c' || s.coarse)::tsquery)`
const termsMoved = statement('search_terms_moved', {}, relabel('s.first_id >= $1::bigint and s.first_id <= $2::bigint'))
const termsCorrected = statement('search_terms_corrected', {}, relabel('s.no = any($1::int[])'))

const firstSlice = statement(
  'search_first_slice',
  {},
  `with coarse as (insert into search_coarse (no, first_id, last_id) values (0, 0, ${LARGEST_ID}))
   insert into search_slice (no, coarse, first_id, last_id) values (0, 0, 0, ${LARGEST_ID})`,
)

/** Makes the slice of all ids, in an empty database. */
export async function makeFirstSlice(tx: Tx): Promise<void> {
  await firstSlice.count(tx)
}

export async function lockSlices(tx: Tx): Promise<void> {
  await slicesLock.count(tx)
}

/** Gives the posts of slices the terms of these slices. Returns how many had others. */
export const correctTerms = (tx: Tx, slices: readonly number[]): Promise<number> => termsCorrected.count(tx, slices)

/**
 * Begins slices at ids, which divides the slices that cover them, and a coarse slice where the one before is full. Posts that
 * exist after an id are moved to the new slices. Statements in progress do not see these yet: `keep-slices.ts` corrects what
 * they store.
 */
export async function beginSlices(tx: Tx, firstIds: readonly string[], sizes: SliceSizes): Promise<void> {
  if (firstIds.length === 0) return
  await lockSlices(tx)
  let end: bigint | undefined
  for (const firstId of firstIds) {
    const made = await sliceSplit.first(tx, firstId)
    // A slice begins there already.
    if (!made) continue
    const coarse = made.earlier >= sizes.slices ? await coarseSplit.first(tx, firstId) : undefined
    for (const last of [made.last_id, coarse?.last_id])
      if (last !== undefined && (end === undefined || BigInt(last) > end)) end = BigInt(last)
  }
  if (end !== undefined) await termsMoved.count(tx, firstIds[0]!, end.toString())
}
