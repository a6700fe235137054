import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Credentials } from '../../src/start/credentials-file.ts'

const ROSTRA = path.join(import.meta.dirname, '../../bin/rostra.js')

/** A whole installation started from the command line, as a user starts it. */
export interface ChildServer {
  pid: number
  dataDir: string
  credentials: Credentials
  /** Resolves with the exit code when the process ends. */
  exited: Promise<number | null>
  /** What it wrote to standard error so far. */
  errors(): string
  /** Starts a new process on the same data folder with the same flags. */
  startAgain(): Promise<ChildServer>
  /** Ends the process in order and removes the data folder. */
  stop(): Promise<void>
}

/** Starts `rostra start` on a free port and waits until it is ready. */
export async function startChildServer(
  options: { flags?: string[]; dataDir?: string; env?: Record<string, string> } = {},
): Promise<ChildServer> {
  const dataDir = options.dataDir ?? mkdtempSync(path.join(os.tmpdir(), 'rostra-child-'))
  // Open to the user that the database runs as when the tests are run by root.
  chmodSync(dataDir, 0o755)
  const flags = ['start', '--json', '--port', '0', '--data-dir', dataDir, ...(options.flags ?? [])]
  const child = spawn(process.execPath, [ROSTRA, ...flags], {
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  await readyLine(child, exited, () => errors)
  return {
    pid: child.pid!,
    dataDir,
    credentials: JSON.parse(readFileSync(path.join(dataDir, 'credentials.json'), 'utf8')),
    exited,
    errors: () => errors,
    startAgain: () => startChildServer({ ...options, dataDir }),
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      await exited
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function readyLine(child: ChildProcess, exited: Promise<number | null>, errors: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (chunk) => {
      text += chunk
      if (text.includes('"ready":true')) resolve()
    })
    void exited.then((code) => reject(new Error(`Rostra ended with code ${code}: ${errors()}`)))
  })
}
