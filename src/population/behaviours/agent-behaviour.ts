import { setTimeout as sleep } from 'node:timers/promises'
import type { Runtime } from '../../api-kit/runtime.ts'
import { LifeError } from '../life.ts'
import type { Behaviour, Decision, SeenTimeline } from './behaviour.ts'

const ANSWERS_WITHIN_MS = 60_000
/** Answers are small, and agents that think need time. */
const LOOKS_PER_CALL = 10
const CALLS_AT_ONCE = 8
const TRIES = 3
const PAUSE_MS = 500

/** A behaviour that is asked over HTTP: an agent, or many behind one address. Addresses are guarded as those of webhooks are. */
export function openAgentBehaviour(runtime: Runtime, url: string): Behaviour {
  const ask = async (looks: readonly SeenTimeline[]): Promise<Decision[]> => {
    for (let tries = 1; ; tries++) {
      const answer = await call(runtime, url, looks).catch((error: unknown) => error as Error)
      if (!(answer instanceof Error)) return answer
      if (tries === TRIES) throw new LifeError(`The agent at ${url} failed ${TRIES} times: ${answer.message}.`)
      await sleep(PAUSE_MS * tries)
    }
  }
  return {
    decide: async (looks) => {
      const batches: SeenTimeline[][] = []
      for (let from = 0; from < looks.length; from += LOOKS_PER_CALL)
        batches.push(looks.slice(from, from + LOOKS_PER_CALL))
      const decisions: Decision[][] = new Array(batches.length)
      let next = 0
      const lane = async () => {
        while (next < batches.length) {
          const at = next++
          decisions[at] = await ask(batches[at]!)
        }
      }
      const lanes = await Promise.allSettled(Array.from({ length: CALLS_AT_ONCE }, lane))
      for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason
      return decisions.flat()
    },
    close: async () => {},
  }
}

async function call({ outgoing }: Runtime, url: string, looks: readonly SeenTimeline[]): Promise<Decision[]> {
  const { status, body } = await outgoing.call({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ looks }),
    timeoutMs: ANSWERS_WITHIN_MS,
    keepAlive: true,
  })
  if (status !== 200) throw new Error(`it answered with status ${status}`)
  const decisions = readJson(body)?.decisions
  if (!Array.isArray(decisions) || decisions.length !== looks.length)
    throw new Error(`it must answer {"decisions": [...]} with ${looks.length} decisions`)
  return decisions as Decision[]
}

function readJson(body: string): { decisions?: unknown } | null {
  try {
    return JSON.parse(body)
  } catch {
    throw new Error('its answer is not JSON')
  }
}
