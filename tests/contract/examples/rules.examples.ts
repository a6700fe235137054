import type { Cast, Scene } from '../scene.ts'
import type { Call, Examples } from './example.ts'

const RULES = '/2/posts/search/stream/rules'
let made = 0
const newRule = () => {
  made += 1
  return { value: `from:alice lighthouse${made}`, tag: `lighthouse ${made}` }
}

/** Adds a rule and returns it as the answer showed it. */
async function addRule(scene: Scene, cast: Cast): Promise<{ id: string; value: string }> {
  const answer = await scene.server.post(RULES, { add: [newRule()] }, cast.app)
  if (answer.status !== 201) throw new Error(`The example rule was refused: ${answer.text}`)
  return answer.body.data[0]
}

async function addPowerRule(scene: Scene, cast: Cast): Promise<{ value: string }> {
  const rule = newRule()
  const answer = await scene.server.post('/2/powerstream/rules', { rules: [rule] }, cast.app)
  if (answer.status !== 201) throw new Error(`The example rule was refused: ${answer.text}`)
  return rule
}

export const examples: Examples = {
  getRules: async (scene, cast) => {
    const { id } = await addRule(scene, cast)
    await addRule(scene, cast)
    const queries: Record<string, string>[] = [{}, { max_results: '1' }, { ids: id }]
    return queries.map((query) => ({ as: 'app', query }))
  },
  getRuleCounts: async (scene, cast) => {
    await addRule(scene, cast)
    return [{ as: 'app' }]
  },
  // An addition of rules answers 201, which the description does not have; tests/streams/rules.test.ts covers it.
  updateRules: async (scene, cast) => {
    const [first, second, third] = [await addRule(scene, cast), await addRule(scene, cast), await addRule(scene, cast)]
    const calls: Call[] = [
      { as: 'app', body: { add: [] } },
      { as: 'app', query: { dry_run: 'true' }, body: { delete: { ids: [first.id] } } },
      { as: 'app', body: { delete: { ids: [first.id], values: [second.value] } } },
      { as: 'app', body: { delete: { values: [third.value] } } },
      { as: 'app', query: { delete_all: 'true' } },
    ]
    return calls
  },
  getPowerstreamRules: async (scene, cast) => {
    await addPowerRule(scene, cast)
    return [{ as: 'app' }]
  },
  createPowerstreamRules: () => [{ as: 'app', body: { rules: [newRule(), { value: newRule().value }] } }],
  deletePowerstreamRules: async (scene, cast) => [
    { as: 'app', body: { rules: [await addPowerRule(scene, cast), { value: 'never added' }] } },
  ],
}
