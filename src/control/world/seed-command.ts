import { closed, Type } from '../../api-kit/declaring/schema.ts'
import { conflict, invalidParameter } from '../../api-kit/writing/problems.ts'
import { readFact } from '../../storage/instance-facts.ts'
import { invalidateAll } from '../../world/invalidate-all.ts'
import { LARGEST_SEED } from '../../world/seed-plan.ts'
import { SeedError, seedWorld } from '../../world/seed-world.ts'
import { defineCommand } from '../command.ts'

const optional = Type.Optional
// A request waits for the end. Larger worlds are made on the command line, which shows how far it is.
const MOST_USERS = 10_000
const MOST_POSTS = 100_000
const FOLLOWS_PER_USER = 10

/** Fills the world with users, follows, posts, likes and pictures until now. The same seed and sizes are made once. */
export const worldSeed = defineCommand(
  'world.seed',
  closed({
    seed: optional(Type.Integer({ minimum: 0, maximum: LARGEST_SEED })),
    users: optional(Type.Integer({ minimum: 1, maximum: MOST_USERS })),
    posts: optional(Type.Integer({ minimum: 0, maximum: MOST_POSTS })),
    follows: optional(Type.Integer({ minimum: 0, maximum: MOST_POSTS })),
  }),
  async (runtime, { seed = 1, users = 100, posts = 1_000, follows }) => {
    const most = users * (users - 1)
    if (follows !== undefined && follows > most)
      throw invalidParameter('follows', String(follows), `follows must be at most ${most} with ${users} users.`)
    const order = {
      seed,
      users,
      posts,
      follows: follows ?? Math.min(users * FOLLOWS_PER_USER, Math.floor(most / 2)),
      untilMs: runtime.clock.now(),
      baseUrl: (await readFact(runtime.database, 'base_url')) ?? runtime.baseUrl,
    }
    const watch = { progress: () => {}, stopped: () => false }
    try {
      const { outcome, progress } = await seedWorld(runtime.database, order, watch, { anyMoment: true })
      await invalidateAll(runtime)
      return { outcome, seed, users: progress.users, follows: progress.follows, posts: progress.posts }
    } catch (error) {
      throw error instanceof SeedError ? conflict(error.message) : error
    }
  },
)
