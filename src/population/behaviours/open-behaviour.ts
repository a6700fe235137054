import type { Runtime } from '../../api-kit/runtime.ts'
import type { BehaviourPlan } from '../life.ts'
import type { Behaviour } from './behaviour.ts'

/** The behaviour of a plan; undefined for the default one, which needs no asking. */
export async function openBehaviour(_runtime: Runtime, plan: BehaviourPlan): Promise<Behaviour | undefined> {
  if (plan.kind === 'default') return undefined
  return undefined
}
