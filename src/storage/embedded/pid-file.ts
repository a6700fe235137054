import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { isIdInUse, lookAtProcess } from './processes.ts'

// How long a file may be incomplete because its owner is writing it now.
const UNFINISHED_MS = 5_000
const STEP_MS = 100

/** The process that a file belongs to. */
export interface FileOwner {
  pid: number
  /** Distinguishes the process from a later one with the same id; empty where the system does not say. */
  started: string
}

/** A file that belongs to this process. */
export interface HeldPidFile {
  /** Adds facts for other processes; readers never see half of them. */
  write(facts: object): Promise<void>
  release(): Promise<void>
}

export interface PidFileOptions {
  mode: number
  /** How long to wait for a living owner, which may be about to end. */
  waitMs: number
  /** Lets several parts of this process hold the file at the same time. */
  shared: boolean
  /** The error when another process holds the file. */
  inUse(owner: FileOwner | undefined): Error
}

// How many parts of this process hold a file.
const heldHere = new Map<string, number>()

/** Takes a file for this process; of several processes that try at once one succeeds. */
export async function takePidFile(file: string, options: PidFileOptions): Promise<HeldPidFile> {
  const holders = heldHere.get(file) ?? 0
  const own: FileOwner = { pid: process.pid, started: (await lookAtProcess(process.pid))?.started ?? '' }
  if (holders > 0 && !options.shared) throw options.inUse(own)
  if (holders === 0) await create(file, own, options)
  heldHere.set(file, holders + 1)
  let isReleased = false
  return {
    write: async (facts) => {
      const draft = `${file}.new`
      await writeFile(draft, contentOf({ ...own, ...facts }), { mode: options.mode })
      await rename(draft, file)
    },
    release: async () => {
      if (isReleased) return
      isReleased = true
      const left = heldHere.get(file)! - 1
      heldHere.set(file, left)
      if (left === 0) await rm(file, { force: true })
    },
  }
}

/** What the living owner of a file wrote into it; undefined without one. */
export async function readPidFile<T extends object>(file: string): Promise<(FileOwner & Partial<T>) | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const content = parse(text)
  return content && (await isAlive(content, file)) ? (content as FileOwner & Partial<T>) : undefined
}

async function create(file: string, own: FileOwner, { mode, waitMs, inUse }: PidFileOptions): Promise<void> {
  const begun = performance.now()
  for (;;) {
    if (await createNew(file, contentOf(own), mode)) return
    const found = await readFile(file, 'utf8').catch(() => undefined)
    if (found === undefined) continue
    const waited = performance.now() - begun
    const owner = parse(found)
    const isLiving = owner !== undefined && (await isAlive(owner, file))
    const isUnfinished = owner === undefined && !found.endsWith('\n') && waited < UNFINISHED_MS
    if (!isLiving && !isUnfinished) await drop(file, found)
    else if (isLiving && waited >= waitMs) throw inUse(owner)
    else await sleep(STEP_MS)
  }
}

async function createNew(file: string, content: string, mode: number): Promise<boolean> {
  try {
    await writeFile(file, content, { flag: 'wx', mode })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

const contentOf = (content: object): string => `${JSON.stringify(content)}\n`

// Earlier versions wrote id and start as two words.
function parse(text: string): FileOwner | undefined {
  const words = /^(\d+)(?: (.*))?\n$/.exec(text)
  if (words) return { pid: Number(words[1]), started: words[2] ?? '' }
  try {
    const content = JSON.parse(text) as FileOwner
    return Number(content.pid) > 0 ? content : undefined
  } catch {
    return undefined
  }
}

async function isAlive({ pid, started }: FileOwner, file: string): Promise<boolean> {
  // In a restarted container this process may have the id of the owner that was killed.
  if (pid === process.pid) return (heldHere.get(file) ?? 0) > 0
  if (!started) return isIdInUse(pid)
  const found = await lookAtProcess(pid)
  return found === undefined ? false : found.started === started
}

async function drop(file: string, expected: string): Promise<void> {
  const aside = `${file}.dropped-${process.pid}`
  try {
    await rename(file, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  // Another process may have replaced the file since it was read.
  const dropped = await readFile(aside, 'utf8')
  if (dropped !== expected) await writeFile(file, dropped, { flag: 'wx' }).catch(() => undefined)
  await rm(aside, { force: true })
}
