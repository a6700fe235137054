import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { StartError } from './start-error.ts'

/** What a running instance leaves in its data folder for the command line. */
export interface RunningInstance {
  pid: number
  /** Tells a process from a later one with the same number. */
  started: string
  base_url?: string
  listen_url?: string
  connection?: unknown
}

const file = (dataDir: string) => path.join(dataDir, 'instance.json')

/** The instance that runs on a data folder, if one does. */
export function runningInstance(dataDir: string): RunningInstance | undefined {
  try {
    const instance = JSON.parse(readFileSync(file(dataDir), 'utf8')) as RunningInstance
    return isAlive(instance) ? instance : undefined
  } catch {
    return undefined
  }
}

/** Takes the data folder for this process; refuses when another instance runs on it. */
export function takeDataFolder(dataDir: string): { announce(facts: Partial<RunningInstance>): void; release(): void } {
  const own: RunningInstance = { pid: process.pid, started: startOf(process.pid) ?? '' }
  let made: string[] = []
  try {
    made = makeFolders(path.resolve(dataDir))
    claim(dataDir, own)
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(
      `The data folder ${dataDir} can not be written (${(error as NodeJS.ErrnoException).code}). Give this user the right to write there, or name another folder with --data-dir.`,
    )
  }
  const write = (facts: Partial<RunningInstance>) => {
    const temporary = `${file(dataDir)}.new`
    writeFileSync(temporary, JSON.stringify({ ...own, ...facts }), { mode: 0o600 })
    renameSync(temporary, file(dataDir))
  }
  const release = () => {
    rmSync(file(dataDir), { force: true })
    for (const folder of made.reverse()) removeEmpty(folder)
  }
  return { announce: write, release }
}

/** Makes a folder and those above it; which were made. Node's own way never ends where nothing can be made, as in /proc. */
function makeFolders(folder: string): string[] {
  if (existsSync(folder)) return []
  const above = makeFolders(path.dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o755 })
    return [...above, folder]
  } catch (error) {
    // Another start was faster.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return above
    for (const made of above.reverse()) removeEmpty(made)
    throw error
  }
}

// A start that failed early leaves nothing behind.
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

function claim(dataDir: string, own: RunningInstance): void {
  for (let tries = 0; tries < 3; tries++) {
    try {
      // Fails when the file exists: of two starts at once one wins.
      writeFileSync(file(dataDir), JSON.stringify(own), { flag: 'wx', mode: 0o600 })
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const other = runningInstance(dataDir)
    if (other) {
      throw new StartError(
        `The data folder ${dataDir} is in use by another instance of Rostra (process ${other.pid}${other.base_url ? `, ${other.base_url}` : ''}). Stop that one, or start this one with another --data-dir.`,
      )
    }
    rmSync(file(dataDir), { force: true })
  }
  throw new StartError(`The data folder ${dataDir} is being taken by another start at this moment. Try again.`)
}

function isAlive(instance: RunningInstance): boolean {
  try {
    process.kill(instance.pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  const started = startOf(instance.pid)
  return started === undefined || instance.started === '' || started === instance.started
}

// Linux only; elsewhere a reused process number can not be told apart.
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? 'gone' : fields[19]
  } catch {
    return undefined
  }
}
