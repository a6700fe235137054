import { POST_CATEGORIES } from '../../social/media/categories.ts'
import { isUsable, isUsableBy, type MediaFacts, mediaFacts } from '../../social/media/media.statements.ts'
import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { AdsError, notFound } from '../kit/errors.ts'

const categories: readonly string[] = POST_CATEGORIES

const libraryKeys = statement(
  'ads_posts_library_keys',
  { media_key: 'text' },
  'select media_key from ads_media_library where account_id = $1 and media_key = any($2::text[]) and not deleted',
)

const invalidMedia = (details: string, value?: string): AdsError =>
  new AdsError('INVALID_MEDIA', 'The media item cannot be used here', { parameter: 'media_keys', details, value })

/** The media items of a post, and the keys of those that the author may use because the account's library has them. */
export interface PostMedia {
  media: MediaFacts[]
  lentKeys: ReadonlySet<string>
}

/** Finds the media items that a post of the account names. Each must be in the account's library or belong to the author. */
export async function findPostMedia(
  db: Db,
  named: { accountId: string; authorId: string; keys: readonly string[]; now: number },
): Promise<PostMedia & { errors: AdsError[] }> {
  const { keys, authorId, now } = named
  if (keys.length === 0) return { media: [], lentKeys: new Set(), errors: [] }
  const lentKeys = await inLibrary(db, named.accountId, keys)
  const found = new Map((await mediaFacts.all(db, keys)).map((item) => [item.media_key, item]))
  const media = keys.flatMap((key) => found.get(key) ?? [])
  const isAvailable = (item: MediaFacts) =>
    lentKeys.has(item.media_key) || item.owner_user_id === authorId || item.additional_owner_ids.includes(authorId)
  const unknown = keys.filter((key) => {
    const item = found.get(key)
    return !item || !isAvailable(item)
  })
  const errors =
    unknown.length > 0
      ? unknown.map((key) => notFound('MEDIA_NOT_FOUND', 'media_keys', key))
      : kindErrors(media, keys, (item) =>
          lentKeys.has(item.media_key) ? isUsable(item, now) : isUsableBy(item, authorId, now),
        )
  return { media, lentKeys, errors }
}

/** A post has one kind of media: up to four images, or one GIF, or one video. */
function kindErrors(media: MediaFacts[], keys: readonly string[], canUse: (item: MediaFacts) => boolean): AdsError[] {
  if (new Set(keys).size < keys.length) return [invalidMedia('must not name a media item twice')]
  const unusable = media.filter((item) => !canUse(item) || !categories.includes(item.category))
  if (unusable.length > 0)
    return unusable.map((item) => invalidMedia('must be ready images, GIFs or videos for posts', item.media_key))
  if (media.length > 1 && media.some((item) => item.type !== 'photo'))
    return [invalidMedia('must be up to 4 images, or 1 GIF, or 1 video')]
  return []
}

/** The given keys that are in the account's library. */
export async function inLibrary(db: Db, accountId: string, keys: readonly string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set()
  return new Set((await libraryKeys.all(db, accountId, keys)).map((row) => row.media_key))
}

/** The errors about kinds of media, for media items that need not be ready yet. */
export async function mediaKindErrors(db: Db, keys: readonly string[]): Promise<AdsError[]> {
  return keys.length === 0 ? [] : kindErrors(await mediaFacts.all(db, keys), keys, () => true)
}
