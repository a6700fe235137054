import type { Runtime } from '../../api-kit/runtime.ts'
import { realNow } from '../../process/clock.ts'
import { every } from '../../process/every.ts'
import { idAt } from '../../process/ids.ts'
import type { Stoppable } from '../../process/keep-trying.ts'
import { type Database, type Db, type Tx, transaction } from '../../storage/database.ts'
import { startLeader, untilEnd } from '../../storage/leader.ts'
import { LOCK } from '../../storage/lock-numbers.ts'
import { statement } from '../../storage/statement.ts'
import { beginSlices, correctTerms, lockSlices } from './begin-slice.ts'
import { allCountsChanged } from './count-changes.ts'
import { findPairs, SLICES_WITHOUT_PAIRS } from './keep-pairs.ts'
import { SLICE_SIZES, type SliceSizes } from './store-terms.ts'

const EVERY_MS = 1_000
/** How often new terms are sorted into the index. Those that wait make every step of a search slower. */
const SORT_MS = 200
/** How far in the future a slice begins, so nearly every statement that stores posts of it sees it. */
const AHEAD_MS = 3_000
/** How long after its end a slice is settled at the earliest. */
const SETTLE_MS = 10_000
/** How long a turn finds the pairs of slices, at least of one. */
const PAIRS_MS = 250
const MOST_KEPT_COUNTS = 20_000
const PRUNE_TURNS = 60

// Only posts that came since the last turn are counted. In most turns this statement is the only one.
const stateAt = statement(
  'search_slices_state',
  {
    no: 'int4',
    last_id: 'int8',
    posts: 'int4',
    up_to: 'int8',
    ends: 'bool',
    settles: 'bool',
    changed: 'bool',
    begun: 'bool',
    lacks_pairs: 'bool',
  },
  `select s.no, s.last_id, added.posts, coalesce(added.last_id, s.up_to) as up_to,
          exists (select from search_slice where (ended_xid is null) <> (last_id >= $1)) as ends,
          exists (select from search_slice where not settled and ended_xid is not null) as settles,
          exists (select from search_change) as changed,
          exists (select from search_slice where begun_xid is not null) as begun,
          exists (${SLICES_WITHOUT_PAIRS}) as lacks_pairs
     from (select no, last_id, case when no = $2::int then $3::bigint else first_id - 1 end as up_to
             from search_slice where first_id <= $1::bigint order by first_id desc limit 1) s
    cross join lateral (select count(*)::int as posts, max(id) as last_id from post_terms where id > s.up_to and id <= s.last_id) added`,
)
// A slice has ended when all of its ids are of the past. The clock may return to one that has ended: from then on nobody notes
// changes to it, so counts that were kept are stale, and its pairs are not known any more.
const slicesEnded = statement(
  'search_slices_ended',
  {},
  `with turned as (
     update search_slice set
       ended_xid = case when ended_xid is null then pg_current_xact_id() end, ended_seen = false, ended_at = case when ended_xid is null then $2::timestamptz end,
       settled = false
     where (ended_xid is null) <> (last_id >= $1) returning no, coarse, ended_xid
   ), pairs_gone as (
     delete from search_pairs where slice in (select no from turned where ended_xid is null)
   )
   update search_coarse set epoch = epoch + 1 where no in (select coarse from turned where ended_xid is null)`,
)
// A writer may miss a change in two ways, so there are two steps. First, statements that took their snapshot before the change
// have to end: they may not have a transaction number yet. Then the transactions that had a number by then have to end, since
// nobody sees what they stored before. Numbers of another server are of the past: the database was copied.
const isSeen = (xid: string): string =>
  `(${xid} >= pg_snapshot_xmax(pg_current_snapshot()) or not exists (
      select from pg_stat_activity a
       where a.datname = current_database() and a.backend_type = 'client backend' and a.pid <> pg_backend_pid()
         and age(a.backend_xmin) >= age(${xid}::xid)))`
const isPast = (xid: string): string =>
  `(${xid} < pg_snapshot_xmin(pg_current_snapshot()) or ${xid} >= pg_snapshot_xmax(pg_current_snapshot()))`
const endsSeen = statement(
  'search_ends_seen',
  {},
  `update search_slice set ended_seen = true, ended_xid = pg_current_xact_id()
    where not settled and not ended_seen and ended_xid is not null and ${isSeen('ended_xid')}`,
)
const endsSettled = statement(
  'search_ends_settled',
  {},
  `update search_slice set settled = true where not settled and ended_seen and ended_at <= $1 and ${isPast('ended_xid')}`,
)
const changesFolded = statement(
  'search_changes_folded',
  {},
  `with gone as (delete from search_change returning coarse, slice),
   pairs_gone as (delete from search_pairs where slice in (select slice from gone)),
   sums as (select coarse, count(*) as changes from gone group by 1)
   update search_coarse c set epoch = c.epoch + s.changes
     from (select n.no, sum(s.changes) as changes from search_coarse n join sums s on s.coarse in (n.no, -1) group by 1) s
    where c.no = s.no`,
)
const slicesSeen = statement(
  'search_slices_seen',
  {},
  `update search_slice set begun_seen = true, begun_xid = pg_current_xact_id()
    where begun_xid is not null and not begun_seen and ${isSeen('begun_xid')}`,
)
const slicesBegun = statement(
  'search_slices_begun',
  { no: 'int4' },
  `select no from search_slice where begun_xid is not null and begun_seen and ${isPast('begun_xid')} order by no limit 100`,
)
const slicesChecked = statement(
  'search_slices_checked',
  {},
  'update search_slice set begun_xid = null, begun_seen = false where no = any($1::int[])',
)
const countsPruned = statement(
  'search_counts_pruned',
  {},
  `delete from search_count where made_at <= (select made_at from search_count order by made_at desc offset $1 limit 1)`,
)

/** Begins and ends slices, and keeps what belongs to them small. One process of all machines does it. */
export class SliceKeeper {
  readonly #database: Database
  readonly #sizes: SliceSizes
  /** The slice of the present: its posts up to an id. */
  #counted = { no: -1, posts: 0, upTo: '0' }
  #turns = 0

  constructor(database: Database, sizes: SliceSizes = SLICE_SIZES) {
    this.#database = database
    this.#sizes = sizes
  }

  /** `now` is product time; `at` is real time. */
  async turn(now: number, at: number, delays = { aheadMs: AHEAD_MS, settleMs: SETTLE_MS }): Promise<void> {
    const present = idAt(now)
    const state = (await stateAt.first(this.#database, present, this.#counted.no, this.#counted.upTo))!
    const posts = (state.no === this.#counted.no ? this.#counted.posts : 0) + state.posts
    this.#counted = { no: state.no, posts, upTo: state.up_to }
    const next = idAt(now + delays.aheadMs)
    if (posts >= this.#sizes.posts && BigInt(state.last_id) >= BigInt(next)) {
      await transaction(this.#database, (tx) => beginSlices(tx, [next], this.#sizes))
      // Posts after the new beginning are no longer in this slice.
      this.#counted = { no: -1, posts: 0, upTo: '0' }
    }
    if (state.ends) await this.#underLock((tx) => slicesEnded.count(tx, present, new Date(at)))
    if (state.ends || state.settles) await endsSeen.count(this.#database)
    if (state.ends || state.settles) await endsSettled.count(this.#database, new Date(at - delays.settleMs))
    if (state.begun) await slicesSeen.count(this.#database)
    if (state.begun) await this.#correctLabels()
    if (state.changed) await this.#underLock((tx) => changesFolded.count(tx))
    if (state.lacks_pairs) await this.#findPairs()
    if (this.#turns++ % PRUNE_TURNS === 0) await countsPruned.count(this.#database, MOST_KEPT_COUNTS)
  }

  // Posts that were stored by statements which did not see a new slice.
  async #correctLabels(): Promise<void> {
    await this.#underLock(async (tx) => {
      const begun = (await slicesBegun.all(tx)).map((slice) => slice.no)
      if (begun.length === 0) return
      if ((await correctTerms(tx, begun)) > 0) await allCountsChanged.count(tx)
      await slicesChecked.count(tx, begun)
    })
  }

  async #findPairs(): Promise<void> {
    const began = performance.now()
    while ((await findPairs(this.#database)) && performance.now() - began < PAIRS_MS);
  }

  #underLock<T>(change: (tx: Tx) => Promise<T>): Promise<T> {
    return transaction(this.#database, async (tx) => {
      await lockSlices(tx)
      return change(tx)
    })
  }
}

// Without an error while an index is being rebuilt.
const termsSorted = statement(
  'search_terms_sorted',
  {},
  `select gin_clean_pending_list(i.name)
     from unnest(array[to_regclass('post_terms_words'), to_regclass('user_terms_words')]) as i (name) where i.name is not null`,
)

/** Sorts the terms of new posts and users into their indexes. */
export async function sortTerms(db: Db): Promise<void> {
  await termsSorted.count(db)
}

const leaderHeld = statement(
  'search_slices_led',
  { held: 'bool' },
  `select exists (select from pg_locks where locktype = 'advisory' and objsubid = 1 and objid = ${LOCK.sliceKeeper}
     and database = (select oid from pg_database where datname = current_database())) as held`,
)

/** Keeps slices in one process of all machines. */
export function startSliceKeeper(runtime: Runtime): Stoppable {
  const { database, clock, log } = runtime
  return startLeader({
    name: 'search slices',
    lock: [LOCK.sliceKeeper],
    connection: () => database.connection,
    log,
    isLed: async () => (await leaderHeld.first(database))?.held ?? false,
    lead: async (_own, ending) => {
      const keeper = new SliceKeeper(database)
      const sorting = every(
        SORT_MS,
        () => sortTerms(database),
        (error) => log.warn({ err: error }, 'search slices: new terms wait to be sorted into the index'),
      )
      const turns = every(
        EVERY_MS,
        () => keeper.turn(clock.now(), realNow()),
        (error) => log.warn({ err: error }, 'search slices: a turn failed; the next one tries again'),
      )
      await untilEnd(ending)
      await Promise.all([turns.stop(), sorting.stop()])
    },
  })
}
