import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Naming, neutral } from '../../api-kit/naming/naming.ts'
import { compileBody, parseJsonBody } from '../../api-kit/reading/body.ts'
import { shapeOf } from '../../api-kit/serving/routes.ts'
import {
  type Exchange,
  type Outcome,
  type ServeOptions,
  serveRequest,
  unexpected,
  withoutMount,
} from '../../api-kit/serving/serve-request.ts'
import { compileWriter } from '../../api-kit/writing/writer.ts'
import { adsLegacyNaming, LEGACY_ADS_SANDBOX_HOSTS } from '../../legacy-words.ts'
import { sqlState } from '../../storage/database.ts'
import { addToEcho, type Echo, writeEcho } from './echo.ts'
import { type AdsError, AdsProblem, invalidParameter, missingParameter, refusal } from './errors.ts'
import { admit } from './gate.ts'
import { countTotalUse } from './limits.ts'
import type { AdsAnswer, AdsInput, AdsOperation } from './operation.ts'
import { asAdsProblem, gatherSent, readParams, readPath } from './read-params.ts'
import type { SentWords } from './sent-words.ts'
import { idKind } from './values.ts'

/** The version that answers; older client libraries still send the one before. */
export const ADS_VERSION = '12'
const ANSWERED_AS_CURRENT = '11'

const SANDBOX_MOUNT = '/ads-sandbox/'
const MOUNTS = ['/ads/', SANDBOX_MOUNT]

/** The route behind an address of the advertising interface: without its mount, in the version that answers. */
export function adsRoute(url: string): string {
  const mount = MOUNTS.find((item) => url.startsWith(item))
  const path = mount ? url.slice(mount.length - 1) : url
  if (path.startsWith(`/${ANSWERED_AS_CURRENT}/`)) return `/${ADS_VERSION}${path.slice(ANSWERED_AS_CURRENT.length + 1)}`
  return /^\/(?:12|5)\//.test(path) ? path : url
}

/** True for addresses that belong to the advertising interface, whether something is there or not. */
export const isAdsAddress = (url: string): boolean => /^\/(?:ads|ads-sandbox|1[0-2]|[03-9])(?:\/|\?|$)/.test(url)

/** Registers the operations in both namings. */
export function addAdsRoutes(
  server: FastifyInstance,
  operations: readonly AdsOperation[],
  serveOptions: ServeOptions,
): void {
  for (const operation of operations) {
    const paths = new Map<string, Naming | undefined>([[operation.path, undefined]])
    const legacyPath = adsLegacyNaming.rename(operation.path)
    // The names of path values differ without making another route.
    if (shapeOf(legacyPath) !== shapeOf(operation.path)) paths.set(legacyPath, adsLegacyNaming)
    for (const [path, spoken] of paths) {
      server.route({
        method: operation.method,
        url: path.replace(/\{([^}]+)\}/g, ':$1'),
        bodyLimit: operation.bodyLimit,
        exposeHeadRoute: false,
        handler: serveAdsOperation(operation, spoken, serveOptions),
      })
    }
  }
}

/** Makes the request handler of one route of an operation. */
function serveAdsOperation(
  operation: AdsOperation,
  spoken: Naming | undefined,
  serveOptions: ServeOptions,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const serve = prepare(operation)
  return serveRequest(serveOptions, operation, async (exchange) => {
    exchange.headers['x-current-api-version'] = ADS_VERSION
    if (!CURRENT_ADDRESS.test(withoutMount(exchange.request.originalUrl, serveOptions.runtime.mount)))
      exchange.headers['x-api-warn'] = `This version is deprecated; the current one is ${ADS_VERSION}.`
    if (spoken || serveOptions.legacyHosts.has(hostOf(exchange))) exchange.naming = adsLegacyNaming
    const known: Known = { echo: {}, words: undefined }
    try {
      return await serve(exchange, serveOptions, known, isSandbox(exchange, serveOptions))
    } catch (error) {
      return refuse(error, known, exchange, serveOptions, operation.id)
    }
  })
}

const CURRENT_ADDRESS = new RegExp(`^(?:/ads|/ads-sandbox)?/${ADS_VERSION}/`)

const hostOf = (exchange: Exchange): string => String(exchange.facts.headers.host ?? '').split(':')[0]!

function isSandbox(exchange: Exchange, serveOptions: ServeOptions): boolean {
  const path = withoutMount(exchange.request.originalUrl, serveOptions.runtime.mount)
  return path.startsWith(SANDBOX_MOUNT) || LEGACY_ADS_SANDBOX_HOSTS.has(hostOf(exchange))
}

const LOCK_NOT_AVAILABLE = '55P03'

/** What was read of a request so far, which a refusal tells back. */
interface Known {
  echo: Echo
  words: SentWords | undefined
}

function refuse(
  error: unknown,
  known: Known,
  exchange: Exchange,
  { runtime }: ServeOptions,
  operation: string,
): Outcome {
  const problem =
    sqlState(error) === LOCK_NOT_AVAILABLE
      ? refusal('LOCK_ACQUISITION_TIMEOUT', 'Another change of the account is under way; try again')
      : (asAdsProblem(error) ?? asAdsProblem(unexpected(error, runtime, operation))!)
  return problemOutcome(problem, exchange.naming, known.echo, known.words)
}

/** A refusal as its caller reads it. */
export function problemOutcome(problem: AdsProblem, naming: Naming, params: Echo, words?: SentWords): Outcome {
  const { errors, operationErrors } = problem
  const spell = (error: AdsError) => error.toReply(naming)
  const body = {
    ...(operationErrors ? { operation_errors: operationErrors.map((errors) => errors.map(spell)) } : {}),
    ...(errors.length > 0 || !operationErrors
      ? { errors: errors.map((error) => spell(words?.asSent(error) ?? error)) }
      : {}),
    request: problem.echo ?? { params },
  }
  return {
    status: problem.status,
    text: writeEcho(body),
    headers: { 'content-type': problem.contentType, ...problem.headers },
    reason: problem.reason,
  }
}

type Serve = (exchange: Exchange, serveOptions: ServeOptions, known: Known, sandbox: boolean) => Promise<Outcome>

function prepare(operation: AdsOperation): Serve {
  const writers: ((value: unknown) => string)[] = []
  const writerIn = (naming: Naming) => {
    writers[naming.index] ??= operation.data
      ? (compileWriter(operation.data, naming) as (value: unknown) => string)
      : () => 'null'
    return writers[naming.index]!
  }
  // Made on first use, as the writers are: most processes see few of all operations.
  let readBody: ((value: unknown) => unknown) | undefined
  const isUpdate = operation.method === 'PUT'
  return async (exchange, serveOptions, known, sandbox) => {
    const { facts } = exchange
    const { echo } = known
    const raw = exchange.request.params as Record<string, string>
    if (operation.sandboxOnly && !sandbox) throw refusal('ROUTE_NOT_FOUND', 'This call exists in the sandbox only')
    const { caller, user, account, allowlists } = await admit(
      operation,
      raw.account_id,
      sandbox,
      exchange,
      serveOptions,
    )
    const sent = gatherSent(operation, facts, adsLegacyNaming)
    known.words = sent.words
    if (sent.spokeLegacy) exchange.naming = adsLegacyNaming
    if (operation.path.includes('{account_id}')) addToEcho(echo, 'account_id', idKind, account.id, exchange.naming)
    const path = readPath(operation, raw, adsLegacyNaming)
    for (const [name, value] of Object.entries(path))
      addToEcho(
        echo,
        operation.pathParams[name]!.echoAs ?? name,
        operation.pathParams[name]!.kind,
        value,
        exchange.naming,
      )
    const { values, given, errors } = readParams(operation.params, sent.values, { isUpdate, repeated: sent.repeated })
    for (const name of given) {
      const { kind, echoAs = name } = operation.params[name]!
      addToEcho(echo, echoAs, kind, values[name], exchange.naming)
    }
    for (const name of operation.echo?.without ?? []) delete echo[exchange.naming.rename(name)]
    for (const [name, value] of Object.entries(operation.echo?.also ?? {})) echo[exchange.naming.rename(name)] = value
    if (errors.length === 0 && operation.check) errors.push(...operation.check(values))
    if (errors.length > 0) throw new AdsProblem(errors)
    let body: unknown
    if (operation.body) {
      readBody ??= compileBody(operation.body, neutral, refuseBody)
      body = readBody(restoreNames(readJson(facts), exchange))
    }
    if (values.with_total_count === true)
      await countTotalUse(serveOptions.runtime, operation.id, `${caller.app.id}:${user.id}`, exchange.headers)
    const input: AdsInput = {
      params: values,
      path,
      body,
      caller,
      user,
      account,
      allowlists,
      sandbox,
      runtime: serveOptions.runtime,
      // A batch shows only by its words how its client spells.
      get naming() {
        return exchange.naming
      },
      set naming(spoken) {
        exchange.naming = spoken
      },
      headers: exchange.headers,
      request: facts,
    }
    const answer = await operation.handle(input)
    for (const [name, value] of Object.entries(answer.alsoEchoed ?? {})) echo[exchange.naming.rename(name)] = value
    return {
      status: 200,
      text: envelope(answer, writerIn(exchange.naming), echo, operation),
      headers: { 'content-type': 'application/json; charset=utf-8' },
    }
  }
}

function readJson(facts: Exchange['facts']): unknown {
  const type = String(facts.headers['content-type'] ?? '')
  if (!/^application\/json\s*(?:;|$)/i.test(type))
    throw new AdsProblem([invalidParameter('Content-Type', 'must be application/json', type)], { status: 415 })
  const json = parseJsonBody(facts.body, type)
  if (json === undefined) throw new AdsProblem([missingParameter('body', 'the request needs a JSON body')])
  return json
}

// Members are names of the interface at every depth, so that both spellings are taken.
function restoreNames(json: unknown, exchange: Exchange): unknown {
  if (Array.isArray(json)) {
    for (let at = 0; at < json.length; at++) json[at] = restoreNames(json[at], exchange)
    return json
  }
  if (typeof json !== 'object' || json === null) return json
  const object = json as Record<string, unknown>
  for (const name of Object.keys(object)) {
    const own = adsLegacyNaming.restore(name)
    const value = restoreNames(object[name], exchange)
    if (own !== name) {
      exchange.naming = adsLegacyNaming
      if (Object.hasOwn(object, own)) throw new AdsProblem([invalidParameter(own, 'is given in both spellings')])
      delete object[name]
    }
    object[own] = value
  }
  return object
}

function refuseBody(errors: { where: string; message: string; isMissing: boolean; value: string[] }[]): AdsProblem {
  return new AdsProblem(
    errors.map(({ where, message, isMissing, value }) => {
      const parameter = where.replace(/^\$\.?/, '') || 'body'
      return isMissing ? missingParameter(parameter) : invalidParameter(parameter, message, value[0])
    }),
  )
}

function envelope(answer: AdsAnswer, write: (value: unknown) => string, echo: Echo, operation: AdsOperation): string {
  const request = answer.request === undefined ? `{"params":${writeEcho(echo)}}` : writeEcho(answer.request)
  const data =
    operation.data === undefined
      ? undefined
      : Array.isArray(answer.data) && operation.data.type !== 'array'
        ? `[${answer.data.map(write).join(',')}]`
        : write(answer.data)
  let text = `{"request":${request}`
  if (data !== undefined) text += `,"data":${data}`
  if (answer.message !== undefined) text += `,"message":${JSON.stringify(answer.message)}`
  if (answer.next_cursor !== undefined) text += `,"next_cursor":${JSON.stringify(answer.next_cursor)}`
  if (answer.total_count !== undefined) text += `,"total_count":${answer.total_count}`
  return `${text}}`
}
