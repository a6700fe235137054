import { readdirSync, readFileSync } from 'node:fs'

/** A living process. Everything here is read from /proc, so on Linux only. */
export interface FoundProcess {
  pid: number
  parent: number
  name: string
  commandLine: string
}

function foundProcess(pid: string): FoundProcess[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const nameEnd = stat.lastIndexOf(')')
    const [state, parent] = stat.slice(nameEnd + 2).split(' ')
    if (state === 'Z') return []
    const name = stat.slice(stat.indexOf('(') + 1, nameEnd)
    return [
      { pid: Number(pid), parent: Number(parent), name, commandLine: readFileSync(`/proc/${pid}/cmdline`, 'utf8') },
    ]
  } catch {
    return [] // It ended meanwhile.
  }
}

const livingProcesses = (): FoundProcess[] =>
  readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap(foundProcess)

/** The processes that another one started, and those that they started. */
export function processesBelow(parent: number): FoundProcess[] {
  const all = livingProcesses()
  const below = (pid: number): FoundProcess[] =>
    all.filter((item) => item.parent === pid).flatMap((item) => [item, ...below(item.pid)])
  return below(parent)
}

/** Ids of the processes, database included, that have this folder in their command line. */
export const processesOn = (folder: string): number[] =>
  livingProcesses()
    .filter(({ pid, commandLine }) => pid !== process.pid && commandLine.includes(folder))
    .map(({ pid }) => pid)

/** Ids of the workers of a server, as long as they live. */
export const workersOf = (server: { pid: number }): number[] =>
  livingProcesses()
    .filter(({ parent, commandLine }) => parent === server.pid && commandLine.includes('worker.js'))
    .map(({ pid }) => pid)

/** Id of the PostgreSQL that a server started in its data folder. */
export const postmasterOf = (server: { dataDir: string }): number =>
  Number(readFileSync(`${server.dataDir}/postgres/data/postmaster.pid`, 'utf8').split('\n')[0])
