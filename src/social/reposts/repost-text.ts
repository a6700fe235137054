import type { MentionEntity, WireEntities, WireText } from '../text/wire-text.ts'

const LONGEST = 140
const ELLIPSIS = '…'

/** A mention as it is stored: with the id of the user. */
export interface StoredMention extends MentionEntity {
  id: string
}

/** The text of a repost, how many characters it has, and whom it mentions. */
interface RepostText extends WireText {
  length: number
  mentionedIds: string[]
}

/** Writes `RT @name: text`, cut where it gets too long; entities that are cut away or through are left out. */
export function repostText(
  original: { text: string; entities: WireEntities | null },
  author: { id: string; username: string },
): RepostText {
  const lead = `RT @${author.username}: `
  const leading: StoredMention = { start: 3, end: lead.length - 2, username: author.username, id: author.id }
  const { urls, mentions, hashtags, cashtags } = original.entities ?? {}
  const moved = {
    urls: shift(urls, lead.length),
    mentions: [leading, ...shift(mentions as StoredMention[] | undefined, lead.length)],
    hashtags: shift(hashtags, lead.length),
    cashtags: shift(cashtags, lead.length),
  }
  const text = lead + original.text
  const characters = Array.from(text)
  const cut = characters.length > LONGEST ? cutPlace(text, Object.values(moved).flat()) : characters.length
  const kept = Object.entries(moved)
    .map(([kind, items]) => [kind, items.filter((item) => item.end <= cut)] as const)
    .filter(([, items]) => items.length > 0)
  return {
    text: cut < characters.length ? characters.slice(0, cut).join('') + ELLIPSIS : text,
    entities: Object.fromEntries(kept),
    length: cut < characters.length ? cut + 1 : cut,
    mentionedIds: [...new Set(moved.mentions.filter((item) => item.end <= cut).map((item) => item.id))],
  }
}

const shift = <T extends { start: number; end: number }>(items: T[] | undefined, by: number): T[] =>
  (items ?? []).map((item) => ({ ...item, start: item.start + by, end: item.end + by }))

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const ESCAPE = /&(?:amp|lt|gt);/g

// The furthest place, in code points, that leaves room for the ellipsis and is inside neither an entity, nor an escape, nor what a reader sees as one character.
function cutPlace(text: string, entities: { start: number; end: number }[]): number {
  const furthest = LONGEST - 1
  let at = 0
  let place = 0
  for (const { segment } of graphemes.segment(text)) {
    at += Array.from(segment).length
    if (at > furthest) break
    place = at
  }
  for (const hit of text.matchAll(ESCAPE)) {
    const start = Array.from(text.slice(0, hit.index)).length
    if (start >= furthest) break
    if (place > start && place < start + hit[0].length) place = start
  }
  const within = entities.find((entity) => entity.start < place && entity.end > place)
  return within ? within.start : place
}
