import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import type { Binaries } from './binaries.ts'
import { lockFileIn, type Postmaster, postmasterWithId, readLock } from './postmaster.ts'
import { isIdInUse } from './processes.ts'
import { cleanSpawnOptions, runProgram } from './run-program.ts'
import { serverFlags } from './server-settings.ts'
import type { StartedServer, StartOptions } from './start-server.ts'

const KEPT_LINES = 40

/**
 * Starts the server through `pg_ctl`: `postgres` refuses administrators, and only `pg_ctl` gives their rights away.
 * Its output goes to a file, since the server would hold a pipe of ours open.
 */
export async function startServerOnWindows(options: StartOptions): Promise<StartedServer> {
  const { binaries, location, dataFolder, listening, log } = options
  const logFile = path.join(location.folder, 'server.log')
  await rm(logFile, { force: true })
  await runProgram(
    binaries.pgCtl,
    ['start', '-w', '-t', '60', '-D', dataFolder, '-l', logFile, '-o', serverFlags(listening).join(' ')],
    { ...cleanSpawnOptions(undefined, location.folder), stdio: 'ignore' },
  )
  const lastLines = async () => {
    const text = await readFile(logFile, 'utf8').catch(() => '')
    return text.trim().split(/\r?\n/).slice(-KEPT_LINES)
  }
  // Asked for even when pg_ctl reports a failure: it gives up after a minute, a server that recovers does not.
  const lock = await readLock(lockFileIn(dataFolder))
  if (!lock || !isIdInUse(lock.pid)) return { ...neverStarted, lastLines }
  log(`PostgreSQL writes its messages to ${logFile}`)
  const server = postmasterWithId(lock.pid, dataFolder)
  return { ...server, signal: signalOnWindows(binaries, dataFolder), lastLines }
}

const neverStarted: Postmaster = {
  pid: 0,
  isGone: async () => true,
  signal: () => undefined,
  whenGone: () => () => undefined,
  describeEnd: async () => 'PostgreSQL did not start',
}

/** Asks a server to end: signals do not exist here, `pg_ctl` knows another way. */
export function signalOnWindows(binaries: Binaries, dataFolder: string): Postmaster['signal'] {
  return (name) => {
    const mode = name === 'SIGINT' ? 'fast' : 'immediate'
    const asking = ['stop', '-W', '-m', mode, '-D', dataFolder]
    spawn(binaries.pgCtl, asking, { stdio: 'ignore', windowsHide: true }).on('error', () => undefined)
  }
}

/** The file with the password of the server, made on first use. */
export async function passwordFileIn(folder: string): Promise<string> {
  const file = path.join(folder, 'password')
  const known = await readFile(file, 'utf8').catch(() => '')
  if (known.trim() !== '') return file
  const draft = `${file}.new-${process.pid}`
  await writeFile(draft, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 })
  await rename(draft, file)
  return file
}

/** A port of 127.0.0.1 that nobody uses now. */
export async function findFreePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', resolve)
  })
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}
