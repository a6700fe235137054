import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import type { DatabaseLocation } from './location.ts'
import type { Postmaster } from './postmaster.ts'
import { cleanSpawnOptions } from './run-program.ts'
import { type Listening, serverFlags } from './server-settings.ts'

/** A server that we started, and its last output. */
export interface StartedServer extends Postmaster {
  lastLines(): Promise<string[]>
}

export interface StartOptions {
  binaries: Binaries
  location: DatabaseLocation
  dataFolder: string
  listening: Listening
  log: (line: string) => void
}

const KEPT_LINES = 40
const LAST_WORDS_MS = 200
// Lines about our own attempts to connect during the start, and about connections that were open when we stopped the server.
const CAUSED_BY_US =
  /^FATAL: {2}(?:the database system is (?:starting up|not yet accepting connections|shutting down)|terminating connection due to administrator command)/

const started = new Set<ChildProcess>()

/**
 * From now on, servers that this process started end with it, however it ends: by an error that nobody caught, or in the middle
 * of a start. Only a process that is killed leaves its server running.
 */
export function endServersAtExit(): void {
  process.on('exit', () => {
    for (const child of started) child.kill('SIGINT')
  })
}

/** Starts `postgres` as a child that survives us. It is detached from the terminal, so Ctrl-C does not reach it. */
export async function startServer(options: StartOptions): Promise<StartedServer> {
  const { binaries, location, dataFolder, listening, log } = options
  const child = spawn(binaries.postgres, ['-D', dataFolder, ...serverFlags(listening)], {
    ...cleanSpawnOptions(location.account, location.folder),
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  started.add(child)
  child.once('exit', () => started.delete(child))
  const lines: string[] = []
  createInterface({ input: child.stderr! }).on('line', (line) => {
    lines.push(line)
    if (lines.length > KEPT_LINES) lines.shift()
    if (!CAUSED_BY_US.test(line)) log(line)
  })
  const closed = new Promise((resolve) => child.once('close', resolve))
  await new Promise((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
  // An owner that has nothing else to do may end; the server is then taken over by the next start.
  child.unref()
  ;(child.stderr as Socket).unref()

  const isGone = () => child.exitCode !== null || child.signalCode !== null
  const lastLines = async () => {
    // Processes that outlive their postmaster keep its output open.
    const enough = new AbortController()
    await Promise.race([closed, sleep(LAST_WORDS_MS, undefined, { signal: enough.signal }).catch(() => undefined)])
    enough.abort()
    return lines
  }
  return {
    pid: child.pid!,
    isGone: async () => isGone(),
    signal: (name) => void child.kill(name),
    whenGone: (listener) => {
      child.once('exit', listener)
      if (isGone()) listener()
      return () => child.off('exit', listener)
    },
    describeEnd: async () => {
      const how = child.signalCode ? `by ${child.signalCode}` : `with exit code ${child.exitCode}`
      return `PostgreSQL (process ${child.pid}) ended ${how}. Its last words: ${(await lastLines()).slice(-3).join(' | ')}`
    },
    lastLines,
  }
}
