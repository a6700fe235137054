import type { Method } from '../declaring/operation.ts'
import type { Family, ReferenceOperation } from '../family.ts'
import { type Naming, neutral } from '../naming/naming.ts'
import { shapeOf } from './nearest-path.ts'
import { serveOperation } from './serve-operation.ts'
import { type ServeOptions, serveRequest } from './serve-request.ts'
import type { Routes } from './serve-routes.ts'

/** Adds every operation of the families in both namings; throws if two operations have the same route. */
export function addRoutes(routes: Routes, families: readonly Family[], options: ServeOptions): void {
  for (const family of families)
    for (const operation of family.operations) {
      family.check?.(operation)
      const legacyPath = family.legacy.rename(operation.path)
      // Only the names of path values differ: that is the same route.
      const isShared = shapeOf(legacyPath) === shapeOf(operation.path)
      const { id, method, bodyLimit } = operation
      const add = (path: string, pathNaming: Naming | undefined) =>
        routes.add({
          id,
          method,
          path,
          bodyLimit,
          isDirect: true,
          makeHandler: () => serveOperation(family, operation, pathNaming, options),
        })
      // An operation of a former version is served where addresses of that version lead.
      const routed = (path: string) => family.rewrite?.(path) ?? path
      add(routed(operation.path), isShared ? undefined : neutral)
      if (!isShared) add(routed(legacyPath), family.legacy)
    }
}

/**
 * Adds the operations of the reference that are not built yet, in both namings: `/2/users/public_keys` must not be read as
 * `/2/users/{id}`. An operation that is built drops out by itself.
 */
export function addUnbuiltRoutes(routes: Routes, families: readonly Family[], options: ServeOptions): void {
  for (const family of families)
    for (const operation of unbuiltOperations(family)) {
      const serve = serveRequest(options, operation, async ({ facts, naming }) =>
        family.refuse(family.notBuilt(operation), naming, undefined, facts.baseUrl),
      )
      const paths = [operation.path, family.legacy.rename(operation.path)].map((path) => family.rewrite?.(path) ?? path)
      // A few are served as endpoints.
      const { id, method } = operation
      for (const path of paths)
        if (!routes.has(method, path)) routes.add({ id, method, path, makeHandler: () => serve })
    }
}

/** What the reference or another source has and the family does not serve. */
export function unbuiltOperations({ operations, reference, later = [], endpoints = [] }: Family): ReferenceOperation[] {
  const built = new Set([...operations, ...endpoints].map(({ method, path }) => `${method} ${shapeOf(path)}`))
  return [...reference, ...later]
    .map((line) => {
      const [id, method, path] = line.split(' ') as [string, Method, string]
      return { id, method, path }
    })
    .filter(({ method, path }) => !built.has(`${method} ${shapeOf(path)}`))
}
