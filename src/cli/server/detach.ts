import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { settingFlags } from '../../settings.ts'
import { type RunningInstance, runningInstance } from '../../start/instance-lock.ts'
import { StartError } from '../../start/start-error.ts'
import type { Call } from '../command-line.ts'

const POLL_MS = 100
const LOG_FILE = 'server.log'

/** Starts the server in a process of its own that stays when this one ends, and waits until it takes requests. */
export async function startDetached(call: Call): Promise<{ instance: RunningInstance; log: string }> {
  const { dataDir } = call.settings
  const other = await runningInstance(dataDir)
  if (other)
    throw new StartError(
      `The data folder ${dataDir} is in use by another instance of Rostra (process ${other.pid}${other.base_url ? `, ${other.base_url}` : ''}).`,
    )
  const isNew = !existsSync(dataDir)
  createFolder(dataDir)
  const log = path.join(dataDir, LOG_FILE)
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1]!, 'start', '--json', ...flagsOf(call)], {
    detached: true,
    stdio: ['ignore', ...logOf(log)],
  })
  // Whoever gives up waiting does not want the server either.
  process.once('SIGINT', () => child.kill('SIGTERM'))
  let ended: Error | undefined
  child.once('error', (error) => {
    ended = error
  })
  child.once('exit', (code) => {
    ended = new StartError(readFileSync(log, 'utf8').trimEnd() || `The server ended with code ${code}.`)
  })
  for (;;) {
    const instance = await runningInstance(dataDir)
    if (instance?.pid === child.pid && instance?.listen_url) {
      child.unref()
      return { instance, log }
    }
    if (ended) {
      if (isNew) removeIfEmpty(dataDir, log)
      throw ended
    }
    await pause(POLL_MS)
  }
}

function createFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true })
  } catch (error) {
    throw new StartError(
      `The data folder ${dataDir} cannot be written (${(error as NodeJS.ErrnoException).code}). Allow this user to write there, or choose another folder with --data-dir.`,
    )
  }
}

/** The log as standard output and standard error. Each start begins it again. */
function logOf(file: string): [number, number] {
  const handle = openSync(file, 'w', 0o600)
  process.once('exit', () => closeSync(handle))
  return [handle, handle]
}

/** The settings that were given as flags, for the other process. */
const flagsOf = ({ flags }: Call): string[] =>
  Object.keys(settingFlags).flatMap((name) => (typeof flags[name] === 'string' ? [`--${name}=${flags[name]}`] : []))

function removeIfEmpty(folder: string, log: string): void {
  try {
    rmSync(log, { force: true })
    rmdirSync(folder)
  } catch {
    // Something else is in it.
  }
}
