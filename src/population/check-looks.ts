import { setTimeout as sleep } from 'node:timers/promises'
import type { Runtime } from '../api-kit/runtime.ts'
import { callOperation } from '../api-kit/serving/call-operation.ts'
import { getUsersTimeline } from '../social/timelines/read-timelines.ts'
import { requestOf } from './actions/perform-actions.ts'
import { HOME_POSTS } from './mirror/home.ts'
import { callerOf, type Persona } from './personas/load-personas.ts'

/** The home timeline of a persona as the operation answers it: the ids of its posts. */
export async function readRealHome(runtime: Runtime, persona: Persona): Promise<string[]> {
  const answer = await callOperation<{ data?: { id: string }[] }>(
    runtime,
    requestOf(runtime),
    callerOf(persona),
    getUsersTimeline,
    { path: { id: persona.userId }, query: { max_results: String(HOME_POSTS) } },
  )
  // The account of a persona may be suspended: then it sees nothing.
  return answer.status === 200 ? (answer.body.data ?? []).map((post) => post.id) : []
}

const TRIES = 5
const PAUSE_MS = 20

/**
 * Compares a look in the mirror with the operation. Somebody else may change something between the two reads, so both are read again
 * before they count as different. Returns the two where they stay different.
 */
export async function differentLook(
  runtime: Runtime,
  persona: Persona,
  readMirror: () => Promise<readonly string[] | undefined>,
): Promise<{ mirror: readonly string[]; real: readonly string[] } | undefined> {
  let mirror: readonly string[] = []
  let real: readonly string[] = []
  for (let tries = 0; tries < TRIES; tries++) {
    if (tries > 0) await sleep(PAUSE_MS)
    const read = await readMirror()
    // The mirror says that it does not reach far enough.
    if (read === undefined) return undefined
    mirror = read
    real = await readRealHome(runtime, persona)
    if (mirror.length === real.length && mirror.every((id, at) => id === real[at])) return undefined
  }
  return { mirror, real }
}
