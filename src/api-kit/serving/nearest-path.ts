import type { FamilyOperation } from '../family.ts'
import type { Naming } from '../naming/naming.ts'

interface KnownRoute {
  method: string
  path: string
  segments: string[]
}

const LONGEST_PATH = 200
const MOST_EDITS = 3

/** Makes the function that says, in a sentence, which route a wrong path may mean; empty when no route is near. */
export function pathHints(
  operations: readonly FamilyOperation[],
  legacy: Naming,
): (method: string, path: string) => string {
  const routes: KnownRoute[] = operations.flatMap(({ method, path }) =>
    [...new Set([path, legacy.rename(path)])].map((item) => ({ method, path: item, segments: item.split('/') })),
  )
  return (method, path) => {
    if (path.length > LONGEST_PATH) return ''
    const rank = (route: KnownRoute) => 2 * route.path.split('{').length + Number(route.method !== method)
    const segments = path.replace(/\/+$/, '').split('/')
    const near = routes
      .map((route) => ({ route, edits: editsTo(route.segments, segments) }))
      .filter(({ edits }) => edits <= MOST_EDITS)
      // Of routes that are equally near, the one with fewer values says more.
      .sort((left, right) => left.edits - right.edits || rank(left.route) - rank(right.route))
    const [best] = near
    if (!best) return ''
    const methods = near.filter(({ route, edits }) => edits === 0 && route.path === best.route.path)
    if (best.edits === 0 && best.route.method !== method)
      return ` This path takes ${methods.map(({ route }) => route.method).join(' and ')}.`
    return ` Did you mean ${best.route.method} ${best.route.path}?`
  }
}

/** How many letters differ between a path and a route; values in the route fit anything. */
function editsTo(route: readonly string[], path: readonly string[]): number {
  if (route.length !== path.length) return Infinity
  let edits = 0
  for (const [index, segment] of route.entries()) {
    if (!segment.startsWith('{')) edits += distance(segment, path[index]!)
    if (edits > MOST_EDITS) return Infinity
  }
  return edits
}

/** Letters to insert, delete or replace to turn one word into another. */
function distance(from: string, to: string): number {
  if (from === to) return 0
  if (Math.abs(from.length - to.length) > MOST_EDITS) return Infinity
  let above = Array.from({ length: to.length + 1 }, (_item, index) => index)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++)
      current.push(
        Math.min(
          current[column - 1]! + 1,
          above[column]! + 1,
          above[column - 1]! + (from[row - 1] === to[column - 1] ? 0 : 1),
        ),
      )
    above = current
  }
  return above[to.length]!
}
