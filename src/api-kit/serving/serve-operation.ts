import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../declaring/caller.ts'
import type { Input, Operation, RequestFacts } from '../declaring/operation.ts'
import type { ParameterReader, QueryValues } from '../declaring/parameters.ts'
import { misfit } from '../declaring/parameters.ts'
import type { TSchema } from '../declaring/schema.ts'
import type { LimitState } from '../limits/rate-limiter.ts'
import { isLegacyName, type Naming, neutral } from '../naming/naming.ts'
import { renameSchema, usesSpelling } from '../naming/rename-schema.ts'
import { compileBody, parseJsonBody } from '../reading/body.ts'
import { readFormBody } from '../reading/form-body.ts'
import { readContext } from '../reading/read-context.ts'
import { readQuery } from '../reading/request-query.ts'
import type { Runtime } from '../runtime.ts'
import { Answer, StreamAnswer, WithHeaders } from '../writing/answer.ts'
import { AsGiven } from '../writing/problem.ts'
import { type Fault, invalidRequest, tooManyRequests } from '../writing/problems.ts'
import { compileWriter } from '../writing/writer.ts'
import { passGate } from './gate.ts'
import { type Exchange, type Headers, type HttpResponse, type ServeOptions, serveRequest } from './serve-request.ts'

/** An operation made ready to run in one naming. */
interface Ready {
  naming: Naming
  readers: [name: string, read: ParameterReader<unknown>][]
  allowed: Set<string>
  readBody: ((value: unknown) => unknown) | undefined
  write: (value: unknown) => string
}

function makeReady(operation: Operation, naming: Naming): Ready {
  const described = Object.entries(operation.query).flatMap(([name, parameter]) => parameter.describe(name))
  return {
    naming,
    readers: Object.entries(operation.query).map(([name, parameter]) => [name, parameter.compile(name, naming)]),
    allowed: new Set(described.map((item) => naming.rename(item.name))),
    readBody: operation.body ? compileBody(operation.body, naming) : undefined,
    write: compileWriter(operation.reply, naming) as (value: unknown) => string,
  }
}

/** Compiles what an operation needs in both namings; at run time it happens on first use, tests do it for all. */
export function compileOperation(operation: Operation, namings: readonly Naming[]): void {
  for (const naming of namings) makeReady(operation, naming)
}

/** Makes the request handler of one route of an operation. `spoken` is the naming that the path itself shows. */
export function serveOperation(
  operation: Operation,
  spoken: Naming | undefined,
  serveOptions: ServeOptions,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const { runtime, legacy } = serveOptions
  const ready: (Ready | undefined)[] = []
  const readyIn = (naming: Naming): Ready => {
    ready[naming.index] ??= makeReady(operation, naming)
    return ready[naming.index]!
  }
  // Only these parameters hold identifiers of the interface; the values of the others are people's words.
  const identifierParameters = new Set(
    Object.entries(operation.query)
      .flatMap(([name, parameter]) => parameter.describe(name))
      .filter((item) => item.schema.enum || item.schema.items?.enum)
      .map((item) => item.name),
  )
  return serveRequest(serveOptions, operation, async (exchange) => {
    exchange.headers['content-disposition'] = 'attachment; filename=json.json'
    const query = readQuery(exchange.facts.rawQuery)
    exchange.naming = spokenNaming(spoken, query, exchange.facts, serveOptions, identifierParameters)
    if (operation.auth !== 'none') {
      const caller = await serveOptions.authenticate(exchange.facts, exchange.notes)
      exchange.notes.caller = caller
      if (caller.app.naming === 'legacy') exchange.naming = legacy
      exchange.headers['x-access-level'] = accessLevel(caller)
      passGate(operation, caller, runtime.baseUrl)
      await countUse(operation, caller, runtime, exchange.headers)
    }
    return run(operation, readyIn, query, exchange, serveOptions)
  })
}

async function run(
  operation: Operation,
  readyIn: (naming: Naming) => Ready,
  query: QueryValues,
  exchange: Exchange,
  serveOptions: ServeOptions,
): Promise<HttpResponse> {
  const { runtime, legacy } = serveOptions
  const { facts } = exchange
  const json = operation.body ? await parseBody(operation, operation.body, facts) : undefined
  if (operation.body && exchange.naming.id === 'neutral' && usesSpelling(operation.body, legacy, json))
    exchange.naming = legacy
  const { naming } = exchange
  const ready = readyIn(naming)
  const caller = exchange.notes.caller as Caller
  const input: Input<unknown, unknown, unknown> = {
    path: readPath(operation, exchange.request.params as Record<string, string>, naming, legacy),
    query: readArguments(ready, query, naming),
    body: readBody(operation, ready, json),
    caller,
    runtime,
    naming,
    request: facts,
    context: readContext(runtime, caller, naming),
  }
  const answer = await operation.handle(input as never)
  if (answer instanceof Answer) {
    return {
      status: answer.status ?? operation.status,
      text: answer.text,
      headers: { 'content-type': answer.contentType, ...answer.headers },
    }
  }
  if (answer instanceof StreamAnswer) {
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    return { status: operation.status, text: '', headers, stream: answer }
  }
  const [value, more] = answer instanceof WithHeaders ? [answer.value, answer.headers] : [answer, undefined]
  const headers = { 'content-type': 'application/json; charset=utf-8', ...more }
  return { status: operation.status, text: ready.write(value), headers }
}

async function parseBody(operation: Operation, schema: TSchema, { body, headers }: RequestFacts): Promise<unknown> {
  const type = headers['content-type']
  if (!operation.bodyAsForm) return parseJsonBody(body, type as string | undefined)
  const form = await readFormBody(body, type as string | undefined, schema)
  return form ?? parseJsonBody(body, type as string | undefined, 'multipart/form-data')
}

function readBody(operation: Operation, ready: Ready, json: unknown): unknown {
  if (!ready.readBody) return undefined
  // Libraries that always send a body send an empty object where there is nothing to say.
  if (operation.bodyOptional && (json === undefined || isEmptyObject(json))) return undefined
  if (json !== undefined) return ready.readBody(json)
  throw invalidRequest([{ parameters: {}, message: 'The request needs a JSON body.' }])
}

const isEmptyObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0

function readPath(
  operation: Operation,
  params: Record<string, string>,
  naming: Naming,
  legacy: Naming,
): Record<string, string> {
  const path: Record<string, string> = {}
  const faults: Fault[] = []
  for (const [name, schema] of Object.entries(operation.pathSchemas)) {
    const given = params[name] ?? params[naming.rename(name)] ?? ''
    // The words of an enumeration are taken in both spellings: nothing else in such a path tells the naming.
    const value = schema.enum ? legacy.restore(given) : given
    const why = given.includes('\0')
      ? `The \`${name}\` query parameter value is not valid`
      : schema.enum
        ? misfit(renameSchema(schema, naming), naming.rename(name), naming.rename(value))
        : misfit(schema, naming.rename(name), value)
    if (why !== undefined) faults.push({ parameters: { [name]: [given.replaceAll('\0', '')] }, message: why })
    path[name] = value
  }
  if (faults.length > 0) throw invalidRequest(faults)
  return path
}

function readArguments(ready: Ready, query: QueryValues, naming: Naming): Record<string, unknown> {
  const faults: Fault[] = []
  const spelled = new Map<string, string[]>()
  for (const [name, values] of query) {
    // Signing parameters may travel in the query.
    if (name.startsWith('oauth_')) continue
    const own = naming.rename(name)
    // In both spellings it is one parameter given twice.
    if (ready.allowed.has(own)) spelled.set(own, [...(spelled.get(own) ?? []), ...values])
    else
      faults.push({
        parameters: new AsGiven({ [name]: values }),
        message: `The query parameter [${name}] is not one of [${[...ready.allowed].join(',')}]`,
      })
  }
  const values: Record<string, unknown> = {}
  for (const [name, read] of ready.readers) values[name] = read(spelled, faults)
  if (faults.length > 0) throw invalidRequest(faults)
  return values
}

// Words of the query say most: some client libraries send neutral parameters to legacy paths. Then path and host count.
function spokenNaming(
  spoken: Naming | undefined,
  query: QueryValues,
  facts: RequestFacts,
  serveOptions: ServeOptions,
  identifierParameters: Set<string>,
): Naming {
  const { legacy } = serveOptions
  const spokenByQuery = namingOf(query, identifierParameters, legacy)
  if (spokenByQuery) return spokenByQuery
  if (spoken?.id === 'legacy') return legacy
  const host = facts.headers.host as string | undefined
  return host !== undefined && serveOptions.legacyHosts.has(host.split(':')[0]!) ? legacy : neutral
}

/** The naming that a query's identifiers show: legacy when one is legacy, neutral when one would be spelled otherwise there. */
function namingOf(query: QueryValues, identifierParameters: Set<string>, legacy: Naming): Naming | undefined {
  let found: Naming | undefined
  const look = (word: string) => {
    if (isLegacyName(legacy, word)) found = legacy
    else if (found !== legacy && legacy.rename(word) !== word) found = neutral
  }
  for (const [name, values] of query) {
    look(name)
    // The lists come again and again, and the naming remembers what it was asked.
    if (identifierParameters.has(legacy.restore(name))) for (const value of values) look(value)
  }
  return found
}

/** Counts a use by the user, or by the app alone; where only users may call, the app's own bound holds for all of them. */
async function countUse(operation: Operation, caller: Caller, runtime: Runtime, headers: Headers): Promise<void> {
  if (runtime.rateLimits === 'off') return
  const takesApps = operation.auth !== 'none' && operation.auth.app === true
  if (caller.user) await countPool(operation, 'user', `${caller.app.id}:${caller.user.id}`, runtime, headers)
  if (!caller.user || !takesApps) await countPool(operation, 'app', caller.app.id, runtime, headers)
}

async function countPool(
  operation: Operation,
  pool: 'user' | 'app',
  owner: string,
  runtime: Runtime,
  headers: Headers,
): Promise<void> {
  for (const window of operation.limits[pool]) {
    const name = `${window.pool ?? operation.id}:${pool}:${owner}:${window.seconds}`
    const state = await runtime.limiter.take(name, window)
    limitHeaders(headers, state, window.seconds, pool)
    if (state.exceeded)
      throw tooManyRequests(`${window.limit} requests per ${window.seconds} s of this ${pool} are used up`)
  }
}

/** The first window is told under the common names, a day's under its own; one that refuses takes the common names over. */
function limitHeaders(headers: Headers, state: LimitState, seconds: number, pool: 'user' | 'app'): void {
  const isFirst = headers['x-rate-limit-limit'] === undefined
  if (isFirst || state.exceeded) writeLimitState(headers, 'x-rate-limit', state)
  if (!isFirst && seconds === DAY_S) writeLimitState(headers, `x-${pool}-limit-24hour`, state)
}

function writeLimitState(headers: Headers, prefix: string, state: LimitState): void {
  headers[`${prefix}-limit`] = String(state.limit)
  headers[`${prefix}-remaining`] = String(state.remaining)
  headers[`${prefix}-reset`] = String(state.reset)
}

const DAY_S = 86_400

const accessLevel = (caller: Caller): string =>
  caller.level === 'read-write-messages' ? 'read-write-directmessages' : caller.level
