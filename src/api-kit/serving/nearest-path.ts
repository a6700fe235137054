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
    const below = routes.find((route) => route.method === method && route.path.startsWith(`${path}/`))
    if (below && best.route.path.includes('{')) return ` Did you mean ${method} ${below.path}?`
    const methods = near.filter(({ route, edits }) => edits === 0 && route.path === best.route.path)
    if (best.edits === 0 && best.route.method !== method)
      return ` This path takes ${methods.map(({ route }) => route.method).join(' and ')}.`
    return ` Did you mean ${best.route.method} ${best.route.path}?`
  }
}

/** The words of paths that stand where an operation has a value: `public_keys` beside the `id` of `/2/users/{id}`. */
export interface PathWords {
  /** True if one of the values of a path is such a word, so that the path is not one of the operation. */
  isAmong(values: Readonly<Record<string, string>>): boolean
  /** Which path a wrong value may mean, as a sentence in a naming; empty when none of the same method is near. */
  hint(name: string, value: string, naming: Naming): string
}

/** Makes the function that finds the words beside the values of an operation, in both namings. */
export function pathWords(
  operations: readonly FamilyOperation[],
  legacy: Naming,
): (operation: FamilyOperation) => PathWords {
  const wordsAfter = new Map<string, Set<string>>()
  for (const { path } of operations) {
    const parts = path.split('/')
    const spelled = legacy.rename(path).split('/')
    parts.forEach((part, at) => {
      if (part.startsWith('{')) return
      const before = shapeOf(parts.slice(0, at).join('/'))
      const words = wordsAfter.get(before) ?? new Set()
      wordsAfter.set(before, words.add(part).add(spelled[at]!))
    })
  }
  const routes = new Set(
    operations.flatMap(({ method, path }) => [`${method} ${path}`, `${method} ${legacy.rename(path)}`]),
  )
  return ({ method, path }) => {
    const parts = path.split('/')
    const beside = parts.flatMap((part, at) => {
      const words = wordsAfter.get(shapeOf(parts.slice(0, at).join('/')))
      return part.startsWith('{') && words ? [{ name: part.slice(1, -1), words }] : []
    })
    return {
      isAmong: (values) =>
        beside.some(({ name, words }) => words.has(values[name] ?? values[legacy.rename(name)] ?? '')),
      hint: (name, value, naming) => {
        const words = beside.find((item) => item.name === name)?.words ?? []
        for (const word of words) {
          const meant = `${method} ${naming.rename(path.replace(`{${name}}`, word))}`
          if (distance(word, value) <= Math.max(1, word.length / 4) && routes.has(meant))
            return `. Did you mean ${meant}?`
        }
        return ''
      },
    }
  }
}

/** A path without the names of its values. */
export const shapeOf = (path: string): string => path.replace(/\{[^}]+\}/g, '{}')

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
