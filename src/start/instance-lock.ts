import { existsSync, mkdirSync, rmdirSync } from 'node:fs'
import path from 'node:path'
import { type FileOwner, type HeldPidFile, readPidFile, takePidFile } from '../storage/embedded/pid-file.ts'
import { StartError } from './start-error.ts'

/** What a running instance writes into its data folder for the command line. */
export interface InstanceFacts {
  base_url: string
  listen_url: string
  /** Where the platform's names are served over TLS, if they are. */
  names_port: number | undefined
  connection: unknown
}

export type RunningInstance = FileOwner & Partial<InstanceFacts>

const fileIn = (dataDir: string) => path.join(dataDir, 'instance.json')

/** The instance that runs on a data folder, if one does. */
export const runningInstance = (dataDir: string): Promise<RunningInstance | undefined> =>
  readPidFile<InstanceFacts>(fileIn(dataDir))

/** The data folder, while this process has it. */
export interface DataFolder {
  announce(facts: Partial<InstanceFacts>): Promise<void>
  release(): Promise<void>
}

/** Takes the data folder for this process; throws when another instance runs on it. */
export async function takeDataFolder(dataDir: string): Promise<DataFolder> {
  let created: string[] = []
  let held: HeldPidFile
  try {
    created = createFolders(path.resolve(dataDir))
    const other = await runningInstance(dataDir)
    held = await takePidFile(fileIn(dataDir), {
      mode: 0o600,
      waitMs: 0,
      shared: false,
      inUse: (owner) => inUse(dataDir, other ?? owner),
    })
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(
      `The data folder ${dataDir} cannot be written (${(error as NodeJS.ErrnoException).code}). Allow this user to write there, or choose another folder with --data-dir.`,
    )
  }
  return {
    announce: (facts) => held.write(facts),
    release: async () => {
      await held.release()
      for (const folder of created.reverse()) removeEmpty(folder)
    },
  }
}

const inUse = (dataDir: string, other: RunningInstance | undefined): StartError => {
  const who = other ? ` (process ${other.pid}${other.base_url ? `, ${other.base_url}` : ''})` : ''
  return new StartError(
    `The data folder ${dataDir} is in use by another instance of Rostra${who}. Stop that one, or start this one with another --data-dir.`,
  )
}

/** Creates a folder and those above it, and returns those it created. Node's own way never ends where nothing can be created, as in /proc. */
function createFolders(folder: string): string[] {
  if (existsSync(folder)) return []
  const above = createFolders(path.dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o755 })
    return [...above, folder]
  } catch (error) {
    // Another start was faster.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return above
    for (const created of above.reverse()) removeEmpty(created)
    throw error
  }
}

// A start that failed early leaves no folder.
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}
