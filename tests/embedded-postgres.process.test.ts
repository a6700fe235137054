import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { transformWithEsbuild } from 'vite'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { findPackage } from '../src/storage/embedded/binaries.ts'
import { launch } from '../src/storage/embedded/launch.ts'
import { type EmbeddedPostgres, EmbeddedPostgresError, startEmbeddedPostgres } from '../src/storage/embedded/server.ts'

const isRoot = process.geteuid?.() === 0
const repository = fileURLToPath(new URL('..', import.meta.url))
const running: EmbeddedPostgres[] = []
const children: ChildProcess[] = []
let home: string
let starter: string
let logged: string[]
let made = 0

beforeAll(async () => {
  home = await fs.realpath(await fs.mkdtemp(path.join(tmpdir(), 'rostra-test-')))
  await fs.chmod(home, 0o755)
  starter = await compileStarter()
})

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const server of running.splice(0)) await server.stop()
})

afterAll(async () => {
  // A failed test may leave a server running.
  for (const name of await fs.readdir(home)) {
    const forgotten = await postmasterOf(path.join(home, name, 'postgres', 'data')).catch(() => 0)
    if (forgotten > 0) process.kill(forgotten, 'SIGQUIT')
  }
  await fs.rm(home, { recursive: true, force: true })
})

function newFolder(): string {
  logged = []
  return path.join(home, `case-${++made}`, 'postgres')
}

let template: string | undefined

/** A folder with a database that an earlier start created. Creating one takes longest, and few tests are about that. */
async function existingFolder(): Promise<string> {
  if (template === undefined) {
    template = newFolder()
    await (await start(template)).stop()
  }
  const folder = newFolder()
  await fs.mkdir(path.dirname(folder), { recursive: true })
  // With owner and times, which the copy of Node does not keep.
  spawnSync('cp', ['-a', template, folder])
  return folder
}

async function start(folder: string, packageFolder?: string): Promise<EmbeddedPostgres> {
  const options = { folder, log: (line: string) => void logged.push(line) }
  const server = await (packageFolder ? launch({ ...options, packageFolder }) : startEmbeddedPostgres(options))
  running.push(server)
  return server
}

async function ask<Row extends object>(server: Pick<EmbeddedPostgres, 'connection'>, sql: string): Promise<Row[]> {
  const client = new Client(server.connection)
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

async function rememberRow(server: Pick<EmbeddedPostgres, 'connection'>): Promise<void> {
  await ask(server, 'create table kept as select 42 as answer')
}

async function expectRow(server: Pick<EmbeddedPostgres, 'connection'>): Promise<void> {
  expect(await ask(server, 'select answer from kept')).toEqual([{ answer: 42 }])
}

async function postmasterOf(dataFolder: string): Promise<number> {
  return Number((await fs.readFile(path.join(dataFolder, 'postmaster.pid'), 'utf8')).split('\n')[0])
}

async function childrenOf(pid: number): Promise<number[]> {
  if (process.platform === 'linux') {
    const children = await fs.readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
    return children.split(' ').filter(Boolean).map(Number)
  }
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  return pairs.filter(([, parent]) => parent === pid).map(([child]) => child ?? 0)
}

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended with its postmaster.
  }
}

/** Compiles the launcher and returns a program that starts it, prints the result, and stays. */
async function compileStarter(): Promise<string> {
  const folder = path.join(home, 'starter')
  const program = path.join(folder, 'start.js')
  await fs.mkdir(folder)
  await fs.symlink(path.join(repository, 'node_modules'), path.join(folder, 'node_modules'))
  await fs.writeFile(path.join(folder, 'package.json'), '{"type":"module"}')
  const source = path.join(repository, 'src/storage/embedded')
  for (const name of await fs.readdir(source)) {
    const { code } = await transformWithEsbuild(await fs.readFile(path.join(source, name), 'utf8'), name)
    const linked = code.replaceAll(/(from ['"]\.\/[\w-]+)\.ts(['"])/g, '$1.js$2')
    await fs.writeFile(path.join(folder, name.replace('.ts', '.js')), linked)
  }
  await fs.writeFile(
    program,
    `import { startEmbeddedPostgres } from './server.js'
    const say = (word, facts) => console.log(JSON.stringify([word, facts]))
    try {
      const { connection, takenOver } = await startEmbeddedPostgres({ folder: process.argv[2], log: () => {} })
      say('ready', { connection, takenOver })
      setInterval(() => {}, 1000)
    } catch (error) {
      say(error.name, error.message)
    }`,
  )
  return program
}

interface Starter {
  child: ChildProcess
  word: string
  facts: { connection: EmbeddedPostgres['connection']; takenOver: boolean }
}

async function startInAnotherProcess(folder: string): Promise<Starter> {
  const child = spawn(process.execPath, [starter, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  for await (const line of createInterface({ input: child.stdout! })) {
    const [word, facts] = JSON.parse(line) as [string, Starter['facts']]
    return { child, word, facts }
  }
  throw new Error('the starter said nothing')
}

async function killAndWait(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
}

async function refusalOf(starting: Promise<unknown>): Promise<string> {
  const error = await starting.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(EmbeddedPostgresError)
  return (error as Error).message
}

describe('a start', () => {
  test('creates a durable UTF-8 database at a private socket, and the next start keeps its content', async () => {
    const folder = newFolder()
    const first = await start(folder)
    expect(first.takenOver).toBe(false)
    expect(first.connection).toMatchObject({ user: 'rostra', database: 'rostra' })
    expect(await ask(first, `select lower('ÄÉ') as lower, current_setting('server_encoding') as encoding`)).toEqual([
      { lower: 'äé', encoding: 'UTF8' },
    ])
    const durable = ['fsync', 'synchronous_commit', 'full_page_writes']
    for (const name of durable) expect(await ask(first, `show ${name}`)).toEqual([{ [name]: 'on' }])
    expect(await ask(first, 'show listen_addresses')).toEqual([{ listen_addresses: '' }])
    expect((await fs.stat(first.connection.host)).mode & 0o777).toBe(0o700)
    await rememberRow(first)
    await first.stop()

    const second = await start(folder)
    expect(second.takenOver).toBe(false)
    await expectRow(second)
    await second.stop()
    expect((await fs.readdir(folder)).sort()).toEqual(['data', 'socket'])
  })

  test('finds every committed row after the server and all its processes were killed', async () => {
    const folder = await existingFolder()
    const first = await start(folder)
    await rememberRow(first)
    const postmaster = await postmasterOf(path.join(folder, 'data'))
    for (const pid of [postmaster, ...(await childrenOf(postmaster))]) killIfAlive(pid)
    expect((await first.died).reason).toContain('SIGKILL')

    const second = await start(folder)
    expect(second.takenOver).toBe(false)
    await expectRow(second)
  })

  test('waits for a process that outlived its killed server', async () => {
    const folder = await existingFolder()
    const first = await start(folder)
    await rememberRow(first)
    const busy = ask(first, 'select count(*) from generate_series(1, 8000000) a').catch(() => undefined)
    await vi.waitUntil(async () => {
      const query = `select 1 from pg_stat_activity where state = 'active' and query like '%generate_series(1%' and pid <> pg_backend_pid()`
      return (await ask(first, query)).length > 0
    })
    process.kill(await postmasterOf(path.join(folder, 'data')), 'SIGKILL')
    await first.died

    await expectRow(await start(folder))
    expect(logged.join()).toContain('pre-existing shared memory block')
    await busy
  })

  test('is not held up by a lock file whose process id now belongs to another program', async () => {
    const folder = await existingFolder()
    const data = path.join(folder, 'data')
    const { uid, gid } = await fs.stat(data)
    const bystander = spawn('sleep', ['60'], { stdio: 'ignore', ...(isRoot ? { uid, gid } : {}) })
    children.push(bystander)
    const lock = `${bystander.pid}\n${data}\n1700000000\n5432\n${folder}/socket\n\n  5432001         1\nready   \n`
    await fs.writeFile(path.join(data, 'postmaster.pid'), lock)
    await fs.writeFile(path.join(folder, 'socket', '.s.PGSQL.5432.lock'), lock)

    const server = await start(folder)
    expect(server.takenOver).toBe(false)
    expect(logged.join()).toContain('lock file "postmaster.pid" already exists')
    expect(bystander.exitCode).toBeNull()
  })

  test('removes the files of a start that was killed while it created the database', async () => {
    const folder = newFolder()
    const { pid } = spawnSync('true')
    for (const name of ['data.new', `data.new-${pid}-1`, `data.new-${process.pid}-999`]) {
      await fs.mkdir(path.join(folder, name, 'base'), { recursive: true })
    }
    await start(folder)
    expect((await fs.readdir(folder)).filter((name) => name.startsWith('data'))).toEqual(['data'])
  })

  test('works where the path is too long for a socket, and removes its short folder afterwards', async () => {
    const folder = path.join(newFolder(), 'a-long-name-'.repeat(8), 'postgres')
    const server = await start(folder)
    expect(server.connection.host.startsWith(home)).toBe(false)
    await rememberRow(server)
    await server.stop()
    expect(existsSync(server.connection.host)).toBe(false)
    await expectRow(await start(folder))
  })

  test('works in a folder with spaces, commas and quotes in its name', async () => {
    const folder = path.join(newFolder(), `it's "a, b"`)
    await rememberRow(await start(folder))
  })

  test('reports why the server ended by itself', async () => {
    const folder = await existingFolder()
    const server = await start(folder)
    process.kill(await postmasterOf(path.join(folder, 'data')), 'SIGQUIT')
    expect((await server.died).reason).toContain('immediate shutdown')
  })
})

describe('the server of a run that was killed', () => {
  test('is taken over with its data, can be stopped, and then starts anew', async () => {
    const folder = await existingFolder()
    const { child, facts } = await startInAnotherProcess(folder)
    await rememberRow(facts)
    await killAndWait(child)
    expect(await postmasterOf(path.join(folder, 'data'))).toBeGreaterThan(0)

    const second = await start(folder)
    expect(second.takenOver).toBe(true)
    await expectRow(second)
    const pid = await postmasterOf(path.join(folder, 'data'))
    await second.stop()
    expect(existsSync(path.join(folder, 'data', 'postmaster.pid'))).toBe(false)
    expect(await childrenOf(pid)).toEqual([])

    const third = await start(folder)
    expect(third.takenOver).toBe(false)
    await expectRow(third)
  })

  test('is watched once it is taken over', async () => {
    const folder = await existingFolder()
    const { child } = await startInAnotherProcess(folder)
    await killAndWait(child)
    const server = await start(folder)
    process.kill(await postmasterOf(path.join(folder, 'data')), 'SIGINT')
    expect((await server.died).reason).toContain('ended')
  })

  test('is replaced when it is of another version', async () => {
    const folder = await existingFolder()
    const { child } = await startInAnotherProcess(folder)
    await killAndWait(child)
    const old = await postmasterOf(path.join(folder, 'data'))
    const packageFolder = path.join(home, 'newer-package')
    await fs.mkdir(packageFolder)
    await fs.symlink(path.join(findPackage(), 'native'), path.join(packageFolder, 'native'))
    await fs.writeFile(path.join(packageFolder, 'package.json'), '{"version":"18.9.0"}')

    const server = await start(folder, packageFolder)
    expect(server.takenOver).toBe(false)
    expect(await postmasterOf(path.join(folder, 'data'))).not.toBe(old)
  })
})

describe('two starts of one folder', () => {
  test('share the server within one process', async () => {
    const folder = await existingFolder()
    const [first, second] = await Promise.all([start(folder), start(folder)])
    expect([first?.takenOver, second?.takenOver].sort()).toEqual([false, true])
    await rememberRow(first!)
    await expectRow(second!)
  })

  test('in two processes at once leave one with the server and refuse the other', async () => {
    const folder = await existingFolder()
    const starters = await Promise.all([startInAnotherProcess(folder), startInAnotherProcess(folder)])
    expect(starters.map(({ word }) => word).sort()).toEqual(['EmbeddedPostgresError', 'ready'])
    const winner = starters.find(({ word }) => word === 'ready')!
    const loser = starters.find(({ word }) => word !== 'ready')!
    expect(loser.facts).toContain(`Another Rostra (process ${winner.child.pid})`)
    await rememberRow(winner.facts)
    await killAndWait(winner.child)
    await expectRow(await start(folder))
  })
})

describe('the binaries', () => {
  async function copyOfPackage(name: string): Promise<string> {
    const copy = path.join(home, name)
    await fs.cp(findPackage(), copy, { recursive: true, verbatimSymlinks: true })
    const links = await fs.readFile(path.join(copy, 'native', 'pg-symlinks.json'), 'utf8')
    for (const { target } of JSON.parse(links) as { target: string }[]) {
      await fs.rm(path.join(copy, target), { force: true })
    }
    return copy
  }

  test('get their library links when install scripts were blocked', async () => {
    const packageFolder = await copyOfPackage('package-without-links')
    await start(newFolder(), packageFolder)
    expect(logged.join()).not.toContain('copying')
  })

  test.skipIf(isRoot)(
    'are copied when their links are missing and the package is read-only (not as root)',
    async () => {
      const packageFolder = await copyOfPackage('read-only-package')
      const library = path.join(packageFolder, 'native', 'lib')
      await fs.chmod(library, 0o555)
      const folder = newFolder()
      await (await start(folder, packageFolder)).stop()
      expect(logged.join()).toContain('copying')
      await start(folder, packageFolder)
      await fs.chmod(library, 0o755)
      await fs.rm(packageFolder, { recursive: true })
    },
  )

  test.runIf(isRoot)('are copied when they are below a closed folder (as root only)', async () => {
    const closed = path.join(home, 'closed')
    await fs.mkdir(closed, { mode: 0o700 })
    const packageFolder = await copyOfPackage('closed/package')
    const folder = newFolder()
    await fs.mkdir(path.join(folder, 'binaries-18.4.0-beta.17.new-1'), { recursive: true })
    await fs.chmod(folder, 0o711)
    await rememberRow(await start(folder, packageFolder))
    expect((await fs.readdir(folder)).filter((name) => name.startsWith('binaries'))).toHaveLength(1)
  })

  test('are missing with advice on a platform without them', () => {
    const on = (platform: string, arch: string, files: string[] = []) =>
      refusalOf((async () => findPackage({ platform, arch, fileExists: (file) => files.includes(file) }))())
    return Promise.all([
      expect(on('freebsd', 'x64')).resolves.toMatch(/no embedded PostgreSQL for freebsd-x64.*Set DATABASE_URL/),
      expect(on('linux', 'x64')).resolves.toMatch(/needs a Linux with glibc.*Alpine.*Set DATABASE_URL/),
      expect(on('win32', 'arm64')).resolves.toMatch(/windows-arm64.*Set DATABASE_URL/),
    ])
  })

  test('are missing with advice when the package was not installed', async () => {
    const other = process.platform === 'darwin' ? 'win32' : 'darwin'
    const message = await refusalOf(
      (async () => findPackage({ platform: other, arch: 'x64', fileExists: existsSync }))(),
    )
    expect(message).toMatch(/is not installed.*npm install.*DATABASE_URL/)
  })
})

describe.runIf(isRoot)('as root (skipped for other users)', () => {
  test('a project below a closed folder keeps its data elsewhere and finds it again', async () => {
    const hadLibrary = existsSync('/var/lib/rostra')
    const folder = newFolder()
    await fs.mkdir(folder, { recursive: true })
    await fs.chmod(path.dirname(folder), 0o700)
    const first = await start(folder)
    const location = (await fs.readFile(path.join(folder, 'LOCATION'), 'utf8')).trim()
    try {
      expect(logged.join('\n')).toContain(location)
      expect((await fs.stat(path.join(location, 'data'))).uid).not.toBe(0)
      await rememberRow(first)
      await first.stop()
      const second = await start(folder)
      await expectRow(second)
      await second.stop()

      await fs.rm(location, { recursive: true })
      expect(await refusalOf(start(folder))).toContain('delete')
    } finally {
      await fs.rm(location, { recursive: true, force: true })
      if (!hadLibrary) await fs.rmdir('/var/lib/rostra').catch(() => undefined)
    }
  })

  test('data that exists below a folder closed later is not replaced by an empty database', async () => {
    const folder = await existingFolder()
    await fs.chmod(path.dirname(folder), 0o700)
    expect(await refusalOf(start(folder))).toContain('cannot get there')
    expect(existsSync(path.join(folder, 'LOCATION'))).toBe(false)
  })
})

describe('a start is refused in plain words', () => {
  test('when the data is of another PostgreSQL', async () => {
    const folder = await existingFolder()
    await fs.writeFile(path.join(folder, 'data', 'PG_VERSION'), '17\n')
    expect(await refusalOf(start(folder))).toMatch(/made by PostgreSQL 17, and this Rostra brings PostgreSQL 18/)
    await fs.writeFile(path.join(folder, 'data', 'PG_VERSION'), '18\n')
    await start(folder)
  })

  test('when something else is in the data folder', async () => {
    const folder = newFolder()
    await fs.mkdir(path.join(folder, 'data'), { recursive: true })
    await fs.writeFile(path.join(folder, 'data', 'holiday.jpg'), '')
    expect(await refusalOf(start(folder))).toContain('does not contain a PostgreSQL database')
  })

  test('when a file is in the way', async () => {
    const folder = newFolder()
    await fs.writeFile(path.join(home, `case-${made}`), '')
    expect(await refusalOf(start(folder))).toMatch(/is a file, not a folder|A file is in the way/)
  })

  test.skipIf(isRoot)('when the folder may not be written (not as root)', async () => {
    const folder = newFolder()
    await fs.mkdir(path.dirname(folder), { mode: 0o555 })
    expect(await refusalOf(start(folder))).toContain('may not read and write')
  })

  test('when the server does not accept its own configuration', async () => {
    const folder = await existingFolder()
    await fs.writeFile(path.join(folder, 'data', 'postgresql.conf'), 'no_such_setting = 1\n')
    expect(await refusalOf(start(folder))).toContain('no_such_setting')
    expect(existsSync(path.join(folder, 'owner'))).toBe(false)
  })
})
