import type { StoredMention } from '../reposts/repost-text.ts'
import type { WireEntities } from '../text/wire-text.ts'
import { bothIds, type OldObject, type OldValue } from './old-style-json.ts'

/** The entities of a text in the style of version 1.1; names of mentioned users come from `users`. */
export function oldEntities(entities: WireEntities, users: ReadonlyMap<string, { name: string }>): OldObject {
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
