import type { MediaFacts } from '../media/media.statements.ts'
import type { StoredMention } from '../reposts/repost-text.ts'
import type { WireEntities } from '../text/wire-text.ts'
import { composeV1Media, type VideoDetails } from './compose-media.ts'
import { type V1Object, type V1Value, v1Ids } from './v1-json.ts'

/** The names of mentioned users, by id. */
export type MentionedNames = ReadonlyMap<string, { name: string }>

/** What the entities of a text are composed from, besides the text. */
export interface V1Attachments {
  media: readonly MediaFacts[]
  videoDetails: VideoDetails | null
}

/**
 * The members `entities` and `extended_entities` of a post. The first media item stands among the entities, all of them among
 * the extended ones; their links are not repeated among the other links.
 */
export function composeV1Entities(
  entities: WireEntities,
  { media, videoDetails }: V1Attachments,
  names: MentionedNames,
): V1Object {
  const links = entities.urls ?? []
  const shown = media.map((item) =>
    composeV1Media(
      item,
      links.find((link) => link.media_key === item.media_key),
      videoDetails,
    ),
  )
  const others = textEntities({ ...entities, urls: links.filter((link) => link.media_key === undefined) }, names)
  if (shown.length === 0) return { entities: others }
  return { entities: { ...others, media: shown.slice(0, 1) }, extended_entities: { media: shown } }
}

function textEntities(entities: WireEntities, names: MentionedNames): V1Object {
  const tags = (items: WireEntities['hashtags'] = []): V1Value =>
    items.map((item) => ({ text: item.tag, indices: [item.start, item.end] }))
  return {
    hashtags: tags(entities.hashtags),
    symbols: tags(entities.cashtags),
    user_mentions: ((entities.mentions ?? []) as StoredMention[]).map((item) => ({
      screen_name: item.username,
      name: names.get(item.id)?.name ?? item.username,
      ...v1Ids(item.id),
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
