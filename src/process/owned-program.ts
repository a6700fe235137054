import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { PROGRAM_FOLDER } from './program-folder.ts'

const PROGRAM = path.join(PROGRAM_FOLDER, '..', 'bin', 'rostra.js')
// Other runtimes can run tests, but not the server.
const NODE = process.versions.bun || process.versions.deno ? 'node' : process.execPath
const KEPT_LINES = 200
const OWNER_FD = '3'

// Taken once: tests replace them with a clock of their own.
const { setTimeout: startTimer, clearTimeout: endTimer } = globalThis

export interface OwnedProgramOptions {
  environment: NodeJS.ProcessEnv
  /** Without it a start may take as long as it needs. */
  readyWithinMs?: number | undefined
  stopWithinMs: number
  /** Ends a start that takes too long for somebody. */
  stopping?: AbortSignal
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

/** A command did not become ready. */
export class OwnedProgramFailed extends Error {
  /** The last lines of its standard error. */
  readonly lines: readonly string[]

  constructor(what: string, lines: readonly string[]) {
    super(lines.length > 0 ? `${what} It wrote:\n${lines.join('\n')}` : what)
    this.lines = lines
  }
}

/**
 * Starts a command and waits until it is ready. It reads a pipe from this process: when the pipe ends, because of `stop` or because this
 * process is gone for whatever reason, it stops (`start/owner.ts`). It does not keep this process alive, and Ctrl-C in the terminal does
 * not reach it.
 */
export async function startOwned<T>(args: string[], options: OwnedProgramOptions): Promise<OwnedProgram<T>> {
  const { environment, readyWithinMs, stopWithinMs, stopping, onLog } = options
  const child = spawn(NODE, [PROGRAM, ...args], {
    env: { ...environment, ROSTRA_OWNER_FD: OWNER_FD },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  })
  const lines: string[] = []
  createInterface({ input: child.stderr! }).on('line', (line) => {
    lines.push(line)
    if (lines.length > KEPT_LINES) lines.shift()
    onLog?.(line)
  })
  child.stdio[Number(OWNER_FD)]?.on('error', () => {})
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const stop = () => end(child, ended, stopWithinMs)
  const onAbort = () => child.kill('SIGTERM')
  stopping?.addEventListener('abort', onAbort, { once: true })
  try {
    const ready = await readyLine<T>(child, lines, readyWithinMs)
    child.unref()
    for (const stream of child.stdio) (stream as Socket | null)?.unref?.()
    return { pid: child.pid!, ready, log: () => [...lines], ended, stop }
  } catch (error) {
    await stop()
    throw error
  } finally {
    stopping?.removeEventListener('abort', onAbort)
  }
}

function readyLine<T>(child: ChildProcess, lines: string[], withinMs: number | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    let late: ReturnType<typeof setTimeout> | undefined
    const fail = (what: string) => {
      endTimer(late)
      reject(new OwnedProgramFailed(what, lines))
    }
    if (withinMs !== undefined)
      late = startTimer(() => fail(`The server was not ready within ${withinMs} ms.`), withinMs)
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

async function end(child: ChildProcess, ended: Promise<void>, withinMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  // While it stops, it keeps this process alive: otherwise the caller would wait for something that cannot come.
  child.ref()
  child.kill('SIGTERM')
  child.stdio[Number(OWNER_FD)]?.destroy()
  const late = startTimer(() => child.kill('SIGKILL'), withinMs)
  await ended
  endTimer(late)
}
