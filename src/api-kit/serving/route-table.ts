import type { SentMethod } from '../declaring/operation.ts'

/** Longer values in a path are refused: no identifier is that long. */
const MOST_CHARACTERS = 500

/** What was found for a request. */
export interface FoundRoute<T> {
  route: T
  /** The decoded values of the path, by name. */
  values: Record<string, string>
}

interface Leaf<T> {
  route: T
  id: string
  names: readonly string[]
}

/** A place in the tree of one method: what may follow it in a path. */
interface Branch<T> {
  fixed: Map<string, Branch<T>>
  /** Values, those before an ending (`{id}.json`) first: they are tried after the fixed parts. */
  values: { ending: string; branch: Branch<T> }[]
  leaf?: Leaf<T>
  /** What a path that ends with `*` leads to, whatever follows. */
  rest?: Leaf<T>
}

const emptyBranch = <T>(): Branch<T> => ({ fixed: new Map(), values: [] })

/**
 * The routes of a server, by method and the parts of their paths. A fixed part is preferred to a value. It is our own because a
 * process registers two thousand routes when it starts: the framework takes a fifth of a second for them, this a few milliseconds.
 */
export class RouteTable<T> {
  readonly #trees = new Map<string, Branch<T>>()

  /** Adds a route; throws if there is one of the same method and shape. */
  add(id: string, method: SentMethod, path: string, route: T): void {
    const names: string[] = []
    let branch = this.#trees.get(method) ?? emptyBranch<T>()
    this.#trees.set(method, branch)
    const end = path.endsWith('/*') ? 'rest' : 'leaf'
    for (const part of path.slice(1, end === 'rest' ? -2 : undefined).split('/'))
      branch = branchAfter(branch, part, names)
    const taken = branch[end]
    if (taken) throw new Error(`${id} and ${taken.id} share the route ${method} ${path}`)
    branch[end] = { route, id, names }
  }

  /** True if there is a route of the same method and shape, without `*`: the names of values do not count. */
  has(method: SentMethod, path: string): boolean {
    let branch = this.#trees.get(method)
    for (const part of path.slice(1).split('/')) {
      const ending = endingOf(part)
      branch =
        ending === undefined ? branch?.fixed.get(part) : branch?.values.find((value) => value.ending === ending)?.branch
    }
    return branch?.leaf !== undefined
  }

  /** The route of a request; `too long` if there would be one were its values shorter. */
  find(method: string, url: string): FoundRoute<T> | 'too long' | undefined {
    const tree = this.#trees.get(method)
    const path = tree && decodedPath(url)
    if (path === undefined) return undefined
    const search: Search = { parts: path.slice(1).split('/'), values: [], isTooLong: false }
    const leaf = leafAt(tree!, search, 0)
    if (!leaf) return search.isTooLong ? 'too long' : undefined
    const values: Record<string, string> = {}
    leaf.names.forEach((name, at) => {
      values[name] = search.values[at]!
    })
    return { route: leaf.route, values }
  }
}

const VALUE = /^\{([^}]+)\}(.*)$/

const endingOf = (part: string): string | undefined => VALUE.exec(part)?.[2]

function branchAfter<T>(branch: Branch<T>, part: string, names: string[]): Branch<T> {
  const [, name, ending = ''] = VALUE.exec(part) ?? []
  if (name === undefined) {
    if (/[{}*:]/.test(part)) throw new Error(`${part} is not a part of a path that can be served`)
    const next = branch.fixed.get(part) ?? emptyBranch<T>()
    branch.fixed.set(part, next)
    return next
  }
  names.push(name)
  const known = branch.values.find((value) => value.ending === ending)
  if (known) return known.branch
  const next = emptyBranch<T>()
  branch.values.push({ ending, branch: next })
  branch.values.sort((left, right) => right.ending.length - left.ending.length)
  return next
}

interface Search {
  parts: readonly string[]
  values: string[]
  isTooLong: boolean
}

function leafAt<T>(branch: Branch<T>, search: Search, at: number): Leaf<T> | undefined {
  const part = search.parts[at]
  if (part === undefined) return branch.leaf
  const fixed = branch.fixed.get(part)
  const found = fixed && leafAt(fixed, search, at + 1)
  if (found) return found
  for (const { ending, branch: next } of branch.values) {
    if (!part.endsWith(ending)) continue
    const raw = part.slice(0, part.length - ending.length)
    const value = raw.includes('%') ? decodeURIComponent(raw) : raw
    if (value.length > MOST_CHARACTERS) {
      search.isTooLong = true
      continue
    }
    const count = search.values.push(value)
    const leaf = leafAt(next, search, at + 1)
    if (leaf) return leaf
    search.values.length = count - 1
  }
  return branch.rest
}

/**
 * The path of a request, decoded except for characters that have a meaning in paths: an encoded slash is part of a value.
 * Undefined if it cannot be decoded.
 */
function decodedPath(url: string): string | undefined {
  // A request to a proxy has the whole address.
  const [, target] = url.startsWith('/') ? ['', url] : (/^https?:\/\/[^/?#]+(.*)$/i.exec(url) ?? [])
  if (target === undefined) return undefined
  const end = target.search(/[?#]/)
  const path = (end < 0 ? target : target.slice(0, end)) || '/'
  if (!path.includes('%')) return path
  try {
    // An encoded percent sign stays one until its value is decoded.
    return decodeURI(path.replaceAll('%25', '%2525'))
  } catch {
    return undefined
  }
}
