import type { Runtime, Singleton } from '../api-kit/runtime.ts'
import { postQueue } from '../social/posts/insert-posts.ts'
import { openDatabase } from '../storage/database.ts'

/**
 * A runtime of the process that lives a life, with connections of its own: personas do not take those of requests. Their commits do not wait
 * for the disk. A database that loses its last commits has lost all since a moment, so the life goes on from there.
 */
export function openLifeRuntime(runtime: Runtime): { runtime: Runtime; close(): Promise<void> } {
  const database = openDatabase(runtime.database.connection, {
    connections: runtime.database.pool.options.max,
    name: 'rostra life',
    serverOptions: '-c synchronous_commit=off',
  })
  const own = Object.create(runtime, { database: { value: database } }) as Runtime
  // Posts of requests wait for the disk; those of personas are stored together too, but do not.
  const posts = postQueue.create(own)
  const singleton = <T>(wanted: Singleton<T>): T =>
    (wanted as Singleton<unknown>) === postQueue ? (posts as T) : runtime.singleton(wanted)
  Object.defineProperty(own, 'singleton', { value: singleton })
  return { runtime: own, close: () => database.close() }
}
