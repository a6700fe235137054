import { timeOfId } from '../process/ids.ts'
import type { PostRow } from '../social/posts/post.parts.ts'
import type { StoredMention } from '../social/reposts/repost-text.ts'
import type { WireEntities } from '../social/text/wire-text.ts'
import { type EventObjects, isShownTo, ownUrlOf, type PlaceRow } from './event-objects.ts'
import { bothIds, type OldObject, type OldValue, oldTime } from './old-style-json.ts'
import { fullText, isTooLong, shortenText } from './old-style-text.ts'
import { oldUser } from './old-style-user.ts'

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
  const full = fullText(row)
  if (!isTooLong(row))
    return {
      text: full.text,
      display_text_range: full.range,
      truncated: false,
      entities: oldEntities(full.entities, objects),
    }
  const short = shortenText(full, ownUrlOf(row, objects))
  return {
    text: short.text,
    truncated: true,
    entities: oldEntities(short.entities, objects),
    extended_post: {
      full_text: full.text,
      display_text_range: full.range,
      entities: oldEntities(full.entities, objects),
    },
  }
}

function oldEntities(entities: WireEntities, { users }: EventObjects): OldObject {
  const tags = (items: WireEntities['hashtags'] = []): OldValue =>
    items.map((item) => ({ text: item.tag, indices: [item.start, item.end] }))
  return {
    hashtags: tags(entities.hashtags),
    symbols: tags(entities.cashtags),
    user_mentions: ((entities.mentions ?? []) as StoredMention[]).map((item) => ({
      screen_name: item.username,
      name: users.get(item.id)?.name ?? item.username,
      ...bothIds(item.id),
      indices: [item.start, item.end],
    })),
    urls: (entities.urls ?? []).map((item) => ({
      url: item.url,
      expanded_url: item.expanded_url,
      display_url: item.display_url,
      indices: [item.start, item.end],
    })),
  }
}

function oldPlace(row: PlaceRow): OldObject {
  const [west, south, east, north] = row.bbox as [number, number, number, number]
  const corners = [
    [west, south],
    [west, north],
    [east, north],
    [east, south],
  ]
  return {
    id: row.id,
    place_type: row.place_type,
    name: row.name,
    full_name: row.full_name,
    country_code: row.country_code,
    country: row.country,
    bounding_box: { type: 'Polygon', coordinates: [corners] },
  }
}

// Each version of a post comes as a post of its own; only this tells that they belong together.
function editHistory(row: PostRow, { versions }: EventObjects): OldObject | undefined {
  const known = versions.get(row.id)
  return known && { initial_post_id: known.first_version_id, edit_post_ids: known.version_ids }
}
