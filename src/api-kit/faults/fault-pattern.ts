import type { Naming } from '../naming/naming.ts'

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const
/** The form of a pattern, for refusals. */
export const PATTERN_FORM = `a path such as /2/posts/{id} or /2/users/*, with one of ${METHODS.join(', ')} or * and a space before it, or without a method`
export const PATTERN_CHARACTERS = 500

/** Which requests a fault is about. */
export interface FaultPattern {
  /** Undefined: every method. */
  method: string | undefined
  path: string
}

/** Reads `POST /2/posts`, `* /2/users/*` or `/2/users/{id}`; undefined for anything else. */
export function parsePattern(text: string): FaultPattern | undefined {
  const found = /^(?:([A-Za-z]+|\*)\s+)?(\/[^\s?#]*|\*)$/.exec(text.trim())
  if (!found) return undefined
  const method = found[1]?.toUpperCase()
  if (method !== undefined && method !== '*' && !METHODS.includes(method as (typeof METHODS)[number])) return undefined
  return { method: method === '*' ? undefined : method, path: found[2]! }
}

/** How many `*` a pattern may have: each multiplies the work of a comparison. */
export const MOST_WILDCARDS = 5

interface Comparison {
  /** The pattern names values, so it is about routes: `/2/users/{id}` is not `/2/users/me`. */
  ofRoutes: boolean
  test: RegExp
}

/** Makes the comparison for one spelling of a path: `*` stands for anything, `{name}` for a value of the route. */
function compile(path: string): Comparison {
  const source = path
    .split(/(\*+|\{[^}/]*\})/)
    .map((part) => (part.startsWith('*') ? '.*' : /^\{.*\}$/.test(part) ? '\\{[^/]+\\}' : escaped(part)))
    .join('')
  return { ofRoutes: path.includes('{'), test: new RegExp(`^${source}$`) }
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

const compiled = new WeakMap<FaultPattern, Map<Naming | undefined, Comparison>>()

/** A request as patterns see it: method, and its neutral paths with values and as routes. */
export interface ComparedRequest {
  method: string
  paths: readonly string[]
  routes: readonly string[]
  legacy: Naming | undefined
}

/** True when the pattern, in either naming, fits the request. */
export function fits(pattern: FaultPattern, request: ComparedRequest): boolean {
  if (pattern.method !== undefined && pattern.method !== request.method) return false
  const known = compiled.get(pattern) ?? new Map<Naming | undefined, Comparison>()
  compiled.set(pattern, known)
  const comparison = known.get(request.legacy) ?? compile(request.legacy?.restore(pattern.path) ?? pattern.path)
  known.set(request.legacy, comparison)
  return (comparison.ofRoutes ? request.routes : request.paths).some((path) => comparison.test.test(path))
}
