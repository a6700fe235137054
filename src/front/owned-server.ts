import path from 'node:path'
import { OwnedProgramFailed, startOwned } from '../process/owned-program.ts'
import { findDataFolder } from '../storage/embedded/location.ts'
import { endPostmaster, findPostmaster, IMPATIENTLY } from '../storage/embedded/postmaster.ts'

/** A server that this process has started, and that ends with it. */
export interface OwnedServer {
  baseUrl: string
  /** Resolves with its last lines when it ends without having been asked to. */
  failed: Promise<string>
  stop(): Promise<void>
}

export interface OwnedServerOptions {
  dataDir: string
  /** Further arguments of `rostra start`. */
  flags: string[]
  environment: NodeJS.ProcessEnv
  /** Ends a start that takes too long for somebody. */
  stopping: AbortSignal
}

/** The server could not be started; the message has what it wrote. */
export class ServerFailed extends Error {}

// PostgreSQL writes all changed pages to the disk before it ends.
const STOP_WITHIN_MS = 150_000

/** Starts `rostra start` on a free port. */
export async function startOwnedServer({
  dataDir,
  flags,
  environment,
  stopping,
}: OwnedServerOptions): Promise<OwnedServer> {
  const args = ['start', '--json', '--port', '0', '--data-dir', dataDir, ...flags]
  const options = { environment, stopping, stopWithinMs: STOP_WITHIN_MS }
  const program = await startOwned<{ base_url: string }>(args, options).catch(async (error: unknown) => {
    await endDatabase(dataDir)
    // Its own words say enough.
    if (error instanceof OwnedProgramFailed) throw new ServerFailed(error.lines.join('\n') || error.message)
    throw error
  })
  let isWanted = true
  return {
    baseUrl: program.ready.base_url,
    failed: new Promise((resolve) => {
      void program.ended.then(() => isWanted && resolve(program.log().join('\n')))
    }),
    stop: async () => {
      isWanted = false
      await program.stop()
      await endDatabase(dataDir)
    },
  }
}

/** Ends the PostgreSQL of a server that was killed: nothing else would. */
async function endDatabase(dataDir: string): Promise<void> {
  const folder = await findDataFolder(path.join(dataDir, 'postgres'))
  const postmaster = folder && (await findPostmaster(folder))
  if (postmaster) await endPostmaster(postmaster, IMPATIENTLY)
}
