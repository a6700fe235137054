import type { Part } from '../../api-kit/declaring/part.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { keepRemoved, partName, type RemovedParts } from '../../events/removed-objects.ts'
import { realNow } from '../../process/clock.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { mediaRow } from '../media/media.object.ts'
import { mediaFacts } from '../media/media.statements.ts'
import { pollRow } from '../polls/poll.object.ts'
import { postArticle, postMetrics, postRow, postVersions } from './post.parts.ts'

/** The name of the media facts of version 1.1 among what is kept of a deleted post. */
export const MEDIA_FACTS = 'media facts'

const AT_ONCE = 1_000

const postsToRemove = statement(
  'posts_to_remove',
  { id: 'int8' },
  'select id from post where id = any($1::bigint[]) or reposted_post_id = any($1::bigint[])',
)

/**
 * Keeps what events show of the locked versions of a post and of their reposts, before they are removed: the events about them may
 * be delivered later.
 */
export async function keepRemovedPosts(tx: Tx, runtime: Runtime, versions: readonly string[]): Promise<void> {
  const ids = (await postsToRemove.all(tx, versions)).map((row) => row.id)
  const times = { removedAt: new Date(runtime.clock.now()), realMs: realNow() }
  for (let start = 0; start < ids.length; start += AT_ONCE)
    await keepRemoved(tx, 'post', await readParts(tx, ids.slice(start, start + AT_ONCE)), times)
}

async function readParts(tx: Tx, ids: string[]): Promise<{ id: string; parts: RemovedParts }[]> {
  const posts = await postRow.load(tx, ids)
  const versions = await postVersions.load(tx, ids)
  const metrics = await postMetrics.load(tx, ids)
  const articles = await postArticle.load(tx, ids)
  const polls = await loadSome(
    tx,
    pollRow,
    [...posts.values()].map((row) => row.poll_id),
  )
  const keys = [...posts.values()].flatMap((row) => row.media_keys)
  const media = await loadSome(tx, mediaRow, keys)
  const facts = keys.length === 0 ? [] : await mediaFacts.all(tx, [...new Set(keys)])
  const factsByKey = new Map(facts.map((row) => [row.media_key, row]))
  return [...posts].map(([id, row]) => ({
    id,
    parts: {
      [partName(postRow)]: { [id]: row },
      [partName(postVersions)]: pick(versions, [id]),
      [partName(postMetrics)]: pick(metrics, [id]),
      [partName(postArticle)]: pick(articles, [id]),
      [partName(pollRow)]: pick(polls, row.poll_id === null ? [] : [row.poll_id]),
      [partName(mediaRow)]: pick(media, row.media_keys),
      [MEDIA_FACTS]: pick(factsByKey, row.media_keys),
    },
  }))
}

async function loadSome<V>(tx: Tx, part: Part<V>, ids: readonly (string | null)[]): Promise<Map<string, V>> {
  const wanted = [...new Set(ids.filter((id) => id !== null))]
  return wanted.length === 0 ? new Map() : part.load(tx, wanted)
}

const pick = (values: ReadonlyMap<string, unknown>, ids: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(ids.flatMap((id) => (values.has(id) ? [[id, values.get(id)]] : [])))
