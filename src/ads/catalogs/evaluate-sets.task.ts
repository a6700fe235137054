import { change, type Runtime } from '../../api-kit/runtime.ts'
import type { Tx } from '../../storage/database.ts'
import { sqlState } from '../../storage/database.ts'
import type { AdsTask } from '../kit/task.ts'
import { catalogLock } from './product.statements.ts'
import { productsAhead, setFail, setGather, setMove, setProcessing, setTake } from './product-set.statements.ts'

const PRODUCTS_AT_ONCE = 2_000

/**
 * Evaluates the filters of new sets on all products of their catalogs, in steps; the set stores how far it has come.
 * Products that change meanwhile or later are evaluated by the change itself.
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

async function step(runtime: Runtime): Promise<'nothing due' | 'unfinished' | 'finished'> {
  let setId: string | undefined
  try {
    return await change(runtime, async (tx: Tx) => {
      const found = await setProcessing.first(tx)
      if (!found) return 'nothing due'
      setId = found.id
      await catalogLock.first(tx, found.catalog_id)
      const taken = await setTake.first(tx, found.id)
      if (!taken) return 'unfinished'
      const keys = (await productsAhead.all(tx, found.catalog_id, taken.evaluated_to, PRODUCTS_AT_ONCE)).map(
        (row) => row.product_key,
      )
      await setGather.count(tx, found.id, keys)
      const isLast = keys.length < PRODUCTS_AT_ONCE
      await setMove.count(tx, found.id, keys.at(-1) ?? taken.evaluated_to, isLast ? 'DONE' : 'PROCESSING')
      return isLast ? 'finished' : 'unfinished'
    })
  } catch (error) {
    // Values that cannot be compared cannot be compared next time either.
    if (setId === undefined || !sqlState(error)?.startsWith('22')) throw error
    runtime.log.error({ err: error, product_set: setId }, 'the filters of a product set cannot be evaluated')
    await setFail.count(runtime.database, setId)
    return 'finished'
  }
}
