import { change, type Runtime } from '../../api-kit/runtime.ts'
import type { Tx } from '../../storage/database.ts'
import { sqlState } from '../../storage/database.ts'
import type { AdsTask } from '../kit/task.ts'
import { catalogHold } from './product.statements.ts'
import { productsAhead, setFail, setGather, setMove, setProcessing, setTake } from './product-set.statements.ts'

const PRODUCTS_AT_ONCE = 2_000

/**
 * Holds the filters of new sets against all products of their catalogs, some at a time; how far it came is kept with the
 * set. Products that change meanwhile or later are judged where they change.
 */
export const evaluateSetsTask: AdsTask = {
  name: 'product sets',
  run: async (runtime, stopping) => {
    let done = 0
    while (!stopping.aborted) {
      const outcome = await step(runtime)
      if (outcome === 'nothing due') break
      if (outcome === 'finished') done += 1
    }
    return done
  },
}

async function step(runtime: Runtime): Promise<'nothing due' | 'going on' | 'finished'> {
  let under: string | undefined
  try {
    return await change(runtime, async (tx: Tx) => {
      const found = await setProcessing.first(tx)
      if (!found) return 'nothing due'
      under = found.id
      await catalogHold.first(tx, found.catalog_id)
      const taken = await setTake.first(tx, found.id)
      if (!taken) return 'going on'
      const keys = (await productsAhead.all(tx, found.catalog_id, taken.evaluated_to, PRODUCTS_AT_ONCE)).map(
        (row) => row.product_key,
      )
      await setGather.count(tx, found.id, keys)
      const isLast = keys.length < PRODUCTS_AT_ONCE
      await setMove.count(tx, found.id, keys.at(-1) ?? taken.evaluated_to, isLast ? 'DONE' : 'PROCESSING')
      return isLast ? 'finished' : 'going on'
    })
  } catch (error) {
    // Values that can not be compared will not be comparable next time either.
    if (under === undefined || !sqlState(error)?.startsWith('22')) throw error
    runtime.log.error({ err: error, product_set: under }, 'the filters of a product set can not be evaluated')
    await setFail.count(runtime.database, under)
    return 'finished'
  }
}
