import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { readPidFile } from '../storage/embedded/pid-file.ts'
import { isIdInUse } from '../storage/embedded/processes.ts'

/** The temporary folders of one run. */
export interface RunFolders {
  /** For the files that programs read; only this user can open it. */
  files: string
  /** For a new world, if one is wanted. */
  dataDir: string | undefined
  remove(): void
}

export interface RunFolderOptions {
  hasData: boolean
  keepsData: boolean
}

/** Makes the folders, and removes those that killed runs have left. */
export async function makeRunFolders({ hasData, keepsData }: RunFolderOptions): Promise<RunFolders> {
  const above = folderWithoutSpaces()
  await removeAbandoned(above)
  const files = mkdtempSync(path.join(above, `rostra-exec-${process.pid}-`))
  chmodSync(files, 0o700)
  if (!hasData) return { files, dataDir: undefined, remove: () => removeFolder(files) }
  const data = mkdtempSync(path.join(above, keepsData ? 'rostra-data-' : `rostra-exec-${process.pid}-`))
  // The database of root runs as another user, who must be able to get there.
  chmodSync(data, 0o711)
  const dataDir = path.join(data, 'data')
  mkdirSync(dataDir)
  return {
    files,
    dataDir,
    remove: () => {
      removeFolder(files)
      if (!keepsData) removeFolder(data)
    },
  }
}

const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })

/** Some programs cannot read an option with a path that has spaces. */
function folderWithoutSpaces(): string {
  const usual = tmpdir()
  return /\s/.test(usual) && process.platform !== 'win32' ? '/tmp' : usual
}

async function removeAbandoned(above: string): Promise<void> {
  for (const name of readdirSync(above)) {
    const [, pid] = /^rostra-exec-(\d+)-/.exec(name) ?? []
    if (!pid || isIdInUse(Number(pid))) continue
    const folder = path.join(above, name)
    // The server of a killed run needs a moment to stop.
    if (await readPidFile(path.join(folder, 'data', 'instance.json'))) continue
    try {
      removeFolder(folder)
    } catch {
      // It belongs to somebody else.
    }
  }
}
