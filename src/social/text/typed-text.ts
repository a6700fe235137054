import type { WireEntities } from './wire-text.ts'

const SIGNS: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' }

interface StoredText {
  text: string
  entities: unknown
  note_text: string | null
  note_entities: unknown
}

/** The whole text of a stored post as it was typed, without escapes. Links in it are short. */
export const typedText = (row: StoredText): string =>
  (row.note_text ?? row.text).replace(/&(?:amp|lt|gt);/g, (sign) => SIGNS[sign]!)

/** What the whole text of a stored post names and links to. */
export function textEntities(row: StoredText) {
  const {
    hashtags = [],
    cashtags = [],
    mentions = [],
    urls = [],
  } = (row.note_entities ?? row.entities ?? {}) as WireEntities
  return {
    hashtags: hashtags.map((item) => item.tag),
    cashtags: cashtags.map((item) => item.tag),
    mentions: mentions.map((item) => item.username),
    // The link that stands for attached media is nothing that the author wrote.
    urls: urls
      .filter((item) => item.media_key === undefined)
      .map((item) => ({ expanded: item.expanded_url, short: item.url })),
  }
}
