import type { FastifyInstance } from 'fastify'
import type { Method } from '../declaring/operation.ts'
import type { Family, ReferenceOperation } from '../family.ts'
import { type Naming, neutral } from '../naming/naming.ts'
import { serveOperation } from './serve-operation.ts'
import { type ServeOptions, serveRequest } from './serve-request.ts'

/** Registers every operation of the families in both namings; throws if two operations have the same route. */
export function addRoutes(server: FastifyInstance, families: readonly Family[], options: ServeOptions): void {
  const taken = new Map<string, string>()
  for (const family of families)
    for (const operation of family.operations) {
      family.check?.(operation)
      const legacyPath = family.legacy.rename(operation.path)
      // Only the names of path values differ: that is the same route.
      const isShared = shapeOf(legacyPath) === shapeOf(operation.path)
      const add = (path: string, pathNaming: Naming | undefined) => {
        const key = `${operation.method} ${shapeOf(path)}`
        if (taken.has(key)) throw new Error(`${operation.id} and ${taken.get(key)} share the route ${key}`)
        taken.set(key, operation.id)
        server.route({
          method: operation.method,
          url: path.replace(/\{([^}]+)\}/g, ':$1'),
          bodyLimit: operation.bodyLimit,
          exposeHeadRoute: false,
          handler: serveOperation(family, operation, pathNaming, options),
        })
      }
      add(operation.path, isShared ? undefined : neutral)
      if (!isShared) add(legacyPath, family.legacy)
    }
}

/**
 * Registers the operations of the reference that are not built yet, in both namings: `/2/users/public_keys` must not be read as
 * `/2/users/{id}`. An operation that is built drops out by itself.
 */
export function addUnbuiltRoutes(server: FastifyInstance, families: readonly Family[], options: ServeOptions): void {
  for (const family of families)
    for (const operation of unbuiltOperations(family)) {
      const serve = serveRequest(options, operation, async ({ facts, naming }) =>
        family.refuse(family.notBuilt(operation), naming, undefined, facts.baseUrl),
      )
      const paths = [operation.path, family.legacy.rename(operation.path)].map((path) => family.rewrite?.(path) ?? path)
      // A few are served as endpoints.
      for (const path of new Set(paths.map(routeOf)))
        if (!server.hasRoute({ method: operation.method, url: path }))
          server.route({ method: operation.method, url: path, exposeHeadRoute: false, handler: serve })
    }
}

/** What the reference has and the family does not serve. */
export function unbuiltOperations({ operations, reference }: Family): ReferenceOperation[] {
  const built = new Set(operations.map(({ method, path }) => `${method} ${shapeOf(path)}`))
  return reference
    .map((line) => {
      const [id, method, path] = line.split(' ') as [string, Method, string]
      return { id, method, path }
    })
    .filter(({ method, path }) => !built.has(`${method} ${shapeOf(path)}`))
}

// Values are numbered: two operations may name the values of one place differently.
const routeOf = (path: string): string => {
  let values = 0
  return path.replace(/\{[^}]+\}/g, () => `:value${values++}`)
}

/** A path without the names of its values. */
const shapeOf = (path: string): string => path.replace(/\{[^}]+\}/g, '{}')
