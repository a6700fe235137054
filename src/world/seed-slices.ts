import { beginSlices } from '../search/slices/begin-slice.ts'
import { SLICE_SIZES, type SliceSizes } from '../search/slices/store-terms.ts'
import type { Tx } from '../storage/database.ts'
import { statement } from '../storage/statement.ts'
import type { SeedPlan } from './seed-plan.ts'
import { shareWorld } from './world-lock.ts'

const slicesBetween = statement(
  'seed_slices_between',
  { first_id: 'int8', last_id: 'int8', posts: 'int4' },
  `select s.first_id, s.last_id, (select count(*)::int from post_terms t where t.id between s.first_id and s.last_id) as posts
     from search_slice s where s.last_id >= $1 and s.first_id <= $2 order by s.first_id`,
)

/** A slice may become this many times larger than usual before it is divided. */
const MOST_TIMES = 2

/** Begins slices of the search index for the posts of a seed, which come all at once and into the past. */
export async function prepareSlices(tx: Tx, plan: SeedPlan, sizes: SliceSizes = SLICE_SIZES): Promise<void> {
  const { posts } = plan.order
  if (posts <= sizes.posts) return
  const starts: bigint[] = []
  for (let number = 0; number < posts; number += sizes.posts) starts.push(BigInt(plan.postId(number)))
  await divideSlices(tx, [...starts, BigInt(plan.postId(posts - 1)) + 1n], sizes)
}

/**
 * Begins slices for new posts. `starts` are the id of the first, of each further one that a slice has room for, and the id after
 * the last. Existing slices that stay small enough are left as they are.
 */
export async function divideSlices(tx: Tx, starts: readonly bigint[], sizes: SliceSizes = SLICE_SIZES): Promise<void> {
  await shareWorld(tx)
  const slices = await slicesBetween.all(tx, starts[0]!.toString(), starts.at(-1)!.toString())
  const begun = slices.flatMap((slice) => {
    const inside = starts.filter((start) => start > BigInt(slice.first_id) && start <= BigInt(slice.last_id))
    return slice.posts + inside.length * sizes.posts > MOST_TIMES * sizes.posts ? inside : []
  })
  await beginSlices(
    tx,
    begun.map((start) => start.toString()),
    sizes,
  )
}
