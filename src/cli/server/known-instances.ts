import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { outerEnvironment } from '../../settings.ts'

/** A server that was started on this machine by this user. */
export interface KnownInstance {
  data_dir: string
  base_url: string
  started_at: string
}

// More are of no use to a reader.
const MOST = 50

/** The file with the known instances, in the folder that systems have for such state. */
function stateFile(): string {
  const { XDG_STATE_HOME, LOCALAPPDATA } = outerEnvironment()
  const base =
    (path.isAbsolute(XDG_STATE_HOME ?? '') && XDG_STATE_HOME) ||
    (process.platform === 'win32' && LOCALAPPDATA) ||
    path.join(os.homedir(), '.local', 'state')
  return path.join(base, 'rostra', 'instances.json')
}

/** The instances whose data folders are still there, the latest start first. */
export function knownInstances(): KnownInstance[] {
  try {
    const { instances } = JSON.parse(readFileSync(stateFile(), 'utf8')) as { instances: KnownInstance[] }
    return instances.filter((item) => existsSync(item.data_dir))
  } catch {
    return []
  }
}

/** Remembers an instance. A folder that cannot be written is not a reason to fail. */
export function rememberInstance(instance: KnownInstance): void {
  try {
    const others = knownInstances().filter((item) => item.data_dir !== instance.data_dir)
    const file = stateFile()
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, `${JSON.stringify({ instances: [instance, ...others].slice(0, MOST) }, null, 2)}\n`)
    renameSync(draft, file)
  } catch {
    // Only messages use it.
  }
}
