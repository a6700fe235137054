import type { Caller } from '../declaring/caller.ts'
import type { RequestFacts } from '../declaring/operation.ts'
import { unusedWindow, writeLimitHeaders } from '../limits/limit-headers.ts'
import type { Authenticate, Exchange, FaultSource, HttpResponse } from '../serving/serve-request.ts'
import type { Problem } from '../writing/problem.ts'
import { type FailureMaker, type FailureName, type FaultTarget, NAMES_ABOUT_CALLER } from './failure.ts'
import type { FaultRow } from './fault.statements.ts'
import type { FaultList, RequestFault } from './fault-list.ts'
import { fits } from './fault-pattern.ts'
import { pauseUnless } from './pause-unless.ts'

/** The operator must always reach the server: these never fail on purpose. */
const EXEMPT = /^\/(?:_rostra\/|health$)/

interface FaultOptions {
  authenticate: Authenticate
  /** The app that a request names, without any check: a signature can be checked only once. */
  namedApp(request: RequestFacts): Promise<{ id: string; name: string } | undefined>
  /** How a route refuses. */
  makerFor(target: FaultTarget): FailureMaker
}

/** Makes requests fail as the faults in the list say. */
export class RequestFaults implements FaultSource {
  readonly #list: FaultList
  readonly #options: FaultOptions

  constructor(list: FaultList, options: FaultOptions) {
    this.#list = list
    this.#options = options
  }

  get areSet(): boolean {
    return this.#list.hasRequestFaults
  }

  /**
   * Lets the first fault happen that applies to a request, and a delay before it. After anything but a delay the operation is not
   * executed.
   */
  async meet(exchange: Exchange, target: FaultTarget): Promise<Problem | HttpResponse | undefined> {
    if (EXEMPT.test(target.path)) return undefined
    let isDelayed = false
    // In the order in which they were added. Each asks the database, but few fit a request.
    for (const fault of matching(await this.#list.requests(), exchange, target)) {
      const { row } = fault
      if (isDelayed && row.effect === 'delay') continue
      const caller = await this.#callerFor(row, exchange, target)
      if (caller === 'another') continue
      if (!(await this.#list.take(row))) continue
      exchange.notes.fault = { id: row.id, effect: row.effect, ...(row.value === '' ? {} : { value: row.value }) }
      if (row.effect !== 'delay') return this.#failed(row, exchange, target, caller)
      isDelayed = true
      // A server that is slow does what it was asked for, also for a client that has gone away.
      await pauseUnless(Number(row.value), this.#list.stopping)
    }
    return undefined
  }

  /** Who calls, where the fault depends on it. */
  async #callerFor(row: FaultRow, exchange: Exchange, target: FaultTarget): Promise<Caller | undefined | 'another'> {
    const isForSome = row.app_id !== null || row.user_id !== null
    if (target.family === undefined) {
      if (!isForSome) return undefined
      // Endpoints check credentials in their own ways.
      const app = row.user_id === null ? await this.#options.namedApp(exchange.facts) : undefined
      return app !== undefined && app.id === row.app_id ? undefined : 'another'
    }
    if (!isForSome && !NAMES_ABOUT_CALLER.has(row.value)) return undefined
    // A caller without valid credentials gets the usual refusal.
    const caller = await this.#options.authenticate(exchange.facts, exchange.notes).catch(() => undefined)
    if (!caller) return 'another'
    if (row.app_id !== null && caller.app.id !== row.app_id) return 'another'
    if (row.user_id !== null && caller.user?.id !== row.user_id) return 'another'
    noteCaller(caller, exchange, target)
    return caller
  }

  /** Notes for the log who calls, as far as that has no effect: the client may send the same signature again. */
  async #identify(exchange: Exchange, target: FaultTarget): Promise<void> {
    const { notes, facts } = exchange
    if (notes.caller) return
    const isBearer = /^Bearer\s/i.test(String(facts.headers.authorization ?? ''))
    if (!isBearer) notes.app = await this.#options.namedApp(facts)
    else if (target.family !== undefined) noteCaller(await this.#options.authenticate(facts, notes), exchange, target)
  }

  async #failed(
    { effect, value }: FaultRow,
    exchange: Exchange,
    target: FaultTarget,
    caller: Caller | undefined,
  ): Promise<Problem | HttpResponse> {
    await this.#identify(exchange, target).catch(() => undefined)
    showLimit(exchange, target)
    if (effect === 'malformed') return { status: 200, text: BROKEN_JSON, headers: JSON_HEADERS }
    if (effect === 'drop' && value !== '0')
      return { status: 200, text: partOfAnswer(Number(value)), headers: JSON_HEADERS, isCut: true }
    if (effect === 'stall') await pauseUnless(Number(value), this.#list.stopping, exchange.request.raw.socket)
    if (effect === 'stall' || effect === 'drop') return { status: 0, text: '', headers: {}, isCut: true }
    const failure = effect === 'status' ? Number(value) : (value as FailureName)
    const facts = { method: target.method, route: target.path, path: pathOf(exchange), caller }
    const problem = this.#options.makerFor(target)(failure, facts)
    if (failure === 429 || failure === 'rate-limited') exchange.headers['x-rate-limit-remaining'] = '0'
    return problem
  }
}

function noteCaller(caller: Caller, exchange: Exchange, target: FaultTarget): void {
  exchange.notes.caller = caller
  if (target.legacy && caller.app.naming === 'legacy') exchange.naming = target.legacy
}

/** The limit headers of the caller. The first headers have the limit of apps. */
function showLimit({ headers, notes, facts }: Exchange, { windowOf }: FaultTarget): void {
  // Only users sign requests to operations.
  const hasUser = notes.caller ? notes.caller.user : !/^Bearer\s/i.test(String(facts.headers.authorization ?? ''))
  if (windowOf) writeLimitHeaders(headers, 'x-rate-limit', unusedWindow(windowOf(hasUser ? 'user' : 'app')))
}

/** Authenticates a request at most once: faults may need the caller before the operation does, and a nonce works only once. */
export const onceForEachRequest =
  (authenticate: Authenticate): Authenticate =>
  (request, notes) => {
    notes.authentication ??= authenticate(request, notes)
    return notes.authentication
  }

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' }
const BROKEN_JSON = '{"data":[{"id":"1","text":"This answer is not'
const BEGINNING = '{"data":[{"id":"1","text":"'

/** The first bytes of an answer that does not end. */
const partOfAnswer = (bytes: number): string => (BEGINNING + 'a'.repeat(bytes)).slice(0, bytes)

const pathOf = ({ request }: Exchange) => (request.params ?? {}) as Record<string, string>

function matching(faults: readonly RequestFault[], exchange: Exchange, target: FaultTarget): RequestFault[] {
  if (faults.length === 0) return []
  const { legacy, method } = target
  const values = Object.values(pathOf(exchange))
  // The path as it was sent, and as the route has it: an address may have a mount or an older version.
  const sent = exchange.facts.path
  const served = target.path.replace(/\{[^}]+\}/g, () => encodeURIComponent(values.shift() ?? ''))
  const neutral = legacy?.restore(sent) ?? sent
  const mount = neutral.endsWith(served) ? neutral.slice(0, -served.length) : ''
  const request = { method, paths: [neutral, served], routes: [target.path, mount + target.path], legacy }
  return faults.filter(({ pattern }) => fits(pattern, request))
}
