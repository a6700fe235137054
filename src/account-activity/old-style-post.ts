import { timeOfId } from '../process/ids.ts'
import { oldPlace } from '../social/places/old-style-place.ts'
import { bothIds, type OldObject, oldTime } from '../social/posts/old-style-json.ts'
import { entitiesWithMedia } from '../social/posts/old-style-media.ts'
import { fullText, isTooLong, shortenText } from '../social/posts/old-style-text.ts'
import type { PostRow } from '../social/posts/post.parts.ts'
import { oldUser } from '../social/users/old-style-user.ts'
import { type EventObjects, isShownTo, ownUrlOf } from './event-objects.ts'

/** Which of the posts that a post refers to are shown inside it: a repost shows a quote inside its original. */
type Inside = 'reposted and quoted' | 'quoted' | 'nothing'

/** A post in the style of version 1.1, as the subscription of a user shows it. */
export function oldPost(
  row: PostRow,
  objects: EventObjects,
  userId: string,
  inside: Inside = 'reposted and quoted',
): OldObject {
  const author = objects.users.get(row.author_id)!
  const counts = objects.postCounts.get(row.id)
  const within = (id: string | null, deeper: Inside): OldObject | undefined => {
    const found = id === null ? undefined : objects.posts.get(id)
    return found && isShownTo(found, objects, userId) ? oldPost(found, objects, userId, deeper) : undefined
  }
  const place = row.place_id === null ? undefined : objects.places.get(row.place_id)
  return {
    created_at: oldTime(timeOfId(row.id)),
    ...bothIds(row.id),
    ...textMembers(row, objects),
    source: row.source,
    in_reply_to_status_id: numeric(row.in_reply_to_post_id),
    in_reply_to_status_id_str: row.in_reply_to_post_id,
    in_reply_to_user_id: numeric(row.in_reply_to_user_id),
    in_reply_to_user_id_str: row.in_reply_to_user_id,
    in_reply_to_screen_name: objects.users.get(row.in_reply_to_user_id ?? '')?.username ?? null,
    user: oldUser(author, objects.userCounts.get(author.id)),
    place: place ? oldPlace(place) : null,
    is_quote_status: row.quoted_post_id !== null,
    ...(row.quoted_post_id === null
      ? {}
      : { quoted_status_id: BigInt(row.quoted_post_id), quoted_status_id_str: row.quoted_post_id }),
    quoted_status: inside === 'nothing' ? undefined : within(row.quoted_post_id, 'nothing'),
    reposted_status: inside === 'reposted and quoted' ? within(row.reposted_post_id, 'quoted') : undefined,
    quote_count: counts?.quote_count ?? 0,
    reply_count: counts?.reply_count ?? 0,
    repost_count: counts?.repost_count ?? 0,
    favorite_count: counts?.like_count ?? 0,
    // As in the streams of the old style, these two never say what the subscribed user did.
    favorited: false,
    reposted: false,
    possibly_sensitive: row.possibly_sensitive,
    edit_history: editHistory(row, objects),
    lang: row.lang,
    timestamp_ms: String(timeOfId(row.id)),
  }
}

const numeric = (id: string | null): bigint | null => (id === null ? null : BigInt(id))

function textMembers(row: PostRow, objects: EventObjects): OldObject {
  const { users } = objects
  const full = fullText(row)
  const media = row.media_keys.flatMap((key) => objects.media.get(key) ?? [])
  if (!isTooLong(row))
    return {
      text: full.text,
      display_text_range: full.range,
      truncated: false,
      ...entitiesWithMedia(full.entities, media, users),
    }
  const short = shortenText(full, ownUrlOf(row, objects))
  return {
    text: short.text,
    truncated: true,
    // Cut off with the end of the text.
    ...entitiesWithMedia(short.entities, [], users),
    extended_post: {
      full_text: full.text,
      display_text_range: full.range,
      ...entitiesWithMedia(full.entities, media, users),
    },
  }
}

// Each version of a post comes as a post of its own; only this tells that they belong together.
function editHistory(row: PostRow, { versions }: EventObjects): OldObject | undefined {
  const known = versions.get(row.id)
  return known && { initial_post_id: known.first_version_id, edit_post_ids: known.version_ids }
}
