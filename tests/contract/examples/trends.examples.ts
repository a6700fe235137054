import type { Scene } from '../scene.ts'
import type { Examples } from './example.ts'

/** Three users write about the same thing, so the world has a trend. */
async function makeTrend(scene: Scene): Promise<void> {
  for (const user of ['alice', 'bob', 'chika']) {
    const text = `Everyone is here #exampletrend ${scene.server.runtime.ids.next()}`
    await scene.server.post('/2/posts', { text }, { user })
  }
  await scene.server.command('topics.work')
}

export const examples: Examples = {
  getTrendsByWoeid: async (scene) => {
    await makeTrend(scene)
    return [{ as: 'app', path: { woeid: '1' } }]
  },
  getTrendsPersonalizedTrends: async (scene) => {
    await makeTrend(scene)
    return [{ as: 'user' }]
  },
}
