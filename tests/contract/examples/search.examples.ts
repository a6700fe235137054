import type { Call, Examples } from './example.ts'
import { PRIVATE_METRICS } from './posts.examples.ts'

const found: Partial<Call> = { query: { query: 'server OR "first post"' }, without: { 'post.fields': PRIVATE_METRICS } }
const counted: Partial<Call> = { query: { query: 'server', granularity: 'day' } }

export const examples: Examples = {
  searchPostsRecent: () => [
    { as: 'app', ...found },
    { as: 'user', ...found },
  ],
  searchPostsAll: () => [{ as: 'app', ...found }],
  getPostsCountsRecent: () => [{ as: 'app', ...counted }],
  getPostsCountsAll: () => [{ as: 'app', ...counted }],
}
