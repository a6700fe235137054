import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { findProgram } from './find-program.ts'

/** How a program ended. */
export interface ProgramEnd {
  code: number | null
  signal: NodeJS.Signals | null
}

/** A program that runs with this terminal. */
export interface RunningProgram {
  child: ChildProcess
  ended: Promise<ProgramEnd>
}

/**
 * Starts a program on this terminal. Where the system can, it gets SIGTERM when this process is killed, so nothing is left behind.
 * Returns the exit code where the program cannot be run.
 */
export function startProgram(words: string[], environment: NodeJS.ProcessEnv): RunningProgram | number {
  const [name, ...rest] = words as [string, ...string[]]
  const file = findProgram(name, environment)
  if (typeof file === 'number') return file
  const guard = process.platform === 'linux' ? findProgram('setpriv', environment) : 0
  const [program, args] =
    typeof guard === 'string' ? [guard, ['--pdeathsig', 'TERM', '--', file, ...rest]] : [file, rest]
  const child = spawn(program, args, { stdio: 'inherit', env: environment })
  const ended = new Promise<ProgramEnd>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  return { child, ended }
}

/**
 * Whether the terminal sends Ctrl-C to this process and to the programs it started alike. Then passing it on would make it two, and
 * a second Ctrl-C means something else to many programs.
 */
export function isInForeground(): boolean {
  if (process.platform !== 'linux') return process.stdin.isTTY === true
  try {
    // The name of the program may have spaces and brackets; after it: state, parent, group, session, terminal, its group.
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return fields[4] !== '0' && fields[2] === fields[5]
  } catch {
    return process.stdin.isTTY === true
  }
}

/** Ends this process as the program ended: with its code, or by the same signal. */
export function endAs({ code, signal }: ProgramEnd): void {
  if (signal === null) process.exit(code ?? 1)
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
  // Some signals do not end a process, and Node handles others itself: then the code says it as shells do.
  setTimeout(() => process.exit(128 + constants.signals[signal]), 200)
}
