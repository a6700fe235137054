import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import type { Invalidate, Runtime } from '../../api-kit/runtime.ts'
import { type Fault, invalidRequest } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import type { PostDraft } from '../posts/create-post.body.ts'
import { relation, userRow } from '../users/user.parts.ts'
import { type MediaCategory, POST_CATEGORIES } from './categories.ts'
import { keepPreview } from './describe-media.ts'
import { isUsable, isUsableBy, type MediaFacts, mediaFacts, mediaFactsById } from './media.statements.ts'

type MediaDraft = NonNullable<PostDraft['media']>

/** Media items that a post may have. */
export interface Attachment {
  media: MediaFacts[]
  keys: string[]
  /** The author marked one of them as sensitive. */
  isSensitive: boolean
  taggedUserIds: string[]
  draft: MediaDraft | undefined
}

const invalidIds = (ids: readonly string[]): Fault => ({
  parameters: { 'media.media_ids': [...ids] },
  message: 'Your media IDs are invalid.',
})

const NONE: ReadonlySet<string> = new Set()

/** The media items that a draft names, or that an edited post keeps. Rejects those that the author may not use, or not together. */
export async function findAttachment(
  context: ReadContext,
  runtime: Runtime,
  authorId: string,
  draft: MediaDraft | undefined,
  keptKeys: readonly string[],
  lentKeys: ReadonlySet<string> = NONE,
): Promise<Attachment | undefined> {
  if (!draft) {
    if (keptKeys.length === 0) return undefined
    return attachmentOf(inOrder(await mediaFacts.all(runtime.database, keptKeys), keptKeys), [], undefined)
  }
  checkDetails(draft)
  const ids = draft.media_ids
  const known = ids.every(isStorableId) ? await mediaFactsById.all(runtime.database, ids) : []
  const now = runtime.clock.now()
  const usable = known.filter(
    (item) =>
      (isUsableBy(item, authorId, now) || (lentKeys.has(item.media_key) && isUsable(item, now))) &&
      POST_CATEGORIES.includes(item.category as MediaCategory),
  )
  if (usable.length !== ids.length) throw invalidRequest([invalidIds(ids)])
  const isMixed = usable.length > 1 && usable.some((item) => item.type !== 'photo')
  if (isMixed)
    throw invalidRequest([
      { ...invalidIds(ids), message: 'Up to four photos, or one animated GIF, or one video can be attached.' },
    ])
  if (draft.preview_media_id !== undefined && usable[0]?.type !== 'video')
    throw invalidRequest([
      {
        parameters: { 'media.preview_media_id': [draft.preview_media_id] },
        message: 'preview_media_id can only be given with a video.',
      },
    ])
  const byId = new Map(usable.map((item) => [item.media_id, item]))
  return attachmentOf(
    ids.map((id) => byId.get(id)!),
    await findTagged(context, runtime, authorId, draft.tagged_user_ids ?? []),
    draft,
  )
}

function inOrder(found: readonly MediaFacts[], keys: readonly string[]): MediaFacts[] {
  return keys.flatMap((key) => found.find((item) => item.media_key === key) ?? [])
}

function attachmentOf(media: MediaFacts[], taggedUserIds: string[], draft: MediaDraft | undefined): Attachment {
  const isSensitive = media.some((item) => {
    const { sensitive_media_warning: warning } = item.metadata as { sensitive_media_warning?: Record<string, boolean> }
    return Object.values(warning ?? {}).includes(true)
  })
  return { media, keys: media.map((item) => item.media_key), isSensitive, taggedUserIds, draft }
}

/** The users tagged in the media. Users who block the author are silently left out. */
async function findTagged(
  context: ReadContext,
  runtime: Runtime,
  authorId: string,
  given: readonly string[],
): Promise<string[]> {
  const ids = [...new Set(given)]
  if (ids.length === 0) return []
  const users = await runtime.parts.many(userRow, ids.filter(isStorableId))
  const unknown = ids.filter((id) => !users.has(id))
  if (unknown.length > 0)
    throw invalidRequest([
      { parameters: { 'media.tagged_user_ids': unknown }, message: `There are no users [${unknown.join(', ')}].` },
    ])
  const relations = await context.parts.many(
    relation,
    ids.filter((id) => id !== authorId).map((id) => `${authorId}:${id}`),
  )
  return ids.filter((id) => !relations.get(`${authorId}:${id}`)?.blocked_by)
}

/** Rejects details that are never valid, whatever is stored. */
function checkDetails(draft: MediaDraft): void {
  const faults: Fault[] = []
  if (new Set(draft.media_ids).size < draft.media_ids.length) faults.push(invalidIds(draft.media_ids))
  const actions = draft.call_to_actions
  const given = Object.entries(actions ?? {}).filter(([, action]) => action !== undefined)
  if (actions && given.length !== 1)
    faults.push({
      parameters: { 'media.call_to_actions': given.map(([name]) => name) },
      message: 'call_to_actions must have exactly one of visit_site, watch_now and app_install.',
    })
  for (const name of ['visit_site', 'watch_now'] as const) {
    const url = actions?.[name]?.url
    if (url !== undefined && !(URL.canParse(url) && new URL(url).protocol === 'https:'))
      faults.push({
        parameters: { [`media.call_to_actions.${name}.url`]: [url] },
        message: `The url of ${name} must be an https address.`,
      })
  }
  if (actions?.app_install && !Object.values(actions.app_install).some((id) => id))
    faults.push({
      parameters: { 'media.call_to_actions.app_install': [] },
      message: 'app_install needs at least one of app_store_id, ipad_app_store_id and play_store_id.',
    })
  if (faults.length > 0) throw invalidRequest(faults)
}

/** Counts a use of each media item that has not expired in the meantime. What the sandbox uses is kept, but not counted. */
const mediaUse = statement(
  'media_use',
  {},
  `update media set post_uses = post_uses + case when $4::bool then 0 else 1 end, kept = kept or $4::bool, preview_image_url = coalesce($3, preview_image_url)
    where id = any($1::bigint[]) and status = 'ready' and (post_uses > 0 or kept or expires_at > $2::timestamptz)`,
)
const postMediaAdd = statement(
  'post_media_add',
  {},
  `with detailed as (
     insert into post_media (post_id, tagged_user_ids, details) select $1::bigint, $2::bigint[], $3::jsonb where $4::bool
   )
   update user_metrics set media_count = media_count + 1 where user_id = $5 and $6::bool`,
)

/** Counts the uses of media items, before the post is stored. */
export async function useMedia(
  tx: Tx,
  invalidate: Invalidate,
  { media, keys, draft }: Attachment,
  authorId: string,
  { now, isSandbox }: { now: number; isSandbox: boolean },
): Promise<void> {
  invalidate('media', ...keys)
  const preview =
    draft?.preview_media_id === undefined
      ? null
      : await keepPreview(tx, authorId, draft.preview_media_id, now, 'media.preview_media_id')
  const ids = media.map((item) => item.media_id)
  if ((await mediaUse.count(tx, ids, new Date(now), preview, isSandbox)) !== ids.length)
    throw invalidRequest([invalidIds(ids)])
}

/** Stores the details of the media of a stored post, and counts the post unless it is a later version. */
export async function storeMediaDetails(
  tx: Tx,
  postId: string,
  authorId: string,
  { taggedUserIds, draft }: Attachment,
  isCounted: boolean,
): Promise<void> {
  const { media_ids: _ids, tagged_user_ids: _tagged, ...details } = draft ?? { media_ids: [] }
  const hasDetails = taggedUserIds.length > 0 || Object.keys(details).length > 0
  await postMediaAdd.count(tx, postId, taggedUserIds, JSON.stringify(details), hasDetails, authorId, isCounted)
}

/** Ends the use of media items by removed posts. A media item without uses expires at its time. */
const mediaRelease = statement(
  'media_release',
  { media_key: 'text' },
  `with said as (delete from post_media where post_id = any($2::bigint[]))
   update media m set post_uses = m.post_uses - r.uses
     from (select k.key, count(*)::int as uses from unnest($1::text[]) as k (key) group by k.key) r
    where m.media_key = r.key returning m.media_key`,
)
const mediaDiscount = statement(
  'media_discount',
  {},
  'update user_metrics set media_count = greatest(0, media_count - 1) where user_id = $1',
)

/** What a removed post had; posts that only passed media on never held them. */
export async function releaseMedia(
  tx: Tx,
  invalidate: Invalidate,
  authorId: string,
  removed: readonly { id: string; media_keys: string[]; reposted_post_id: string | null; counted: boolean }[],
): Promise<void> {
  const holders = removed.filter((row) => row.media_keys.length > 0 && row.reposted_post_id === null)
  if (holders.length === 0) return
  const keys = holders.flatMap((row) => row.media_keys)
  await mediaRelease.all(
    tx,
    keys,
    holders.map((row) => row.id),
  )
  if (holders.some((row) => row.counted)) await mediaDiscount.count(tx, authorId)
  invalidate('media', ...keys)
}
