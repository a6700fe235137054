import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { type FirstCredentials, TEMPLATE_DATABASE, TEST_SECRET_KEY } from './facts.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const PROGRAM = path.join(ROOT, 'bin/rostra.js')
const READY_WITHIN_MS = 120_000
const STOP_WITHIN_MS = 60_000

export interface ChildOptions {
  env?: Record<string, string>
  /** Runs as this user; root only. */
  uid?: number
  cwd?: string
}

/** What a finished command wrote, and its exit code. */
export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

/** Compiles the sources when they are newer than dist/. */
export function buildProgram(): void {
  execFileSync(process.execPath, [path.join(ROOT, 'scripts/build.js')], { stdio: 'pipe' })
}
// With the import: compiling takes long, and must not count as the time that a hook or the program takes.
buildProgram()

/** Starts `rostra` with these arguments, without the settings in the environment of the tests. */
export function spawnRostra(args: string[], options: ChildOptions = {}): ChildProcessWithoutNullStreams {
  const outside = Object.entries(process.env).filter(
    ([name]) => !/^(ROSTRA_|PG|PORT$|DATABASE_URL$|NATS_URL$)/.test(name),
  )
  return spawn(process.execPath, [PROGRAM, ...args], {
    cwd: options.cwd ?? os.tmpdir(),
    // What the tests start is not among the instances that this user knows.
    env: {
      ...Object.fromEntries(outside),
      XDG_STATE_HOME: path.join(os.tmpdir(), 'rostra-test-state'),
      ...options.env,
    },
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  })
}

/** Runs `rostra` with these arguments to its end. */
export function runRostra(args: string[], options: ChildOptions = {}): Promise<Finished> {
  return finish(spawnRostra(args, options))
}

/** Waits for the end of a command and collects what it wrote. */
export function finish(child: ChildProcessWithoutNullStreams): Promise<Finished> {
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text
    })
  child.stdin.end()
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, ...written }))
  })
}

/** The one JSON value that a command printed; throws with its error message when it failed. */
// biome-ignore lint/suspicious/noExplicitAny: tests look at members of results whose shape they assert.
export async function rostraJson(args: string[], options: ChildOptions = {}): Promise<any> {
  const done = await runRostra([...args, '--json'], options)
  if (done.code !== 0) throw new Error(`rostra ${args.join(' ')} ended with ${done.code}: ${done.stderr}`)
  return JSON.parse(done.stdout)
}

/** A new folder that the account of the database can reach, also when root runs the tests. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'rostra-cli-'))
  chmodSync(folder, 0o755)
  return folder
}

export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true })

let databases = 0

/** A new empty database in the PostgreSQL of the test run, as DATABASE_URL names it. */
export const emptyDatabase = (): Promise<string> => newDatabase('')

/** The same with the first world, whose secrets are encrypted with TEST_SECRET_KEY: a server on it starts at once. */
export const firstWorldDatabase = (): Promise<string> => newDatabase(`template ${TEMPLATE_DATABASE} strategy file_copy`)

/** Flags of a server on such a database, for tests that are not about starting, the embedded PostgreSQL or its data folder. */
export const onFirstWorld = async (): Promise<string[]> => [
  ...['--database-url', await firstWorldDatabase()],
  ...['--secret-key', TEST_SECRET_KEY],
]

async function newDatabase(from: string): Promise<string> {
  const connection = inject('connection')
  databases += 1
  const name = `rostra_child_${process.pid}_${databases}`
  const admin = new pg.Client({ ...connection, database: 'postgres', ssl: false })
  await admin.connect()
  await admin.query(`create database ${name} ${from}`)
  await admin.end()
  const query = new URLSearchParams({ host: connection.host, port: String(connection.port), user: connection.user })
  if (connection.password !== undefined) query.set('password', connection.password)
  return `postgresql://localhost/${name}?${query}`
}

/** A server in a process of its own, started from the command line. */
export interface ChildServer {
  baseUrl: string
  dataDir: string
  pid: number
  credentials: FirstCredentials
  /** What it has written to standard error so far. */
  log(): string
  /** How its database is reached. */
  connection: pg.ClientConfig
  /** Resolves with its exit code when it ends for whatever reason. */
  ended: Promise<number | null>
  /** Stops it and removes a data folder that was made for it. */
  stop(): Promise<number | null>
}

/** Starts `rostra start --json` on a free port and waits until it is ready. */
export async function startChildServer(
  options: ChildOptions & { dataDir?: string; flags?: string[] } = {},
): Promise<ChildServer> {
  const dataDir = options.dataDir ?? path.join(temporaryFolder(), 'data')
  const port = options.flags?.includes('--port') ? [] : ['--port', '0']
  const child = spawnRostra(['start', '--json', '--data-dir', dataDir, ...port, ...(options.flags ?? [])], options)
  const ended = finish(child)
  let stderr = ''
  child.stderr.on('data', (text: string) => {
    stderr += text
  })
  const ready = await readyLine(child, () => stderr).catch(async (error: Error) => {
    await endChild(child, ended)
    throw error
  })
  const instance = JSON.parse(readFileSync(path.join(dataDir, 'instance.json'), 'utf8'))
  let stopped: Promise<number | null> | undefined
  const stop = async () => {
    const code = await endChild(child, ended)
    if (options.dataDir === undefined) removeFolder(path.dirname(dataDir))
    return code
  }
  return {
    baseUrl: ready.base_url,
    dataDir,
    pid: child.pid!,
    credentials: JSON.parse(readFileSync(ready.credentials, 'utf8')),
    log: () => stderr,
    connection: instance.connection,
    ended: ended.then(({ code }) => code),
    stop: () => {
      stopped ??= stop()
      return stopped
    },
  }
}

// SIGTERM first: after SIGKILL the PostgreSQL that the server started would be left running.
async function endChild(child: ChildProcessWithoutNullStreams, ended: Promise<Finished>): Promise<number | null> {
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS)
  const { code } = await ended
  clearTimeout(late)
  return code
}

function readyLine(
  child: ChildProcessWithoutNullStreams,
  stderr: () => string,
): Promise<{ base_url: string; credentials: string }> {
  return new Promise((resolve, reject) => {
    let stdout = ''
    const late = setTimeout(() => {
      reject(new Error(`The server was not ready within ${READY_WITHIN_MS / 1_000} s: ${stderr()}`))
    }, READY_WITHIN_MS)
    child.stdout.on('data', (text: string) => {
      stdout += text
      if (!stdout.includes('\n')) return
      clearTimeout(late)
      resolve(JSON.parse(stdout.slice(0, stdout.indexOf('\n'))))
    })
    child.once('close', (code) => {
      clearTimeout(late)
      reject(new Error(`The server ended with ${code} before it was ready: ${stderr()}`))
    })
  })
}
