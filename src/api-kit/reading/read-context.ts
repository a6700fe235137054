import type { Caller } from '../declaring/caller.ts'
import type { ReadContext } from '../declaring/object.ts'
import type { Naming } from '../naming/naming.ts'
import type { Runtime } from '../runtime.ts'

/** What a caller reads objects with; nobody in particular sees what is public. */
export const readContext = (runtime: Runtime, caller: Caller | undefined, naming: Naming): ReadContext => ({
  parts: runtime.parts,
  caller,
  naming,
  clock: runtime.clock,
  problemBase: runtime.problemBase,
})
