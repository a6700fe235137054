import type { Naming } from '../naming/naming.ts'
import type { Runtime } from '../runtime.ts'
import { type FaultPattern, fits } from './fault-pattern.ts'

/** A route that a pattern may be about. */
interface KnownRoute {
  method: string
  /** Neutral path with `{name}` parts. */
  path: string
  legacy: Naming | undefined
}

const routes = new WeakMap<Runtime, readonly KnownRoute[]>()

/** Notes the routes of the server, so a fault that can never happen is noticed. */
export function noteRoutes(runtime: Runtime, known: readonly KnownRoute[]): void {
  routes.set(runtime, known)
}

/** The routes of the server of a runtime. */
export const routesOf = (runtime: Runtime): readonly KnownRoute[] => routes.get(runtime) ?? []

// Elsewhere a path can be written in more ways than the routes have, such as with the mount of advertising.
const COMPARABLE = /^\/(?:2|1\.1|oauth2?)\//

/** True when no request to this server can fit the pattern, as far as that is known. */
export function fitsNothing(runtime: Runtime, pattern: FaultPattern): boolean {
  const known = routes.get(runtime)
  return known !== undefined && COMPARABLE.test(pattern.path) && !known.some((route) => couldFit(pattern, route))
}

function couldFit(pattern: FaultPattern, { method, path, legacy }: KnownRoute): boolean {
  if (pattern.method !== undefined && pattern.method !== method) return false
  if (pattern.path.includes('{')) return fits(pattern, { method, paths: [], routes: [path], legacy })
  const [fixed = '', ...rest] = (legacy?.restore(pattern.path) ?? pattern.path).split('*')
  const wanted = fixed.split('/')
  const parts = path.split('/')
  const isValue = (at: number) => parts[at]?.includes('{') === true
  if (rest.length === 0)
    return wanted.length === parts.length && wanted.every((part, at) => isValue(at) || part === parts[at])
  // The wildcard may begin within a part.
  const begun = wanted.pop()!
  const at = wanted.length
  return (
    wanted.every((part, index) => isValue(index) || part === parts[index]) &&
    (isValue(at) || parts[at]?.startsWith(begun) === true)
  )
}
