import type { Clock } from '../../process/clock.ts'
import type { Caller } from '../declaring/caller.ts'
import type { ReturnedObjects } from '../limits/returned-objects.ts'
import type { Naming } from '../naming/naming.ts'
import type { Runtime } from '../runtime.ts'
import { problemBaseOf } from '../writing/problem.ts'
import type { PartReader } from './part-cache.ts'

/** What reading objects needs from the request. */
export interface ReadContext {
  parts: PartReader
  caller: Caller | undefined
  naming: Naming
  clock: Clock
  problemBase: string
  baseUrl: string
  /** Changes the links of written lines, where the answer is a stream. */
  moveLinks?: (text: string) => string
  /** Collects the objects that the answer shows, where they are counted. */
  returned?: ReturnedObjects
}

/** The context of a caller; without a caller, only public objects are visible. */
export const readContext = (
  runtime: Runtime,
  caller: Caller | undefined,
  naming: Naming,
  baseUrl = runtime.baseUrl,
): ReadContext => ({
  parts: runtime.parts,
  caller,
  naming,
  clock: runtime.clock,
  problemBase: problemBaseOf(baseUrl),
  baseUrl,
})

/** How a request reached the server. */
interface ReachedAt {
  baseUrl: string
  isPlatformHost: boolean
  moveLinks(text: string): string
}

/** The context of a request. Where links are changed after writing, objects are read with the address of the server. */
export const requestContext = (
  runtime: Runtime,
  caller: Caller | undefined,
  naming: Naming,
  { baseUrl, isPlatformHost, moveLinks }: ReachedAt,
): ReadContext =>
  isPlatformHost
    ? { ...readContext(runtime, caller, naming), problemBase: problemBaseOf(baseUrl), moveLinks }
    : readContext(runtime, caller, naming, baseUrl)

/** The context of what events deliver to the public: `parts` reads objects as they were. */
export const eventContext = (runtime: Runtime, naming: Naming, parts: PartReader): ReadContext => ({
  ...readContext(runtime, undefined, naming),
  parts,
})
