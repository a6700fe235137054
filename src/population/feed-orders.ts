import { suitability } from './behaviours/default-behaviour.ts'
import type { FeedOrder } from './life.ts'
import type { MirrorPost } from './mirror/mirror.ts'
import type { Persona } from './personas/load-personas.ts'

type Order = (persona: Persona, posts: readonly MirrorPost[]) => readonly MirrorPost[]

const byScore =
  (score: (persona: Persona, post: MirrorPost) => number): Order =>
  (persona, posts) => {
    const scores = new Map(posts.map((post) => [post, score(persona, post)]))
    // Equal ones stay in the order of time.
    return [...posts].sort((one, other) => scores.get(other)! - scores.get(one)!)
  }

/** In which order personas see the posts of a look. */
export const ORDERS: Record<FeedOrder, Order> = {
  time: (_persona, posts) => posts,
  popularity: byScore((_persona, post) => post.likes + 2 * post.reposts),
  interest: byScore(suitability),
}

/** Where posts are ordered, personas read this many of them. In the order of time they read until they know the rest. */
export const READ_POSTS = 8
