import pg from 'pg'
import { inject } from 'vitest'
import type { Runtime } from '../../src/api-kit/runtime.ts'
import { createServer, disconnectStreams, singletons, startWork } from '../../src/app.ts'
import { startSequencer } from '../../src/events/sequencer.ts'
import { createLogger } from '../../src/process/logger.ts'
import { createLocalBus } from '../../src/process/process-bus.ts'
import { readSettings } from '../../src/settings.ts'
import { createRuntime } from '../../src/start/create-runtime.ts'
import { readCredentials } from '../../src/start/credentials-file.ts'
import { type Database, openDatabase, transaction } from '../../src/storage/database.ts'
import { readSnapshot, WorldRestorer } from '../../src/world/snapshots/restore-snapshot.ts'
import { FIRST_WORLD, removeSnapshot } from '../../src/world/snapshots/store-snapshot.ts'
import { type FirstCredentials, TEMPLATE_DATABASE, TEST_SECRET_KEY } from './facts.ts'
import { type SigningKeys, sign } from './sign.ts'

/** Who a test request comes from: an app by index, a user of the first app by name, a ready header, or nobody. */
export type As =
  | 'app'
  | 'second-app'
  | 'nobody'
  | { user: string }
  | { bearer: string }
  | { keys: SigningKeys }
  | { header: string }

export interface TestAnswer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look at members of answers whose shape they assert.
  body: any
}

/** A server for one test file: real HTTP, a database copied from the template. */
export interface TestServer {
  baseUrl: string
  runtime: Runtime
  credentials: FirstCredentials
  get(path: string, as?: As): Promise<TestAnswer>
  post(path: string, body: unknown, as?: As): Promise<TestAnswer>
  put(path: string, body: unknown, as?: As): Promise<TestAnswer>
  delete(path: string, as?: As): Promise<TestAnswer>
  /** Any request: `form` is sent form-encoded and signed, `json` as JSON, `raw` as it is. */
  request(
    method: string,
    path: string,
    options: { as?: As; json?: unknown; form?: Record<string, string>; raw?: string; headers?: Record<string, string> },
  ): Promise<TestAnswer>
  /** A command of the control interface; throws when it is refused. */
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  command(name: string, args?: Record<string, unknown>): Promise<any>
  /** A command of the control interface, refused or not. */
  tryCommand(name: string, args: object): Promise<TestAnswer>
  /** Id of a first-world user. */
  userId(username: string): string
  /** Signing keys of a first-world user for the first app. */
  keysOf(username: string): SigningKeys
  close(): Promise<void>
}

async function settled(runtime: Runtime): Promise<void> {
  const waiting = { text: 'select exists (select from event_outbox) as waits' }
  while ((await runtime.database.query<{ waits: boolean }>(waiting)).rows[0]!.waits)
    await new Promise((resolve) => setTimeout(resolve, 5))
}

// Tests may have moved or left these, which belong to the installation and not to the world. The row of the nonces is the one of
// a new database: without it a server takes the nonces for lost, and waits for the next second before it listens.
const EMPTY_INSTALLATION = `
  delete from event_reader;
  update event_head set place = 0;
  delete from oauth1_nonce;
  insert into oauth1_nonce (api_key, nonce, signed_at) values ('', '', 0);
  delete from audit_entry;
  delete from console_session;
  delete from instance_fact where name in ('clock_reached_ms', 'clock_frozen_spent_ms', 'deterministic_starts', 'console_codes_used')`

let databases = 0
/** Databases of closed servers of this process. */
const unused: string[] = []
/** The connections on which they are restored, by name. They stay open: their plans take longer than the restoring. */
const restoring = new Map<string, { database: Database; restorer: WorldRestorer }>()

/** The name of a database with the first world: one that a closed server used, restored, or a new copy of the template. */
async function takeDatabase(isNew: boolean): Promise<string> {
  const connection = inject('connection')
  const used = isNew ? undefined : unused.pop()
  // A test may have made another first world.
  if (used && (await restoreFirstWorld(used))) return used
  databases += 1
  const name = `rostra_test_${process.pid}_${databases}`
  const admin = new pg.Client({ ...connection, database: 'postgres', ssl: false })
  await admin.connect()
  await admin.query(`create database ${name} template ${TEMPLATE_DATABASE} strategy file_copy`)
  await admin.end()
  templateSchema ??= await firstSchemaOf(name)
  return name
}

/** Where the template keeps the copy of its first world; the same in each copy of it. */
let templateSchema: string | undefined

async function firstSchemaOf(name: string): Promise<string> {
  const client = new pg.Client({ ...inject('connection'), database: name, ssl: false })
  await client.connect()
  const { rows } = await client.query('select schema_name from world_snapshot where name = $1', [FIRST_WORLD])
  await client.end()
  return rows[0].schema_name
}

function restoringOn(name: string) {
  let known = restoring.get(name)
  if (!known) {
    const options = { ...inject('connection'), database: name, ssl: false } as never
    const database = openDatabase(options, { connections: 1, name: 'tests' })
    known = { database, restorer: new WorldRestorer(database) }
    restoring.set(name, known)
  }
  return known
}

/** False when the database has another first world than the template. */
async function restoreFirstWorld(name: string): Promise<boolean> {
  const { database, restorer } = restoringOn(name)
  const first = await readSnapshot(database, FIRST_WORLD)
  if (first?.schemaName !== templateSchema) return false
  await restorer.restore(first!)
  await transaction(database, async (tx) => {
    const text = 'select name from world_snapshot where name <> $1'
    const { rows } = await tx.query<{ name: string }>({ text, values: [FIRST_WORLD] })
    for (const { name } of rows) await removeSnapshot(tx, name)
  })
  await database.query({ text: EMPTY_INSTALLATION })
  return true
}

export interface TestServerOptions {
  /** Events reach the log and webhooks. */
  events?: boolean
  /** A database that no other test used, for tests of what a reset keeps or of plans. */
  newDatabase?: boolean
}

/** Starts a server in this process. Rate limits are off unless asked for. */
export async function startTestServer(flags: string[] = [], options: TestServerOptions = {}): Promise<TestServer> {
  const connection = inject('connection')
  const name = await takeDatabase(options.newDatabase ?? false)

  // The port is part of every address that the server writes, so it is found before the runtime is created.
  const limits = flags.includes('--rate-limits') ? [] : ['--rate-limits', 'off']
  const port = await freePort()
  // The address that tests use is the one that links in answers have.
  const address = flags.includes('--public-url') ? [] : ['--public-url', `http://127.0.0.1:${port}`]
  const settings = readSettings(
    ['--port', String(port), '--secret-key', TEST_SECRET_KEY, ...limits, ...address, ...flags],
    {},
  )
  const database = openDatabase({ ...connection, database: name, ssl: false } as never, {
    connections: 5,
    name: 'tests',
  })
  const log = createLogger('fatal', 'tests')
  const sequencer = options.events ? startSequencer(() => database.connection, log) : undefined
  const runtime = createRuntime({
    settings,
    database,
    bus: { ...createLocalBus(), wake: () => sequencer?.wake() },
    log,
    machine: 1,
    secretKey: TEST_SECRET_KEY,
    singletons,
  })
  const server = createServer(runtime, settings)
  await server.listen({ port: settings.port, host: '127.0.0.1' })
  const work = options.events ? startWork(runtime) : undefined
  // The events of the first world are in the log before a test begins to listen.
  if (options.events) await settled(runtime)
  const baseUrl = `http://127.0.0.1:${settings.port}`
  const credentials = (await readCredentials(runtime)) as FirstCredentials

  const userOf = (username: string) => credentials.users.find((user) => user.username === username)!
  const keysOf = (username: string): SigningKeys => ({
    consumerKey: credentials.apps[0]!.api_key,
    consumerSecret: credentials.apps[0]!.api_key_secret,
    token: userOf(username).access_token,
    tokenSecret: userOf(username).access_token_secret,
  })
  const authorization = (as: As, method: string, url: string, form?: Record<string, string>): string | undefined => {
    if (as === 'nobody') return undefined
    if (as === 'app') return `Bearer ${credentials.apps[0]!.bearer_token}`
    if (as === 'second-app') return `Bearer ${credentials.apps[1]!.bearer_token}`
    if ('header' in as) return as.header
    if ('bearer' in as) return `Bearer ${as.bearer}`
    return sign(method, url, 'keys' in as ? as.keys : keysOf(as.user), { form })
  }
  const request: TestServer['request'] = async (method, path, options) => {
    const url = baseUrl + path
    const header = authorization(options.as ?? 'app', method, url, options.form)
    const headers: Record<string, string> = { ...(header === undefined ? {} : { authorization: header }) }
    let body: string | undefined
    if (options.form) {
      headers['content-type'] = 'application/x-www-form-urlencoded'
      body = new URLSearchParams(options.form).toString()
    } else if (options.json !== undefined) {
      headers['content-type'] = 'application/json'
      body = JSON.stringify(options.json)
    } else body = options.raw
    const answer = await fetch(url, { method, headers: { ...headers, ...options.headers }, body, redirect: 'manual' })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, text, body: parsed(text) }
  }
  const tryCommand: TestServer['tryCommand'] = (name, args) =>
    request('POST', `/_rostra/commands/${name}`, { as: { bearer: credentials.admin_key }, json: args })
  return {
    baseUrl,
    runtime,
    credentials,
    request,
    tryCommand,
    get: (path, as) => request('GET', path, { as }),
    post: (path, json, as) => request('POST', path, { as, json }),
    put: (path, json, as) => request('PUT', path, { as, json }),
    delete: (path, as) => request('DELETE', path, { as }),
    command: async (command, args = {}) => {
      const answer = await tryCommand(command, args)
      if (answer.status !== 200) throw new Error(`${command}: ${answer.status} ${answer.text}`)
      return answer.body
    },
    userId: (username) => userOf(username).id,
    keysOf,
    close: async () => {
      disconnectStreams(runtime)
      await server.close()
      await work?.stop()
      await sequencer?.stop()
      await runtime.close()
      if (!options.newDatabase) unused.push(name)
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A free port outside the range that systems give to outgoing calls. */
async function freePort(): Promise<number> {
  const { createServer: createProbe } = await import('node:net')
  for (;;) {
    // Clients refuse some lower ports, such as 10080.
    const port = 11_000 + Math.floor(Math.random() * 9_000)
    const isFree = await new Promise<boolean>((resolve) => {
      const probe = createProbe()
      probe.once('error', () => resolve(false))
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
    })
    if (isFree) return port
  }
}
