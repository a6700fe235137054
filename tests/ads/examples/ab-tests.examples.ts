import type { AdsScene } from '../ads-scene.ts'
import type { AdsExample } from './example.ts'

const DAY_MS = 86_400_000

/** The body that creates a test of two campaigns. */
async function body(scene: AdsScene) {
  const at = (days: number) => new Date(scene.server.runtime.clock.now() + days * DAY_MS).toISOString()
  const ids = [await scene.campaign(), await scene.campaign()]
  return {
    start_time: at(1),
    end_time: at(8),
    entity_type: 'CAMPAIGN',
    name: 'Colours',
    user_groups: ids.map((id, at) => ({ entity_ids: [id], size: '50.00', name: `Group ${at}` })),
  }
}

async function created(scene: AdsScene): Promise<string> {
  const answer = await scene.json('POST', 'ab_tests', await body(scene))
  return answer.body.data.id
}

export const examples: Record<string, AdsExample> = {
  listAbTests: async (scene) => {
    await created(scene)
    return { values: { count: 1, status: 'SCHEDULED', sort_by: 'start_time-asc' } }
  },
  createAbTest: async (scene) => ({ json: await body(scene) }),
  updateAbTest: async (scene) => ({ path: { ab_test_id: await created(scene) }, json: { name: 'Shapes' } }),
  deleteAbTest: async (scene) => ({ path: { ab_test_id: await created(scene) } }),
}
