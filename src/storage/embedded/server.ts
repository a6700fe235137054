import { findPackage } from './binaries.ts'
import { type EmbeddedPostgres, launch } from './launch.ts'

export type { EmbeddedPostgres } from './launch.ts'
export { EmbeddedPostgresError } from './plain-words.ts'
export { endServersAtExit } from './start-server.ts'

/** Starts PostgreSQL from the npm binaries with its data below `folder`, or takes over the one that still serves it. */
export async function startEmbeddedPostgres(options: {
  folder: string
  log: (line: string) => void
  settings?: Readonly<Record<string, string>>
}): Promise<EmbeddedPostgres> {
  return launch({ ...options, packageFolder: findPackage() })
}
