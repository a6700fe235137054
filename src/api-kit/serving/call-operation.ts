import type { Caller } from '../declaring/caller.ts'
import { type Operation, type RequestFacts, runOperation } from '../declaring/operation.ts'
import { countOperationUse } from '../limits/operation-limit.ts'
import { neutral } from '../naming/naming.ts'
import { requestContext } from '../reading/read-context.ts'
import { readArguments, readBody, readPath } from '../reading/read-input.ts'
import type { Runtime } from '../runtime.ts'
import { Answer, BytesAnswer, StreamAnswer, WithHeaders } from '../writing/answer.ts'
import { Problem, problemBaseOf, renderBody } from '../writing/problem.ts'
import { passGate } from './gate.ts'
import { refuseWritesWhenFull } from './outage-problem.ts'
import { reasonOf } from './serve-request.ts'
import { compiledIn } from './v2-family.ts'

/** What an operation is called with, in the neutral naming. */
export interface CallInput {
  path?: Record<string, string>
  query?: Record<string, string | undefined>
  /** The body as JSON. */
  body?: unknown
}

/** The answer of an operation as a client would read it. Refusals have a status of 400 or more. */
export interface CallAnswer<T = Record<string, unknown>> {
  status: number
  body: T
  /** Why it was refused, in words. */
  reason: string | undefined
}

/**
 * Runs an operation of version 2 within this process for a caller who is known already: our own pages. The checks, the refusals
 * and what is written are those of a request.
 */
export async function callOperation<T = Record<string, unknown>>(
  runtime: Runtime,
  request: RequestFacts,
  caller: Caller,
  operation: Operation,
  input: CallInput = {},
): Promise<CallAnswer<T>> {
  try {
    refuseWritesWhenFull(runtime, operation)
    passGate(operation, caller)
    await countOperationUse(operation, caller, runtime, {})
    const { input: readers, write } = compiledIn(operation, neutral)
    const query = new Map<string, string[]>()
    for (const [name, value] of Object.entries(input.query ?? {})) if (value !== undefined) query.set(name, [value])
    const result = await runOperation(operation, {
      path: readPath(operation, input.path ?? {}, { naming: neutral, legacy: neutral }),
      query: readArguments(readers, query, neutral),
      body: readBody(operation, readers, input.body),
      caller,
      runtime,
      naming: neutral,
      request,
      context: requestContext(runtime, caller, neutral, request),
    })
    if (result instanceof StreamAnswer || result instanceof BytesAnswer)
      throw new Error(`${operation.id} does not answer with JSON`)
    const value = result instanceof WithHeaders ? result.value : result
    const text = value instanceof Answer ? value.text : write(value)
    const status = (value instanceof Answer ? value.status : undefined) ?? operation.status
    return { status, body: JSON.parse(request.moveLinks(text) || '{}') as T, reason: undefined }
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error
    const body = renderBody(error.body, neutral, problemBaseOf(request.baseUrl)) as T
    return { status: error.status, body, reason: error.reason ?? reasonOf(error) }
  }
}
