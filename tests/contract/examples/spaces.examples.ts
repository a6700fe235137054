import type { Scene } from '../scene.ts'
import type { Examples } from './example.ts'
import { PRIVATE_METRICS } from './posts.examples.ts'

let made: { id: string; scene: Scene } | undefined

/** A live space with everything that a space can have. One serves all examples, since a user can be live in one only. */
async function spaceOf(scene: Scene): Promise<string> {
  if (made?.scene === scene) return made.id
  const { command } = scene.server
  const { id } = await command('spaces.create', {
    user: 'alice',
    title: 'Tomatoes and other questions',
    scheduled_start: new Date(scene.server.runtime.clock.now() + 3600_000).toISOString(),
    ticketed: true,
    hosts: ['bob'],
    invited: ['chika'],
    topics: ['Gardening', 'Food'],
  })
  await command('spaces.buy', { space: id, user: 'dario' })
  await command('spaces.start', { space: id })
  await command('spaces.join', { space: id, user: 'chika' })
  await command('spaces.speak', { space: id, user: 'chika' })
  const post = await scene.server.post('/2/posts', { text: `We talk about tomatoes in ${id}` }, { user: 'bob' })
  await command('spaces.share', { space: id, user: 'bob', post: post.body.data.id })
  made = { id, scene }
  return id
}

export const examples: Examples = {
  getSpacesByIds: async (scene) => [{ as: 'app', query: { ids: await spaceOf(scene) } }],
  getSpacesByCreatorIds: async (scene) => {
    await spaceOf(scene)
    return [{ as: 'app', query: { user_ids: scene.server.userId('alice') } }]
  },
  searchSpaces: async (scene) => {
    await spaceOf(scene)
    return [{ as: 'app', query: { query: 'tomatoes', state: 'live' } }]
  },
  getSpacesById: async (scene) => [{ as: 'app', path: { id: await spaceOf(scene) } }],
  getSpacesBuyers: async (scene) => [
    { as: 'oauth2', path: { id: await spaceOf(scene) }, without: { 'post.fields': PRIVATE_METRICS } },
  ],
  getSpacesPosts: async (scene) => [
    { as: 'app', path: { id: await spaceOf(scene) }, without: { 'post.fields': PRIVATE_METRICS } },
  ],
}
