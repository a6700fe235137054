import { existsSync } from 'node:fs'
import path from 'node:path'

/**
 * The folder that holds the files of the program: `src/` where the sources run, `dist/` where they are built. A build joins modules
 * into few files, so a module cannot find other files by its own place.
 */
export const PROGRAM_FOLDER = folderAbove(import.meta.dirname)

function folderAbove(folder: string): string {
  if (existsSync(path.join(folder, 'storage', 'migrations'))) return folder
  const parent = path.dirname(folder)
  if (parent === folder) throw new Error('The migrations are missing: the installation is not complete.')
  return folderAbove(parent)
}
