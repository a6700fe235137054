import { constants, existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { access, open, readFile, rm, stat, statfs } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { realNow } from '../../process/clock.ts'
import { readSettings, type Settings } from '../../settings.ts'
import { lookAtExternal } from '../../start/external-database.ts'
import { type RunningInstance, runningInstance } from '../../start/instance-lock.ts'
import { probePort } from '../../start/probe-port.ts'
import { findPackage } from '../../storage/embedded/binaries.ts'
import { EmbeddedPostgresError } from '../../storage/embedded/plain-words.ts'
import { serverAccount } from '../../storage/embedded/server-account.ts'
import { chooseSocketFolder } from '../../storage/embedded/socket-folder.ts'
import { type Colour, coloured } from '../colour.ts'
import type { Call, CliCommand } from '../command-line.ts'

type State = 'ok' | 'warn' | 'fail'
const COLOURS: Record<State, Colour> = { ok: 'green', warn: 'yellow', fail: 'red' }

/** The result of one check; the message says what is wrong and what to do. */
interface Finding {
  check: string
  state: State
  message: string
}

const ok = (message: string) => ({ state: 'ok' as const, message })
const warn = (message: string) => ({ state: 'warn' as const, message })
const fail = (message: string) => ({ state: 'fail' as const, message })
type Verdict = ReturnType<typeof ok | typeof warn | typeof fail>

const OLDEST_NODE = [20, 19] as const
const MB = 1024 * 1024
const LITTLE_SPACE = 2_048 * MB
const NO_SPACE = 200 * MB
const LITTLE_MEMORY = 1_024 * MB
const NO_MEMORY = 400 * MB
const FEW_FILES = 4_096
const TOO_FEW_FILES = 512
const SLOW_FSYNC_MS = 25
const CLOCK_TOLERANCE_MS = 5_000
const ANSWER_WITHIN_MS = 3_000
// The day this was written: an earlier clock is wrong, and signed requests would be refused.
const NOT_BEFORE_MS = Date.UTC(2026, 0, 1)

export const doctorCommand: CliCommand = {
  name: 'doctor',
  summary: 'Checks this machine and says what is wrong and what to do. Ends with code 1 when something fails.',
  flags: {
    port: { value: '<number>', help: 'the port to check; default as for `rostra start`' },
    host: { value: '<address>', help: 'the address to listen on; default as for `rostra start`' },
  },
  run: async (call) => {
    const settings = withPort(call)
    const instance = await runningInstance(settings.dataDir)
    const checks: [string, () => Verdict | Promise<Verdict>][] = [
      ['Node', checkNode],
      ['PostgreSQL', () => checkEmbedded(settings)],
      ['data folder', () => checkFolder(settings.dataDir)],
      ['free space', () => checkSpace(settings.dataDir)],
      ['disk speed', () => checkFsync(settings.dataDir)],
      ['clock', () => checkClock(settings.dataDir)],
      ['socket path', () => checkSocket(settings)],
      ['memory', checkMemory],
      ['open files', checkOpenFiles],
      ['port', () => checkPort(settings, instance)],
      ['instance', () => checkInstance(settings, instance)],
      ['DATABASE_URL', () => checkDatabase(settings.databaseUrl)],
      ['secret.key', () => checkSecretKey(settings)],
      ['credentials', () => checkPrivate(path.join(settings.dataDir, 'credentials.json'))],
    ]
    const findings: Finding[] = []
    for (const [check, look] of checks) findings.push({ check, ...(await checked(look)) })
    const healthy = findings.every((finding) => finding.state !== 'fail')
    if (!healthy) process.exitCode = 1
    call.print({ healthy, findings }, () => inWords(findings))
  },
}

// Port and host are settings of `start` and follow its rules.
function withPort({ flags, settings }: Call): Settings {
  const given = (['port', 'host'] as const).flatMap((name) =>
    typeof flags[name] === 'string' ? [`--${name}`, flags[name]] : [],
  )
  const { port, host } = readSettings(given)
  return { ...settings, port, host }
}

async function checked(look: () => Verdict | Promise<Verdict>): Promise<Verdict> {
  try {
    return await look()
  } catch (error) {
    return warn(`This could not be checked: ${(error as Error).message}`)
  }
}

function inWords(findings: Finding[]): string {
  const width = Math.max(...findings.map((finding) => finding.check.length))
  const count = (state: State) => findings.filter((finding) => finding.state === state).length
  const lines = findings.map(
    ({ state, check, message }) => `${coloured(COLOURS[state], state.padEnd(4))}  ${check.padEnd(width)}  ${message}`,
  )
  const end =
    count('fail') > 0
      ? `${count('fail')} of ${findings.length} checks failed.`
      : count('warn') > 0
        ? `Rostra can run here; ${count('warn')} of ${findings.length} checks have a warning.`
        : 'Everything is fine.'
  return [...lines, '', end].join('\n')
}

function checkNode(): Verdict {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])
  return isOld
    ? fail(`Node ${process.versions.node} is too old. Install ${OLDEST_NODE.join('.')} or newer.`)
    : ok(`Node ${process.versions.node} on ${process.platform}-${process.arch}.`)
}

function checkEmbedded(settings: Settings): Verdict {
  if (settings.databaseUrl !== '') return ok('The server of DATABASE_URL is used; the embedded one is not needed.')
  try {
    const folder = findPackage()
    const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { version: string }
    return ok(`The embedded PostgreSQL ${version.split('.').slice(0, 2).join('.')} is installed in ${folder}.`)
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) return fail(error.message)
    throw error
  }
}

/** The folder itself, or the nearest one above it that exists. */
function nearestFolder(folder: string): string {
  let nearest = folder
  while (!existsSync(nearest) && path.dirname(nearest) !== nearest) nearest = path.dirname(nearest)
  return nearest
}

async function checkFolder(folder: string): Promise<Verdict> {
  const nearest = nearestFolder(folder)
  if (!statSync(nearest).isDirectory())
    return fail(`${nearest} is a file, not a folder. Move it away, or choose another folder with --data-dir.`)
  try {
    await access(nearest, constants.W_OK | constants.X_OK)
  } catch (error) {
    return fail(
      `This user may not write in ${nearest} (${(error as NodeJS.ErrnoException).code}). Give it permission, or choose another folder with --data-dir.`,
    )
  }
  return ok(
    nearest === folder ? `${folder} can be written.` : `${folder} does not exist yet; the first start can create it.`,
  )
}

async function checkSpace(folder: string): Promise<Verdict> {
  const nearest = nearestFolder(folder)
  const facts = await statfs(nearest)
  const free = facts.bavail * facts.bsize
  const words = `${inUnits(free)} free on the disk of ${nearest}`
  if (free < NO_SPACE) return fail(`Only ${words}; a new database needs about 100 MB. Free some space.`)
  if (free < LITTLE_SPACE) return warn(`Only ${words}. Keep an eye on it.`)
  return ok(`${words}.`)
}

/** A small file in the data folder for as long as `work` takes. */
async function withProbe<T>(folder: string, work: (file: string) => Promise<T>): Promise<T | undefined> {
  const file = path.join(nearestFolder(folder), `.rostra-doctor-${process.pid}`)
  try {
    const handle = await open(file, 'wx', 0o600).catch(() => undefined)
    if (!handle) return undefined
    await handle.close()
    return await work(file)
  } finally {
    await rm(file, { force: true }).catch(() => {})
  }
}

const NOT_WRITABLE = 'Not measured, because the data folder cannot be written.'

async function checkFsync(folder: string): Promise<Verdict> {
  const times = await withProbe(folder, async (file) => {
    const handle = await open(file, 'r+')
    const measured: number[] = []
    try {
      for (let round = 0; round < 7; round++) {
        await handle.write(Buffer.alloc(8_192, round), 0, 8_192, 0)
        const started = performance.now()
        await handle.sync()
        measured.push(performance.now() - started)
      }
    } finally {
      await handle.close()
    }
    return measured.sort((left, right) => left - right)
  })
  if (!times) return warn(NOT_WRITABLE)
  const middle = times[Math.floor(times.length / 2)]!
  const words = `A small write reaches the disk in ${middle.toFixed(1)} ms`
  return middle > SLOW_FSYNC_MS
    ? warn(`${words}, and every change takes at least that long. A faster disk for the data folder helps.`)
    : ok(`${words}.`)
}

async function checkClock(folder: string): Promise<Verdict> {
  const now = realNow()
  if (now < NOT_BEFORE_MS)
    return fail(
      `The clock of this machine says ${new Date(now).toISOString()}. Correct it: signed requests and ids depend on it.`,
    )
  const difference = await withProbe(folder, async (file) => Math.abs((await stat(file)).mtimeMs - realNow()))
  if (difference === undefined) return warn(NOT_WRITABLE)
  return difference > CLOCK_TOLERANCE_MS
    ? warn(
        `The clock of the data folder's disk differs from that of this machine by ${Math.round(difference / 1_000)} s. Synchronize both with the same time service.`,
      )
    : ok(`${new Date(now).toISOString()}, and files agree with it.`)
}

async function checkSocket(settings: Settings): Promise<Verdict> {
  if (settings.databaseUrl !== '' || process.platform === 'win32') return ok('No unix socket is used.')
  const folder = path.join(settings.dataDir, 'postgres')
  const elsewhere = await readFile(path.join(folder, 'LOCATION'), 'utf8').catch(() => undefined)
  const location = elsewhere?.trim() ?? folder
  try {
    const account = await serverAccount(path.join(location, 'data'))
    const socket = await chooseSocketFolder({ folder: location, account })
    return socket.startsWith(location)
      ? ok(`The path of the socket is short enough (${Buffer.byteLength(socket)} bytes).`)
      : ok(`The path of the data folder is long, so the socket is in ${socket}.`)
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) return fail(error.message)
    throw error
  }
}

function checkMemory(): Verdict {
  const limit = process.constrainedMemory()
  const total = limit > 0 && limit < os.totalmem() ? limit : os.totalmem()
  const free = process.availableMemory()
  const words = `${inUnits(free)} of ${inUnits(total)} free`
  if (free < NO_MEMORY) return fail(`Only ${words}; the database needs about 300 MB. End other programs.`)
  if (free < LITTLE_MEMORY) return warn(`Only ${words}. Start with fewer --workers and a smaller --cache-mb.`)
  return ok(`${words}.`)
}

function checkOpenFiles(): Verdict {
  if (process.platform !== 'linux') return ok('Only checked on Linux.')
  const soft = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 'unlimited'
  const words = `This process may have ${soft} files and connections open`
  if (soft !== 'unlimited' && Number(soft) < TOO_FEW_FILES)
    return fail(`${words}, which is too few for the workers. Raise it with "ulimit -n 65536".`)
  if (soft !== 'unlimited' && Number(soft) < FEW_FILES)
    return warn(`${words}. For many clients at once raise it with "ulimit -n 65536".`)
  return ok(`${words}.`)
}

async function checkPort(settings: Settings, instance: RunningInstance | undefined): Promise<Verdict> {
  const { port, host } = settings
  if (port === 0) return ok('Port 0: a free one is taken at the start.')
  if (instance?.listen_url && new URL(instance.listen_url).port === String(port))
    return ok(`Port ${port} is used by the instance on this data folder.`)
  const error = await probePort(host, port)
  if (!error) return ok(`Port ${port} on ${host} is free.`)
  if (error.code === 'EADDRINUSE') {
    const holder = process.platform === 'linux' ? holderOf(port) : undefined
    return fail(
      `Port ${port} is taken by ${holder ?? 'another program'}. Stop it, or choose another port with --port or ROSTRA_PORT.`,
    )
  }
  if (error.code === 'EACCES')
    return fail(`This user may not listen on port ${port}. Choose one above 1023 with --port or ROSTRA_PORT.`)
  return fail(`Rostra cannot listen on ${host} port ${port} (${error.code}). Choose another --host.`)
}

/** The process that listens on a port, as far as this user may see it. */
function holderOf(port: number): string | undefined {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const inodes = new Set<string>()
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    if (!existsSync(table)) continue
    for (const line of readFileSync(table, 'utf8').split('\n').slice(1)) {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/)
      if (state === '0A' && local?.endsWith(wanted) && inode) inodes.add(`socket:[${inode}]`)
    }
  }
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const holds = readdirSync(`/proc/${pid}/fd`).some((fd) => inodes.has(readlinkSync(`/proc/${pid}/fd/${fd}`)))
      if (holds) return `process ${pid} (${readFileSync(`/proc/${pid}/comm`, 'utf8').trim()})`
    } catch {
      // It has ended, or belongs to another user.
    }
  }
  return undefined
}

async function checkInstance(settings: Settings, instance: RunningInstance | undefined): Promise<Verdict> {
  if (!instance) return ok(`No instance is running on ${settings.dataDir}.`)
  if (!instance.listen_url) return ok(`Process ${instance.pid} is starting, or a command has the data folder open.`)
  const url = `${instance.listen_url}/health`
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
    if (answer.ok) return ok(`Process ${instance.pid} is running and ${url} answers.`)
    return fail(
      `Process ${instance.pid} is running, but ${url} answers ${answer.status}. Restart it and look at its log.`,
    )
  } catch {
    return fail(
      `Process ${instance.pid} is running, but ${url} does not answer within ${ANSWER_WITHIN_MS / 1_000} s. Restart it and look at its log.`,
    )
  }
}

async function checkDatabase(url: string): Promise<Verdict> {
  if (url === '') return ok('Not set: the embedded PostgreSQL is used.')
  const found = await lookAtExternal(url)
  return 'fault' in found ? fail(found.fault) : ok(`PostgreSQL ${found.version} answers.`)
}

async function checkSecretKey(settings: Settings): Promise<Verdict> {
  if (settings.secretKey !== '') return ok('The key is set with ROSTRA_SECRET_KEY or --secret-key.')
  const file = path.join(settings.dataDir, 'secret.key')
  const verdict = await checkPrivate(file)
  if (verdict.state !== 'ok' || !existsSync(file)) return verdict
  const key = await readFile(file, 'utf8').catch(() => undefined)
  if (key === undefined) return fail(`This user may not read ${file}. Start as the user that created it.`)
  if (!/^[0-9a-f]{64}$/i.test(key.trim()))
    return fail(`${file} does not contain 64 hex digits. Restore the right file from a backup.`)
  return verdict
}

/** Only the owner may read a file with secrets. */
async function checkPrivate(file: string): Promise<Verdict> {
  const facts = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
  if (!facts) return ok(`${file} does not exist yet; the first start creates it.`)
  const mode = facts.mode & 0o777
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    return fail(
      `${file} contains secrets and can be read by others (mode ${mode.toString(8)}). Protect it with "chmod 600 ${file}".`,
    )
  return ok(`Only the owner can read ${file}.`)
}

function inUnits(bytes: number): string {
  return bytes >= 1_024 * MB ? `${(bytes / 1_024 / MB).toFixed(1)} GB` : `${Math.round(bytes / MB)} MB`
}
