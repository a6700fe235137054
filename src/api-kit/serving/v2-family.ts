import { accessLevel, type Caller } from '../declaring/caller.ts'
import type { Input, Operation } from '../declaring/operation.ts'
import type { ParameterDescription } from '../declaring/parameters.ts'
import type { TSchema } from '../declaring/schema.ts'
import { describeV2 } from '../describing/describe-v2.ts'
import type { Family, Phases } from '../family.ts'
import { unusedWindow, writeLimitHeaders } from '../limits/limit-headers.ts'
import { countOperationUse, firstWindow, windowOf } from '../limits/operation-limit.ts'
import type { ReturnedObjects } from '../limits/returned-objects.ts'
import { type Naming, neutral } from '../naming/naming.ts'
import { usesNeutralSpelling, usesSpelling } from '../naming/rename-schema.ts'
import { spokenNaming } from '../naming/spoken-naming.ts'
import { requestContext } from '../reading/read-context.ts'
import { compileInput, type InputReader, parseBody, readArguments, readBody, readPath } from '../reading/read-input.ts'
import { readQuery } from '../reading/request-query.ts'
import { ALWAYS_ASKED } from '../reading/selection.ts'
import { Answer, BytesAnswer, StreamAnswer, WithHeaders } from '../writing/answer.ts'
import { Problem } from '../writing/problem.ts'
import { blank, unauthorized } from '../writing/problems.ts'
import { compileWriter } from '../writing/writer.ts'
import { addDeprecation, noteDeprecatedUse } from './deprecation.ts'
import { passGate } from './gate.ts'
import { type PathWords, pathHints, pathWords } from './nearest-path.ts'
import { type Exchange, type HttpResponse, problemResponse, type ServeOptions } from './serve-request.ts'

/** What version 2 keeps of a request: its query, read once. */
interface V2State {
  query: Map<string, string[]>
  /** The objects of the answer, where they are counted. */
  returned: ReturnedObjects | undefined
  /** Path, query and host use neither spelling. */
  isUnspoken: boolean
}

/** The family of version 2. */
export function v2Family(facts: {
  version: string
  operations: readonly Operation[]
  reference: readonly string[]
  later?: readonly string[]
  legacy: Naming
  scopes: ReadonlySet<string>
}): Family<Operation, V2State> {
  const { version, operations, reference, later = [], legacy, scopes } = facts
  const hint = pathHints(operations, legacy)
  const wordsOf = pathWords(operations, legacy)
  const notFound = (method: string, path: string) =>
    blank(404, `There is no ${method} ${path} here.${hint(method, path)}`)
  return {
    id: 'v2',
    title: 'Version 2',
    version,
    operations,
    reference,
    later,
    legacy,
    document: describeV2(scopes),
    covers: (url) => /^\/2(?:\/|\?|$)/.test(url),
    check: ({ id, auth }) => {
      for (const scope of auth === 'none' ? [] : (auth.oauth2 ?? []))
        if (!scopes.has(scope)) throw new Error(`${id} asks for the unknown scope ${scope}`)
    },
    compile: (operation, naming) => void compileOperation(operation, naming),
    windowOf,
    phases: (operation, pathNaming, options) =>
      v2Phases(operation, { legacy, pathNaming, words: wordsOf(operation), notFound }, options),
    asRecorded,
    refuse: (problem, naming, _state, baseUrl) => problemResponse(problem, naming, baseUrl),
    notFound,
    notBuilt: ({ id, method, path }) => blank(501, `The operation ${id} (${method} ${path}) is not built yet.`),
  }
}

/** An operation that is ready to run in one naming. */
export interface CompiledOperation {
  input: InputReader
  write: (value: unknown) => string
}

const compileOperation = (operation: Operation, naming: Naming): CompiledOperation => ({
  input: compileInput(operation, naming),
  write: compileWriter(operation.reply, naming) as (value: unknown) => string,
})

const compiled = new WeakMap<Operation, CompiledOperation[]>()

/** An operation in one naming, compiled at its first use: most processes see only a few of them. */
export function compiledIn(operation: Operation, naming: Naming): CompiledOperation {
  const known = compiled.get(operation) ?? []
  compiled.set(operation, known)
  known[naming.index] ??= compileOperation(operation, naming)
  return known[naming.index]!
}

/** How the path of an operation is read. */
interface PathFacts {
  legacy: Naming
  pathNaming: Naming | undefined
  words: PathWords
  notFound: (method: string, path: string) => Problem
}

function v2Phases(
  operation: Operation,
  { legacy, pathNaming, words, notFound }: PathFacts,
  options: ServeOptions,
): Phases<V2State> {
  const { runtime, platform } = options
  const window = firstWindow(operation)
  const { meter } = options
  // Writes may return what they have made: that is not a read.
  const isCounted = meter !== undefined && operation.method === 'GET'
  const ownsData = operation.path.startsWith('/2/users/{id}/')
  const described = describedParameters(operation)
  const identifiers = identifierParameters(described)
  const fallback = options.defaultNaming === 'legacy' ? legacy : neutral
  const alwaysAsked = Object.entries(platform.alwaysAsked).map((pair) => pair.join('='))
  // The setting of an app is stronger than the words of a body.
  const speaksNeutral = (body: TSchema, json: unknown, { notes }: Exchange): boolean =>
    notes.caller?.app.naming !== 'legacy' &&
    usesNeutralSpelling(body, legacy, json) &&
    !usesSpelling(body, legacy, json)
  return {
    begin: (exchange) => {
      exchange.headers['content-disposition'] = 'attachment; filename=json.json'
      writeLimitHeaders(exchange.headers, 'x-rate-limit', unusedWindow(window))
      // `DELETE /2/posts/analytics` is not about a post with this id.
      if (words.isAmong(exchange.request.params as Record<string, string>))
        throw notFound(operation.method, exchange.facts.path)
      if (operation.deprecated) addDeprecation(exchange.headers, operation.deprecated, exchange.facts.baseUrl)
      const query = readQuery(exchange.facts.rawQuery)
      const { isPlatformHost } = exchange.facts
      const spoken = spokenNaming(legacy, { path: pathNaming, query, isPlatformHost }, identifiers)
      exchange.naming = spoken ?? fallback
      if (isPlatformHost) query.set(ALWAYS_ASKED, alwaysAsked)
      return { query, returned: isCounted ? [] : undefined, isUnspoken: !spoken }
    },
    admit: async (exchange, { isUnspoken }) => {
      if (operation.auth === 'none') return
      const caller = await options.authenticate(exchange.facts, exchange.notes)
      exchange.notes.caller = caller
      if (
        caller.app.naming === 'legacy' ||
        (isUnspoken && options.defaultNaming === 'auto' && caller.grantNaming === 'legacy')
      )
        exchange.naming = legacy
      exchange.headers['x-access-level'] = accessLevel(caller)
      if (operation.deprecated) noteDeprecatedUse(operation.id, operation.deprecated, caller, runtime)
      passGate(operation, caller)
      await countOperationUse(operation, caller, runtime, exchange.headers)
      const admitting = meter?.admit(caller, operation)
      if (admitting) await admitting
    },
    read: async (exchange, { query, returned, isUnspoken }) => {
      const { facts } = exchange
      const json = operation.body ? await parseBody(operation, operation.body, facts) : undefined
      if (operation.body && exchange.naming.id === 'neutral' && usesSpelling(operation.body, legacy, json))
        exchange.naming = legacy
      else if (
        isUnspoken &&
        exchange.naming !== neutral &&
        operation.body &&
        speaksNeutral(operation.body, json, exchange)
      )
        exchange.naming = neutral
      const { naming } = exchange
      const { input } = compiledIn(operation, naming)
      const caller = exchange.notes.caller as Caller
      const context = requestContext(runtime, caller, naming, facts)
      if (returned) context.returned = returned
      return {
        path: readPath(operation, exchange.request.params as Record<string, string>, { naming, legacy, words }),
        query: readArguments(input, query, naming),
        body: readBody(operation, input, json),
        caller,
        runtime,
        naming,
        request: facts,
        context,
      } satisfies Input<unknown, unknown, unknown>
    },
    write: (result, exchange, { returned }) => {
      const { caller } = exchange.notes
      if (meter && caller) {
        const ofOwnData = ownsData && (exchange.request.params as { id?: string }).id === caller.user?.id
        exchange.notes.cost = meter.count(caller, operation, returned ?? [], { ofOwnData })
      }
      return writeResult(operation, compiledIn(operation, exchange.naming), result)
    },
  }
}

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' }

function writeResult(operation: Operation, compiled: CompiledOperation, result: unknown): HttpResponse {
  if (result instanceof Answer) {
    return {
      status: result.status ?? operation.status,
      text: result.text,
      headers: { 'content-type': result.contentType, ...result.headers },
    }
  }
  if (result instanceof BytesAnswer) return { status: result.status, text: '', headers: result.headers, bytes: result }
  if (result instanceof StreamAnswer)
    return { status: operation.status, text: '', headers: JSON_HEADERS, stream: result }
  const [value, more] = result instanceof WithHeaders ? [result.value, result.headers] : [result, undefined]
  const headers = more ? { ...JSON_HEADERS, ...more } : JSON_HEADERS
  return { status: operation.status, text: compiled.write(value), headers }
}

const describedParameters = (operation: Operation): ParameterDescription[] =>
  Object.entries(operation.query).flatMap(([name, parameter]) => parameter.describe(name))

/** Only these parameters have identifiers of the interface as values; the values of the others are free text. */
const identifierParameters = (described: readonly ParameterDescription[]): Set<string> =>
  new Set(described.filter((item) => item.schema.enum || item.schema.items?.enum).map((item) => item.name))

const AUTHENTICATION_TYPES: ReadonlySet<unknown> = new Set(['unsupported-authentication', 'oauth1-permissions'])

/**
 * The platform answers an invalid token like any wrong credential, and what it refuses after the checks of access, as JSON
 * without the type of a problem. The seed decides otherwise for all other addresses.
 */
function asRecorded(problem: Problem): Problem {
  if (problem.cause === 'token-invalid') return unauthorized(problem.reason ?? 'the token is not valid')
  const isRule = problem.status === 403 && problem.body.detail !== 'Forbidden'
  if (problem.status !== 400 && (!isRule || AUTHENTICATION_TYPES.has(problem.body.type))) return problem
  const contentType = 'application/json; charset=utf-8'
  const recorded = new Problem(problem.status, problem.body, {
    contentType,
    ...(problem.reason === undefined ? {} : { reason: problem.reason }),
  })
  recorded.headers = problem.headers
  return recorded
}
