import type { Caller } from '../declaring/caller.ts'
import type { Operation } from '../declaring/operation.ts'
import type { RequestCost, ReturnedObjects } from './returned-objects.ts'

/** Counts what callers use, and refuses those who have used all that they may. */
export interface Meter {
  /** Refuses a caller before any work is done; undefined when there is nothing to wait for. */
  admit(caller: Caller, operation: Operation): Promise<void> | undefined
  /** Counts a successful request. Returns its cost, or undefined when it has none. */
  count(
    caller: Caller,
    operation: Operation,
    returned: ReturnedObjects,
    options: { ofOwnData: boolean },
  ): RequestCost | undefined
}
