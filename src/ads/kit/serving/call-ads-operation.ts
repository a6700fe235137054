import type { Caller } from '../../../api-kit/declaring/caller.ts'
import type { RequestFacts } from '../../../api-kit/declaring/operation.ts'
import { pathNames } from '../../../api-kit/describing/openapi.ts'
import { neutral } from '../../../api-kit/naming/naming.ts'
import type { Runtime } from '../../../api-kit/runtime.ts'
import { refuseWritesWhenFull } from '../../../api-kit/serving/outage-problem.ts'
import { type RequestNotes, unexpected } from '../../../api-kit/serving/serve-request.ts'
import { Problem } from '../../../api-kit/writing/problem.ts'
import { adsLegacyNaming } from '../../../legacy-words.ts'
import { AdsProblem, invalidParameter, missingParameter } from '../errors.ts'
import type { AdsOperation } from '../operation.ts'
import { compileData, problemForLock } from './ads-family.ts'
import { asAdsProblem } from './as-ads-problem.ts'
import { adsProblemResponse, writeEnvelope } from './envelope.ts'
import { admitUser } from './gate.ts'
import { type AdsExchange, readInput, type SpokenState } from './read-input.ts'
import { paramOf, type Sent } from './read-params.ts'
import { SentWords } from './sent-words.ts'

/** What an operation is called with: values of its path and its parameters, under either of their names. */
export interface AdsCallInput {
  values: Record<string, unknown>
  sandbox: boolean
}

/** The answer of an operation as a client would read it. Refusals have a status of 400 or more. */
export interface AdsCallAnswer {
  status: number
  text: string
  /** Why it was refused, in words. */
  reason: string | undefined
}

type DataWriter = ReturnType<typeof compileData>
const writers = new WeakMap<AdsOperation, DataWriter>()

function writerOf(operation: AdsOperation): DataWriter {
  const writer = writers.get(operation) ?? compileData(operation, neutral)
  writers.set(operation, writer)
  return writer
}

/**
 * Runs an operation of the advertising interface within this process for a user who is known already. Enrolment, limits, roles,
 * checks and refusals are those of a request; values are JSON instead of text. Only operations without a JSON body can be called.
 */
export async function callAdsOperation(
  runtime: Runtime,
  request: { facts: RequestFacts; notes: RequestNotes },
  caller: Caller & { user: NonNullable<Caller['user']> },
  operation: AdsOperation,
  input: AdsCallInput,
): Promise<AdsCallAnswer> {
  if (operation.body) throw new Error(`${operation.id} takes a JSON body`)
  const exchange: AdsExchange = { ...request, headers: {}, naming: neutral }
  const state: SpokenState = { sandbox: input.sandbox, echo: {}, words: undefined }
  try {
    refuseWritesWhenFull(runtime, operation)
    const { pathValues, sent } = divide(operation, input.values)
    const who = { caller, user: caller.user, accountId: pathValues.account_id, sandbox: input.sandbox }
    const admitted = await admitUser(operation, who, exchange.headers, runtime)
    const given = { admitted, pathValues, sent, readBody: () => undefined }
    const answer = await operation.handle(await readInput(operation, exchange, state, given, runtime))
    const text = writeEnvelope(answer, writerOf(operation), state.echo, operation)
    return { status: 200, text: request.facts.moveLinks(text), reason: undefined }
  } catch (error) {
    const problem =
      error instanceof Problem ? error : (problemForLock(error) ?? unexpected(error, runtime, operation.id))
    const { status, text, reason } = adsProblemResponse(asAdsProblem(problem), neutral, state.echo, state.words)
    return { status, text, reason }
  }
}

/** Divides values into those of the path and the parameters. */
function divide(operation: AdsOperation, values: Record<string, unknown>) {
  const sent: Sent = {
    values: new Map(),
    repeated: new Set(),
    words: new SentWords(adsLegacyNaming),
    // The answer has the neutral names, whatever the names of the values are.
    isLegacy: false,
  }
  const pathValues: Record<string, string> = {}
  for (const [spelled, value] of Object.entries(values)) {
    const name = adsLegacyNaming.restore(spelled)
    if (operation.path.includes(`{${name}}`)) pathValues[name] = readPathText(name, value)
    else {
      const kind = (paramOf(operation.params, name) ?? paramOf(operation.unchanging, name))?.kind
      sent.values.set(name, kind?.hasWords ? sent.words.restore(name, value) : value)
    }
  }
  const missing = pathNames(operation.path).filter((name) => pathValues[name] === undefined)
  if (missing.length > 0) throw new AdsProblem(missing.map((name) => missingParameter(name)))
  return { pathValues, sent }
}

// As long as the values of an address can be.
const LONGEST_PATH_VALUE = 500

function readPathText(name: string, value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || text === '' || text.length > LONGEST_PATH_VALUE)
    throw new AdsProblem([invalidParameter(name, `must be a string of 1 to ${LONGEST_PATH_VALUE} characters`)])
  return text
}
