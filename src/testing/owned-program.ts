import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { PROGRAM_FOLDER } from '../process/program-folder.ts'
import { RostraStartError } from './errors.ts'
import { environmentOfServer } from './own-environment.ts'
import type { Duration } from './types.ts'
import { milliseconds } from './units.ts'

const PROGRAM = path.join(PROGRAM_FOLDER, '..', 'bin', 'rostra.js')
// Other runtimes can run tests, but not the server.
const NODE = process.versions.bun || process.versions.deno ? 'node' : process.execPath
const READY_WITHIN_MS = 120_000
const STOP_WITHIN_MS = 30_000
const KEPT_LINES = 200
const OWNER_FD = '3'

// Taken once: tests replace them with a clock of their own.
const { setTimeout: startTimer, clearTimeout: endTimer } = globalThis

export interface OwnedProgramOptions {
  env?: Record<string, string> | undefined
  /** Passes on the settings in the environment of this process. */
  keepsSettings?: boolean
  startTimeout?: Duration | undefined
  onLog?: ((line: string) => void) | undefined
}

/** A `rostra` command that runs as long as this process and no longer. */
export interface OwnedProgram<T> {
  pid: number
  /** The line of JSON with which it said that it is ready. */
  ready: T
  /** The last lines of its standard error. */
  log(): string[]
  /** Resolves when it has ended. */
  ended: Promise<void>
  stop(): Promise<void>
}

/**
 * Starts a command and waits until it is ready. It reads a pipe from this process: when the pipe ends, because of `stop` or because this
 * process is gone for whatever reason, it stops. It does not keep this process alive, and Ctrl-C in the terminal does not reach it.
 */
export async function startOwned<T>(args: string[], options: OwnedProgramOptions): Promise<OwnedProgram<T>> {
  const child = spawn(NODE, [PROGRAM, ...args], {
    env: environmentOfServer({ ...options.env, ROSTRA_OWNER_FD: OWNER_FD }, options),
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  })
  const lines: string[] = []
  createInterface({ input: child.stderr! }).on('line', (line) => {
    lines.push(line)
    if (lines.length > KEPT_LINES) lines.shift()
    options.onLog?.(line)
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const ready = await readyLine<T>(child, lines, options.startTimeout).catch(async (error: Error) => {
    await end(child, ended)
    throw error
  })
  child.unref()
  for (const stream of child.stdio) (stream as Socket | null)?.unref?.()
  return { pid: child.pid!, ready, log: () => [...lines], ended, stop: () => end(child, ended) }
}

function readyLine<T>(child: ChildProcess, lines: string[], timeout: Duration | undefined): Promise<T> {
  const withinMs = timeout === undefined ? READY_WITHIN_MS : milliseconds(timeout)
  return new Promise((resolve, reject) => {
    const fail = (what: string) => {
      endTimer(late)
      const said = lines.length > 0 ? ` It wrote:\n${lines.join('\n')}` : ''
      reject(new RostraStartError(`${what}${said}`))
    }
    const late = startTimer(() => fail(`The server was not ready within ${withinMs} ms.`), withinMs)
    child.once('error', (error) => fail(`The server could not be started: ${error.message}`))
    child.once('close', (code, signal) =>
      fail(`The server ended with ${signal ?? `code ${code}`} before it was ready.`),
    )
    createInterface({ input: child.stdout! }).once('line', (line) => {
      endTimer(late)
      try {
        resolve(JSON.parse(line) as T)
      } catch {
        fail(`The server wrote something else than its addresses: ${line}`)
      }
    })
  })
}

async function end(child: ChildProcess, ended: Promise<void>): Promise<void> {
  const isGone = () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined
  if (isGone()) return
  // While it stops, it keeps this process alive: otherwise the caller would wait for something that cannot come.
  child.ref()
  child.kill('SIGTERM')
  child.stdio[Number(OWNER_FD)]?.destroy()
  const late = startTimer(() => child.kill('SIGKILL'), STOP_WITHIN_MS)
  await ended
  endTimer(late)
}
