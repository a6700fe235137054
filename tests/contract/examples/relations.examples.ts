import type { Call, Examples } from './example.ts'
import { PRIVATE_METRICS } from './posts.examples.ts'

const without = { 'post.fields': PRIVATE_METRICS }
const others = (call: Partial<Call>): Call[] => [
  { as: 'user', ...call, without },
  { as: 'app', ...call, without },
]

export const examples: Examples = {
  followUser: ({ server }) => [
    { as: 'user', path: { id: server.userId('alice') }, body: { target_user_id: server.userId('bob') } },
    { as: 'user', path: { id: server.userId('alice') }, body: { target_user_id: server.userId('erin') } },
  ],
  unfollowUser: ({ server }) => [
    { as: 'user', path: { source_user_id: server.userId('alice'), target_user_id: server.userId('dario') } },
  ],
  getUsersFollowing: ({ server }) => others({ path: { id: server.userId('chika') }, query: { max_results: '1' } }),
  getUsersFollowers: ({ server }) => others({ path: { id: server.userId('chika') } }),
  muteUser: ({ server }) => [
    { as: 'user', path: { id: server.userId('alice') }, body: { target_user_id: server.userId('bob') } },
  ],
  unmuteUser: ({ server }) => [
    { as: 'user', path: { source_user_id: server.userId('alice'), target_user_id: server.userId('bob') } },
  ],
  getUsersMuting: async ({ server }) => {
    await server.command('relation.add', { kind: 'mute', source: 'alice', target: 'chika' })
    return [{ as: 'user', path: { id: server.userId('alice') }, without }]
  },
  getUsersBlocking: async ({ server }) => {
    await server.command('user.create', { username: 'nuisance' }).catch(() => {})
    await server.command('relation.add', { kind: 'block', source: 'alice', target: 'nuisance' })
    return [{ as: 'user', path: { id: server.userId('alice') }, without }]
  },
  blockUsers: async ({ server }) => {
    const { id } = await server.command('user.create', { username: 'pest' }).catch(() => ({ id: '' }))
    const known = id || (await server.get('/2/users/by/username/pest')).body.data.id
    return [{ as: 'user', path: { id: server.userId('alice') }, body: { target_user_id: known } }]
  },
  unblockUsers: ({ server }) => [
    { as: 'user', path: { source_user_id: server.userId('alice'), target_user_id: server.userId('bob') } },
  ],
  searchUsers: () => [{ as: 'user', query: { query: 'photos', max_results: '10' }, without }],
  getUsersAffiliates: async ({ server }) => {
    await server.command('user.update', { user: 'dario', affiliation: { user_id: ['alice'] } })
    return others({ path: { id: server.userId('alice') } })
  },
}
