import type { Cast, Scene } from '../scene.ts'
import type { Call, Examples } from './example.ts'
import { PRIVATE_METRICS } from './posts.examples.ts'

const without = { 'post.fields': PRIVATE_METRICS }
const bounds = { start_time: '2011-01-01T00:00:00Z', end_time: '2099-01-01T00:00:00Z', max_results: '50' }
let written = 0

async function write(scene: Scene, cast: Cast, text: string, user = 'alice'): Promise<string> {
  written += 1
  const as = user === 'alice' ? cast.user : { user }
  const made = await scene.server.post('/2/posts', { text: `${text} ${written} of the timelines` }, as)
  if (made.status !== 201) throw new Error(`The example post was refused: ${made.text}`)
  return made.body.data.id
}

export const examples: Examples = {
  getUsersPosts: async (scene, cast): Promise<Call[]> => {
    await write(scene, cast, 'Mine #contract https://example.com/timeline')
    const id = await write(scene, cast, 'Of chika', 'chika')
    return [
      {
        as: 'user',
        path: { id: scene.server.userId('alice') },
        query: { ...bounds, exclude: 'replies,reposts' },
        without,
      },
      { as: 'app', path: { id: scene.server.userId('chika') }, query: { until_id: id, max_results: '5' }, without },
    ]
  },
  getUsersMentions: async (scene, cast): Promise<Call[]> => {
    const first = await write(scene, cast, '@bob and @alice')
    await write(scene, cast, '@alice and @bob', 'chika')
    return [
      { as: 'user', path: { id: scene.server.userId('bob') }, query: { since_id: first }, without },
      { as: 'app', path: { id: scene.server.userId('alice') }, query: bounds, without },
    ]
  },
  getUsersTimeline: async (scene, cast) => {
    await write(scene, cast, 'At home')
    const query = { exclude: 'replies', max_results: '10' }
    return [{ as: 'user', path: { id: scene.server.userId('alice') }, query, without }]
  },
}
