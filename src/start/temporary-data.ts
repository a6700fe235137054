import { readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { LifecycleStep } from '../process/lifecycle.ts'
import type { Settings } from '../settings.ts'
import { type EndSteps, endPostmaster, findPostmaster } from '../storage/embedded/postmaster.ts'
import type { EmbeddedPostgres } from '../storage/embedded/server.ts'
import { StartError } from './start-error.ts'

/** Settings of a database that nothing has to survive. */
export const UNFLUSHED = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

const AT_ONCE: EndSteps = [
  { signal: 'SIGQUIT', patienceMs: 5_000 },
  { signal: 'SIGKILL', patienceMs: 5_000 },
]

/** Ends a database without writing its changed pages, and removes it where it is outside of the data folder. */
export async function endTemporary(embedded: EmbeddedPostgres): Promise<void> {
  const postmaster = await findPostmaster(path.join(embedded.folder, 'data'))
  if (postmaster) await endPostmaster(postmaster, AT_ONCE)
  await embedded.stop()
  await rm(embedded.folder, { recursive: true, force: true })
}

/** Removes the data folder as the last step of a stop. Refuses a folder that has something in it: it may be dear to somebody. */
export function removingDataFolder({ dataDir }: Settings): LifecycleStep<void> {
  return {
    name: 'temporary data',
    start: () => {
      const found = filesIn(dataDir)
      if (found.length === 0) return
      throw new StartError(
        `The data folder ${dataDir} is not empty, and --temporary-data on would remove it. Choose a new folder with --data-dir.`,
      )
    },
    stop: () => rm(dataDir, { recursive: true, force: true }),
  }
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
