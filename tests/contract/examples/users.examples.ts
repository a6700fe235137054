import type { Call, Examples } from './example.ts'
import { PRIVATE_METRICS } from './posts.examples.ts'

const without = { 'post.fields': PRIVATE_METRICS }

/** Alice as she sees herself, and others as an app sees them. */
const both = (own: Partial<Call>, others: Partial<Call>): Call[] => [
  { as: 'user', ...own },
  { as: 'app', ...others, without },
]

export const examples: Examples = {
  getUsersByIds: ({ server }) =>
    both(
      { query: { ids: server.userId('alice') } },
      { query: { ids: ['alice', 'bob', 'chika'].map(server.userId).join() } },
    ),
  getUsersById: ({ server }) => both({ path: { id: server.userId('alice') } }, { path: { id: server.userId('bob') } }),
  getUsersByUsernames: () => both({ query: { usernames: 'alice' } }, { query: { usernames: 'alice,BOB,dario' } }),
  getUsersByUsername: () => both({ path: { username: 'alice' } }, { path: { username: 'Chika' } }),
  getUsersMe: () => [{ as: 'user' }],
}
