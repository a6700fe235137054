import type { Scene } from '../scene.ts'
import type { Examples } from './example.ts'

const makeStory = async (scene: Scene): Promise<string> =>
  (
    await scene.server.command('trigger', {
      event_type: 'news.new',
      text: 'NASA showed a comet above the Grand Canyon',
    })
  ).news_id

export const examples: Examples = {
  searchNews: async (scene) => {
    await makeStory(scene)
    return [{ as: 'oauth2', query: { query: 'comet' } }]
  },
  getNews: async (scene) => [{ as: 'user', path: { id: await makeStory(scene) } }],
}
