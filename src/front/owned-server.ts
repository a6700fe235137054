import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Writable } from 'node:stream'
import { PROGRAM_FOLDER } from '../process/program-folder.ts'
import { endPostmaster, findPostmaster, IMPATIENTLY } from '../storage/embedded/postmaster.ts'

/** A server that this process has started, and that ends with it. */
export interface OwnedServer {
  baseUrl: string
  credentialsFile: string
  /** Resolves with its last lines when it ends without having been asked to. */
  failed: Promise<string>
  stop(): Promise<void>
}

export interface OwnedServerOptions {
  dataDir: string
  /** Further arguments of `rostra start`. */
  flags: string[]
  environment: NodeJS.ProcessEnv
  /** Ends a start that takes too long for somebody. */
  stopping: AbortSignal
}

/** The server could not be started; the message has what it wrote. */
export class ServerFailed extends Error {}

const KEPT_LINES = 40
const STOP_WITHIN_MS = 150_000

/**
 * Starts `rostra start` on a free port in a session of its own: Ctrl-C on the terminal reaches the program that uses it, and the
 * server is stopped after that. It holds the end of a pipe, so it also stops when this process is killed.
 */
export async function startOwnedServer(options: OwnedServerOptions): Promise<OwnedServer> {
  const { dataDir, environment, stopping } = options
  const program = path.join(PROGRAM_FOLDER, '..', 'bin', 'rostra.js')
  const args = [program, 'start', '--json', '--port', '0', '--data-dir', dataDir, ...options.flags]
  const child = spawn(process.execPath, args, {
    detached: true,
    env: { ...environment, ROSTRA_OWNER_FD: '3' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  const ownerPipe = child.stdio[3] as Writable
  ownerPipe.on('error', () => {})
  const lines: string[] = []
  createInterface({ input: child.stderr! }).on('line', (line) => {
    lines.push(line)
    if (lines.length > KEPT_LINES) lines.shift()
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let isWanted = true
  const stop = async () => {
    isWanted = false
    await end(child, ended)
    await endDatabase(dataDir)
  }
  const onAbort = () => child.kill('SIGTERM')
  stopping.addEventListener('abort', onAbort, { once: true })
  try {
    const ready = await readyMessage(child, ended, lines)
    const failed = new Promise<string>((resolve) => {
      void ended.then(() => isWanted && resolve(lines.join('\n')))
    })
    return { baseUrl: ready.base_url, credentialsFile: ready.credentials, failed, stop }
  } catch (error) {
    await stop()
    throw error
  } finally {
    stopping.removeEventListener('abort', onAbort)
  }
}

function readyMessage(
  child: ChildProcess,
  ended: Promise<void>,
  lines: string[],
): Promise<{ base_url: string; credentials: string }> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const message = parsed(line)
      if (message?.ready) resolve(message)
    })
    void ended.then(() => reject(new ServerFailed(lines.join('\n') || 'The server ended before it was ready.')))
  })
}

function parsed(line: string): { ready?: boolean; base_url: string; credentials: string } | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

async function end(child: ChildProcess, ended: Promise<void>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS)
  await ended
  clearTimeout(late)
}

/** Ends the PostgreSQL of a server that was killed: nothing else would. */
async function endDatabase(dataDir: string): Promise<void> {
  const folder = databaseFolder(dataDir)
  const postmaster = folder && (await findPostmaster(folder).catch(() => undefined))
  if (postmaster) await endPostmaster(postmaster, IMPATIENTLY)
}

function databaseFolder(dataDir: string): string | undefined {
  try {
    const folder = realpathSync(path.join(dataDir, 'postgres'))
    return path.join(readLocation(folder) ?? folder, 'data')
  } catch {
    return undefined
  }
}

function readLocation(folder: string): string | undefined {
  try {
    return readFileSync(path.join(folder, 'LOCATION'), 'utf8').trim()
  } catch {
    return undefined
  }
}
