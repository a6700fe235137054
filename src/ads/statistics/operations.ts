import { listActiveEntities } from './active-entities-operation.ts'
import { reachOperations } from './reach-operations.ts'
import { statsJobOperations } from './stats-job-operations.ts'
import { getStats } from './stats-operation.ts'

/** Every operation of statistics. */
export const statisticsOperations = [getStats, ...statsJobOperations, listActiveEntities, ...reachOperations]
