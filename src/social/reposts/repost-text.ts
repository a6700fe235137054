import { cutPosition } from '../text/cut-position.ts'
import type { MentionEntity, WireEntities, WireText } from '../text/wire-text.ts'

const MAX_LENGTH = 140
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

/** Writes `RT @name: text`, cut where it is too long. Entities beyond or across the cut are left out. */
export function repostText(
  original: { text: string; entities: WireEntities | null },
  author: { id: string; username: string },
): RepostText {
  const lead = `RT @${author.username}: `
  const leading: StoredMention = { start: 3, end: lead.length - 2, username: author.username, id: author.id }
  const { urls, mentions, hashtags, cashtags, annotations } = original.entities ?? {}
  const moved = {
    urls: shift(urls, lead.length),
    mentions: [leading, ...shift(mentions as StoredMention[] | undefined, lead.length)],
    hashtags: shift(hashtags, lead.length),
    cashtags: shift(cashtags, lead.length),
  }
  const text = lead + original.text
  const characters = Array.from(text)
  const cut =
    characters.length > MAX_LENGTH
      ? cutPosition(characters, Object.values(moved).flat(), MAX_LENGTH - 1)
      : characters.length
  // The end of a name is inclusive. A name that the cut splits is left out; it does not move the cut.
  const names = shift(annotations, lead.length).filter((item) => item.end < cut)
  const kept = Object.entries({ ...moved, annotations: names })
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
