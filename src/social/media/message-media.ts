import { definePart, keyedBy } from '../../api-kit/declaring/part.ts'
import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { statement } from '../../storage/statement.ts'
import { isMessageMedia } from './categories.ts'

const mediaSeen = statement(
  'dm_media_seen',
  { pair: 'text' },
  `select q.viewer || ':' || q.media_key as pair from unnest($1::bigint[], $2::text[]) as q (viewer, media_key)
    where exists (select from dm_view v where v.user_id = q.viewer and v.media_key = q.media_key and v.media_key is not null)`,
)

/**
 * Media items that a user sees in a message, keyed `viewer:media key`. A message with one, and its deletion, invalidate kind
 * `message_media`.
 */
export const seenMedia = definePart('message_media', 'row', async (db, pairs) => {
  const split = pairs.map((pair) => pair.split(':') as [string, string])
  const rows = await mediaSeen.all(
    db,
    split.map(([viewer]) => viewer),
    split.map(([, key]) => key),
  )
  return keyedBy((row) => row.pair, rows)
})

/** The media items among these that the caller sees in a message. */
export async function seenInMessages(context: ReadContext, keys: readonly string[]): Promise<Set<string>> {
  const viewer = context.caller?.user?.id
  const asked = viewer === undefined ? [] : keys.filter(isMessageMedia)
  if (asked.length === 0) return new Set()
  const found = await context.parts.many(
    seenMedia,
    asked.map((key) => `${viewer}:${key}`),
  )
  return new Set(asked.filter((key) => found.has(`${viewer}:${key}`)))
}

/** Where a file of a media item in messages is downloaded, from the address that files of posts have; null before it is in one. */
export function downloadAddress(
  row: { media_key: string; first_message_id: string | null },
  address: string,
): string | null {
  if (row.first_message_id === null) return null
  const mediaId = row.media_key.slice(row.media_key.indexOf('_') + 1)
  return address.replace(`/media/${row.media_key}/`, `/2/dm_conversations/media/${row.first_message_id}/${mediaId}/`)
}
