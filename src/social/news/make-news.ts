import type { Runtime } from '../../api-kit/runtime.ts'
import { emit } from '../../events/emit.ts'
import { wireTime } from '../../process/clock.ts'
import { idAt } from '../../process/ids.ts'
import { inTurns } from '../../process/in-turns.ts'
import { textWords } from '../../search/post-terms.ts'
import { rarityOf } from '../../search/term-rarity.ts'
import { type Tx, transaction } from '../../storage/database.ts'
import { jsonText } from '../../storage/json-text.ts'
import { entitiesOf } from '../annotations/dictionary.ts'
import { textEntities, typedText } from '../text/typed-text.ts'
import { clusterPosts, type PostCluster } from './cluster-posts.ts'
import {
  newsLock,
  recentPublicPosts,
  storiesExpire,
  storiesOfPosts,
  storiesStore,
  storyPostsStore,
} from './news.statements.ts'
import { type StoryPost, storyTerms, writeStory } from './write-story.ts'

const HOUR_MS = 3600_000
const WINDOW_MS = 24 * HOUR_MS
/** A search goes back 720 hours at most. */
const KEPT_MS = 721 * HOUR_MS
const MOST_POSTS = 20_000
const MOST_STORIES = 200
const MOST_POSTS_OF_STORY = 500
const COMMON = 0.01
const SHORTEST_WORD = 4
const MOST_WORDS = 30

/** A sentence about where the text of stories comes from. */
export const DISCLAIMER = 'This story is a summary of posts and may evolve over time.'

/** Groups the posts of the last day into stories, stores the new ones and those that grew. Returns how many were stored. */
export async function makeNews(runtime: Runtime, now: number): Promise<number> {
  const rows = await recentPublicPosts.all(runtime.database, idAt(now - WINDOW_MS), idAt(now + 1), MOST_POSTS)
  // In turns: twenty thousand posts would keep a worker from answering for a second.
  const posts = await inTurns(
    rows.toReversed(),
    (row): StoryPost => ({
      id: row.id,
      authorId: row.author_id,
      engagement: row.engagement,
      text: typedText(row),
      features: featuresOf(row),
    }),
  )
  const clusters = (await clusterPosts(posts))
    .sort((one, other) => other.posts.length - one.posts.length)
    .slice(0, MOST_STORIES)
  return transaction(runtime.database, async (tx) => {
    await newsLock.count(tx, new Date(now))
    const stored = clusters.length === 0 ? 0 : await storeStories(tx, runtime, clusters, now)
    await storiesExpire.count(tx, new Date(now - KEPT_MS))
    return stored
  })
}

function featuresOf(row: Parameters<typeof typedText>[0] & { context_entity_ids: string[] | null }): string[] {
  const { hashtags, cashtags, urls } = textEntities(row)
  const words = textWords(typedText(row)).filter((word) => word.length >= SHORTEST_WORD && rarityOf(word) >= COMMON)
  return [
    ...new Set([
      ...urls.map((url) => `l:${url.expanded.replace(/[?#].*$/, '').toLowerCase()}`),
      ...entitiesOf(row.context_entity_ids).map((entity) => `e:${entity.id}`),
      ...hashtags.map((tag) => `h:${tag.toLowerCase()}`),
      ...cashtags.map((tag) => `h:$${tag.toLowerCase()}`),
      ...words.slice(0, MOST_WORDS).map((word) => `w:${word}`),
    ]),
  ]
}

interface Story {
  id: string
  cluster: PostCluster<StoryPost>
  isNew: boolean
}

async function storeStories(
  tx: Tx,
  runtime: Runtime,
  clusters: readonly PostCluster<StoryPost>[],
  now: number,
): Promise<number> {
  const known = await storiesOfPosts.all(
    tx,
    clusters.flatMap((cluster) => cluster.posts.map((post) => post.id)),
  )
  const stories = matchStories(runtime, clusters, known)
  if (stories.length === 0) return 0
  const written = stories.map((story) => ({ ...story, text: writeStory(story.cluster) }))
  const rows = written.map(({ id, text }) => ({ id, ...text, terms: storyTerms(text) }))
  await storiesStore.count(tx, jsonText(rows), new Date(now))
  const members = stories.flatMap(({ id, cluster }) =>
    cluster.posts.slice(0, MOST_POSTS_OF_STORY).map((post, rank) => ({ id, postId: post.id, rank })),
  )
  await storyPostsStore.count(
    tx,
    members.map((item) => item.id),
    members.map((item) => item.postId),
    members.map((item) => item.rank),
  )
  const fresh = written.filter((story) => story.isNew)
  await emit(
    tx,
    runtime,
    ...fresh.map(({ id, text, cluster }) => ({
      type: 'news.new' as const,
      payload: {
        id,
        name: text.name,
        headline: text.name,
        category: text.category,
        hook: text.hook,
        summary: text.summary,
        contexts: { ...text.contexts },
        keywords: text.keywords,
        post_ids: cluster.posts.slice(0, 100).map((post) => post.id),
        updated_at: wireTime(now),
        disclaimer: DISCLAIMER,
      },
    })),
  )
  return stories.length
}

/** Finds the story that a cluster continues: the one with most of its posts. Clusters without a new post are left out. */
function matchStories(
  runtime: Runtime,
  clusters: readonly PostCluster<StoryPost>[],
  known: readonly { story_id: string; post_id: string }[],
): Story[] {
  const storiesOf = new Map<string, string[]>()
  for (const { story_id, post_id } of known) storiesOf.set(post_id, [...(storiesOf.get(post_id) ?? []), story_id])
  const taken = new Set<string>()
  return clusters.flatMap((cluster): Story[] => {
    const shares = new Map<string, number>()
    for (const post of cluster.posts)
      for (const id of storiesOf.get(post.id) ?? []) shares.set(id, (shares.get(id) ?? 0) + 1)
    const best = [...shares].sort(([, one], [, other]) => other - one)[0]
    if (!best) return [{ id: runtime.ids.next(), cluster, isNew: true }]
    const [id, count] = best
    // The larger of two clusters continues the story. A cluster that is known as a whole has nothing new.
    if (taken.has(id) || count === cluster.posts.length) return []
    taken.add(id)
    return [{ id, cluster, isNew: false }]
  })
}
