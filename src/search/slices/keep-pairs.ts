import { inTurns } from '../../process/in-turns.ts'
import { type Database, transaction } from '../../storage/database.ts'
import { LOCK } from '../../storage/lock-numbers.ts'
import { statement } from '../../storage/statement.ts'
import { lockSlices } from './begin-slice.ts'
import { addPairs, pairFilter } from './word-pairs.ts'

// A new world must not get the pairs of the one before.
const worldKept = statement('search_pairs_world', {}, `select pg_advisory_xact_lock_shared(${LOCK.world})`)

/** Settled slices whose pairs are not known, as SQL. Terms of slices that begin may still be corrected. */
export const SLICES_WITHOUT_PAIRS = `select s.no from search_slice s
   where s.settled and s.begun_xid is null and not exists (select from search_pairs f where f.slice = s.no)`

const nextSlice = statement(
  'search_pairs_next',
  { no: 'int4' },
  `${SLICES_WITHOUT_PAIRS} order by s.first_id desc limit 1`,
)
const termsOfSlice = statement(
  'search_pairs_terms',
  { terms: 'text' },
  `select terms::text as terms from post_terms where terms @@ ('~f' || $1::int)::tsquery`,
)
const pairsStore = statement(
  'search_pairs_store',
  {},
  'insert into search_pairs (slice, blocks, bits) values ($1, $2, $3)',
)

/**
 * Finds the pairs of words of the newest slice that lacks them. Returns false when there is none.
 *
 * A late post that is stored meanwhile has its slice in `search_change`, and is not seen here. Under the lock, this change is
 * taken up either before, and then the post is seen, or afterwards, and then the pairs of the slice are removed again.
 */
export const findPairs = (database: Database): Promise<boolean> =>
  transaction(database, async (tx) => {
    await worldKept.count(tx)
    await lockSlices(tx)
    const slice = await nextSlice.first(tx)
    if (!slice) return false
    const pairs = new Set<number>()
    await inTurns(await termsOfSlice.all(tx, slice.no), ({ terms }) => addPairs(pairs, terms))
    const { blocks, bits } = pairFilter(pairs)
    await pairsStore.count(tx, slice.no, blocks, bits)
    return true
  })
