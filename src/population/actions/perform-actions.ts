import type { RequestFacts } from '../../api-kit/declaring/operation.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { type CallAnswer, callOperation } from '../../api-kit/serving/call-operation.ts'
import { idAt } from '../../process/ids.ts'
import { sqlState } from '../../storage/database.ts'
import type { Action } from '../behaviours/behaviour.ts'
import { callerOf, type Persona } from '../personas/load-personas.ts'
import { type OperationKindName, operationKind } from './action-kinds.ts'

/** An action of a persona, with its number in the tick. */
export interface PlannedAction {
  persona: Persona
  action: Action & { kind: OperationKindName }
  number: number
}

/** How an action ended. */
export interface Performed {
  planned: PlannedAction
  status: number
  reason: string | undefined
}

/** How many actions are in progress at once. Each waits for the database several times; what waits at the same time is stored together. */
const AT_ONCE = 64
/** The ids that one action may need. */
const IDS_OF_ACTION = 16
const IDS_OF_MS = 4_096
// No running process has such a machine number; see process/ids.ts.
const ACTION_MACHINE = 508
const UNIQUE_VIOLATION = '23505'

/**
 * The ids of an action depend on its tick and its number only, whichever action ends first. So a life is the same each time, and an
 * action that is repeated after a crash makes nothing a second time.
 */
export const idOfAction = (atMs: number, number: number, nth: number): string => {
  const at = number * IDS_OF_ACTION + nth
  return idAt(atMs + Math.floor(at / IDS_OF_MS), ACTION_MACHINE, at % IDS_OF_MS)
}

/** A runtime whose ids are those of one action. Limits count real time, which does not pass as the persona's does. */
function runtimeOf(runtime: Runtime, atMs: number, number: number): Runtime {
  let nth = 0
  const ids = { next: () => idOfAction(atMs, number, nth++) }
  return Object.create(runtime, { ids: { value: ids }, rateLimits: { value: 'off' } }) as Runtime
}

/** Carries actions out, several at a time, as the personas themselves. A refusal is a result like any other. */
export async function performActions(
  runtime: Runtime,
  atMs: number,
  actions: readonly PlannedAction[],
): Promise<Performed[]> {
  const request = requestOf(runtime)
  const results: Performed[] = new Array(actions.length)
  let next = 0
  const lane = async () => {
    while (next < actions.length) {
      const at = next++
      const planned = actions[at]!
      const answer = await perform(runtime, request, atMs, planned)
      results[at] = { planned, status: answer.status, reason: answer.reason }
    }
  }
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(AT_ONCE, actions.length) }, lane))
  for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason
  return results
}

type Answered = Pick<CallAnswer, 'status' | 'reason'>

async function perform(
  runtime: Runtime,
  request: RequestFacts,
  atMs: number,
  { persona, action, number }: PlannedAction,
): Promise<Answered> {
  const { operation, input } = operationKind(action.kind)
  const own = runtimeOf(runtime, atMs, number)
  try {
    return await callOperation(own, request, callerOf(persona), operation, input(persona.userId, action))
  } catch (error) {
    // It was done before the process ended.
    if (sqlState(error) === UNIQUE_VIOLATION) return { status: 200, reason: undefined }
    throw error
  }
}

/** The facts of a request that came from within. */
export const requestOf = (runtime: Runtime): RequestFacts => ({
  method: 'GET',
  url: runtime.baseUrl,
  baseUrl: runtime.baseUrl,
  isPlatformHost: false,
  moveLinks: (text) => text,
  path: '/',
  mount: runtime.mount,
  rawQuery: '',
  headers: {},
  body: undefined,
  remoteAddress: '127.0.0.1',
})
