import type { Examples } from './example.ts'

export const examples: Examples = {
  getUsage: async ({ server }, cast) => {
    await server.get(`/2/users/${server.userId('bob')}/posts`, cast.app)
    return [{ as: 'app', query: { days: '30' } }]
  },
}
