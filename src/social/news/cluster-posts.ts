import { inTurns } from '../../process/in-turns.ts'

/** A post as stories are made from it. */
export interface ClusterPost {
  id: string
  authorId: string
  /** What it shares with others: `l:link`, `e:entity`, `h:hashtag`, `w:word`. */
  features: readonly string[]
  /** Likes, reposts, replies and quotes. */
  engagement: number
}

/** Posts about the same thing. */
export interface PostCluster<P extends ClusterPost> {
  /** The one that has most in common with the others first. */
  posts: P[]
  /** What its posts share, the most frequent first. */
  features: string[]
}

export const LEAST_POSTS = 3
export const LEAST_AUTHORS = 3

// How much a shared feature says. A word says little, a link is nearly a story of its own.
const WEIGHTS: Record<string, number> = { l: 4, e: 2, h: 2, w: 0.8 }
const ENOUGH = 2.6
// What more than this share of all posts have says nothing about a story.
const COMMON_SHARE = 0.1
const COMMON_POSTS = 40
// A post is compared with the newest clusters of each of its features.
const MOST_COMPARED = 20
// A feature belongs to a cluster if this share of its posts has it.
const CORE_SHARE = 0.3

interface Growing<P> {
  posts: P[]
  counts: Map<string, number>
}

/**
 * Groups posts, given oldest first, that share links, entities, hashtags and words. Only groups of several authors count. Other
 * work of the process runs in between.
 */
export async function clusterPosts<P extends ClusterPost>(posts: readonly P[]): Promise<PostCluster<P>[]> {
  const weights = await weightsOf(posts)
  const clusters: Growing<P>[] = []
  const byFeature = new Map<string, Growing<P>[]>()
  await inTurns(posts, (post) => {
    const features = post.features.filter((feature) => weights.has(feature))
    if (!features.some((feature) => !feature.startsWith('w:'))) return
    const best = bestCluster(features, weights, byFeature)
    const cluster = best ?? { posts: [], counts: new Map<string, number>() }
    if (!best) clusters.push(cluster)
    cluster.posts.push(post)
    for (const feature of features) {
      const count = (cluster.counts.get(feature) ?? 0) + 1
      cluster.counts.set(feature, count)
      if (count > 1 || feature.startsWith('w:')) continue
      const known = byFeature.get(feature)
      if (known) known.push(cluster)
      else byFeature.set(feature, [cluster])
    }
  })
  return clusters
    .filter(
      (cluster) =>
        cluster.posts.length >= LEAST_POSTS &&
        new Set(cluster.posts.map((post) => post.authorId)).size >= LEAST_AUTHORS,
    )
    .map((cluster) => finish(cluster, weights))
}

/** The weight of each feature that at least two posts have: rarer ones say more. */
async function weightsOf(posts: readonly ClusterPost[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  await inTurns(posts, (post) => {
    for (const feature of post.features) counts.set(feature, (counts.get(feature) ?? 0) + 1)
  })
  const most = Math.max(COMMON_POSTS, posts.length * COMMON_SHARE)
  const all = Math.log(1 + Math.max(posts.length, 100))
  const weights = new Map<string, number>()
  for (const [feature, count] of counts) {
    if (count < 2 || (count > most && feature[0] !== 'l')) continue
    weights.set(
      feature,
      (WEIGHTS[feature[0]!] ?? 0) * Math.min(1, (1.3 * Math.log(1 + Math.max(posts.length, 100) / count)) / all),
    )
  }
  return weights
}

function bestCluster<P>(
  features: readonly string[],
  weights: ReadonlyMap<string, number>,
  byFeature: ReadonlyMap<string, Growing<P>[]>,
): Growing<P> | undefined {
  const candidates = new Set<Growing<P>>()
  for (const feature of features)
    for (const cluster of (byFeature.get(feature) ?? []).slice(-MOST_COMPARED)) candidates.add(cluster)
  let best: Growing<P> | undefined
  let bestScore = ENOUGH
  for (const cluster of candidates) {
    let score = 0
    for (const feature of features)
      if ((cluster.counts.get(feature) ?? 0) >= cluster.posts.length * CORE_SHARE) score += weights.get(feature)!
    if (score >= bestScore) [best, bestScore] = [cluster, score]
  }
  return best
}

function finish<P extends ClusterPost>(
  { posts, counts }: Growing<P>,
  weights: ReadonlyMap<string, number>,
): PostCluster<P> {
  const core = [...counts]
    .filter(([, count]) => count >= Math.max(2, posts.length * CORE_SHARE))
    .sort(([one, ones], [other, others]) => others * weights.get(other)! - ones * weights.get(one)!)
    .map(([feature]) => feature)
  const shared = new Set(core)
  const worth = (post: P) =>
    post.features.reduce((sum, feature) => sum + (shared.has(feature) ? weights.get(feature)! : 0), 0) +
    Math.log2(1 + post.engagement)
  const ranked = posts.map((post) => ({ post, worth: worth(post) })).sort((one, other) => other.worth - one.worth)
  return { posts: ranked.map((item) => item.post), features: core }
}
