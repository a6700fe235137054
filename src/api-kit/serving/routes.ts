import type { FastifyInstance } from 'fastify'
import type { Family } from '../family.ts'
import { type Naming, neutral } from '../naming/naming.ts'
import { serveOperation } from './serve-operation.ts'
import type { ServeOptions } from './serve-request.ts'

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

/** A path without the names of its values. */
const shapeOf = (path: string): string => path.replace(/\{[^}]+\}/g, '{}')
