import { accessSync, constants, statSync } from 'node:fs'
import path from 'node:path'

/** The codes that shells use for a command that cannot be run. */
export const NOT_FOUND = 127
export const NOT_EXECUTABLE = 126

/** Finds a program as a shell does. The answer is its path, or the exit code that says why it cannot be run. */
export function findProgram(name: string, environment: NodeJS.ProcessEnv): string | number {
  if (process.platform === 'win32') return name
  if (name.includes('/')) return check(path.resolve(name))
  let worst: number = NOT_FOUND
  for (const folder of (environment.PATH ?? '/usr/bin:/bin').split(':')) {
    const found = check(path.resolve(folder || '.', name))
    if (typeof found === 'string') return found
    if (found === NOT_EXECUTABLE) worst = found
  }
  return worst
}

function check(file: string): string | number {
  try {
    if (statSync(file).isDirectory()) return NOT_EXECUTABLE
    accessSync(file, constants.X_OK)
    return file
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'EACCES' ? NOT_EXECUTABLE : NOT_FOUND
  }
}
