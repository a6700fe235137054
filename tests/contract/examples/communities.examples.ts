import type { Scene } from '../scene.ts'
import type { Examples } from './example.ts'

const create = (scene: Scene) =>
  scene.server.command('communities.create', { user: 'bob', name: 'Beekeepers', description: 'Hives and honey.' })

export const examples: Examples = {
  searchCommunities: async (scene) => {
    await create(scene)
    return [{ as: 'user', query: { query: 'honey hives' } }]
  },
  getCommunitiesById: async (scene) => [{ as: 'app', path: { id: (await create(scene)).id } }],
}
