import type { Caller } from './caller.ts'
import type { House } from './house.ts'
import type { Naming } from './naming.ts'
import type { ReadContext } from './object.ts'

/** What a caller reads objects with; nobody in particular sees what is public. */
export const readContext = (house: House, caller: Caller | undefined, naming: Naming): ReadContext => ({
  parts: house.parts,
  caller,
  naming,
  clock: house.clock,
  problemBase: house.problemBase,
})
