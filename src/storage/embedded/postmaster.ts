import { readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { canSeeProcesses, isIdInUse, lookAtProcess } from './processes.ts'

/** The main process of a PostgreSQL server, whoever started it. */
export interface Postmaster {
  pid: number
  isGone(): Promise<boolean>
  signal(name: NodeJS.Signals): void
  /** Calls back once it has ended; returns what stops the watch. */
  whenGone(listener: () => void): () => void
  describeEnd(): Promise<string>
}

/** What a server writes about itself into postmaster.pid and beside its socket. */
export interface LockFile {
  text: string
  pid: number
  port: number
  socketFolder: string
}

const POLL_MS = 20
const WATCH_MS = 500

/** The lock file of a data folder. */
export function lockFileIn(dataFolder: string): string {
  return path.join(dataFolder, 'postmaster.pid')
}

/** Reads a lock file; its later lines appear while the server starts. */
export async function readLock(file: string): Promise<LockFile | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const [pid, , , port, socketFolder] = text.split('\n').map((line) => line.trim())
  return { text, pid: Number(pid), port: Number(port), socketFolder: socketFolder ?? '' }
}

/** The living server of a data folder that its lock file names. */
export async function findPostmaster(dataFolder: string): Promise<Postmaster | undefined> {
  const lock = await readLock(lockFileIn(dataFolder))
  if (!lock || !(lock.pid > 0) || !(await isServerOf(dataFolder, lock.pid))) return undefined
  return postmasterWithId(lock.pid, dataFolder)
}

/** The server with a known process id. */
export function postmasterWithId(pid: number, dataFolder: string): Postmaster {
  // Elsewhere a closer look costs a program each time, and servers are watched.
  const isGone = async () => !isIdInUse(pid) || (process.platform === 'linux' && !(await isServerOf(dataFolder, pid)))
  return {
    pid,
    isGone,
    signal: (name) => sendSignal(pid, name),
    whenGone: (listener) => {
      const watch = setInterval(async () => {
        if (!(await isGone())) return
        clearInterval(watch)
        listener()
      }, WATCH_MS)
      watch.unref()
      return () => clearInterval(watch)
    },
    describeEnd: async () => `PostgreSQL (process ${pid}) ended`,
  }
}

/**
 * Removes a lock file whose process is dead or another program: PostgreSQL itself only looks at the process id, which
 * may have been used again. It still finds processes that outlived their server through their shared memory.
 */
export async function removeStaleLock(file: string, dataFolder: string): Promise<void> {
  const lock = await readLock(file)
  if (!lock || !(await canSeeProcesses()) || (await isServerOf(dataFolder, lock.pid))) return
  const aside = `${file}.stale-${process.pid}`
  await rename(file, aside)
  // A server that started since then has its lock back at once.
  if ((await readFile(aside, 'utf8')) !== lock.text) await rename(aside, file)
  else await rm(aside)
}

/** How to end a server: a fast shutdown, an immediate one, then a kill. */
export type EndSteps = readonly { signal: NodeJS.Signals; patienceMs: number }[]

// A fast shutdown writes all changed pages, which takes long on a slow disk.
export const PATIENTLY: EndSteps = [
  { signal: 'SIGINT', patienceMs: 60_000 },
  { signal: 'SIGQUIT', patienceMs: 10_000 },
  { signal: 'SIGKILL', patienceMs: 5000 },
]

export const IMPATIENTLY: EndSteps = [
  { signal: 'SIGINT', patienceMs: 10_000 },
  { signal: 'SIGQUIT', patienceMs: 7000 },
  { signal: 'SIGKILL', patienceMs: 5000 },
]

/** Sends each signal in turn until the server is gone; `false` when it outlives them all. */
export async function endPostmaster(server: Postmaster, steps: EndSteps): Promise<boolean> {
  for (const { signal, patienceMs } of steps) {
    if (await server.isGone()) return true
    server.signal(signal)
    const begun = performance.now()
    while (performance.now() - begun < patienceMs) {
      if (await server.isGone()) return true
      await sleep(POLL_MS)
    }
  }
  return server.isGone()
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** A server works in its data folder, and its command line names it. */
async function isServerOf(dataFolder: string, pid: number): Promise<boolean> {
  const facts = await lookAtProcess(pid)
  if (!facts || !/postgres/.test(facts.command)) return false
  return facts.folder === undefined ? names(facts.command, dataFolder) : facts.folder === dataFolder
}

function names(command: string, folder: string): boolean {
  if (process.platform !== 'win32') return command.includes(folder)
  // pg_ctl turns the slashes of the path that it was given.
  const plain = (text: string) => text.replaceAll('\\', '/').toLowerCase()
  return plain(command).includes(plain(folder))
}
