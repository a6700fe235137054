import type { Runtime } from '../../api-kit/runtime.ts'
import type { BehaviourPlan } from '../life.ts'
import { openAgentBehaviour } from './agent-behaviour.ts'
import type { Behaviour } from './behaviour.ts'
import { openFileBehaviour } from './file-behaviour.ts'

/** The behaviour of a plan; undefined for the default one, which is not asked but called. */
export async function openBehaviour(runtime: Runtime, plan: BehaviourPlan): Promise<Behaviour | undefined> {
  if (plan.kind === 'file') return openFileBehaviour(plan.path)
  if (plan.kind === 'agent') return openAgentBehaviour(runtime, plan.url)
  return undefined
}
