import { shortLink } from '../links/short-link.ts'
import type { PostRow } from '../posts/post.parts.ts'
import { cutPosition } from '../text/cut-position.ts'
import { displayTextRange } from '../text/display-range.ts'
import { appendLink, appendWords, type WireDraft, type WireEntities } from '../text/wire-text.ts'

/** The longest text of version 1.1, in characters. */
const MAX_LENGTH = 140
const ELLIPSIS = '… '
const LINK_LENGTH = 23
const MAX_BEGINNING = MAX_LENGTH - ELLIPSIS.length - LINK_LENGTH

/** The text of a post as it is stored. */
export type StoredText = Pick<
  PostRow,
  'text' | 'entities' | 'note_text' | 'note_entities' | 'display_start' | 'display_end'
>

/** A whole text with its entities and the range of it that is displayed. */
interface FullText {
  text: string
  entities: WireEntities
  range: [start: number, end: number]
}

/** The whole text of a post, of any length. */
export function fullTextOf(stored: StoredText): FullText {
  // Version 1.1 does not have names.
  const { annotations: _names, ...entities } = (stored.entities ?? {}) as WireEntities
  if (stored.note_text === null)
    return { text: stored.text, entities, range: [stored.display_start, stored.display_end] }
  const all = (stored.note_entities ?? {}) as WireEntities
  // The short form begins like the whole text, so its range shows whether the leading mentions are hidden.
  const range = displayTextRange(stored.note_text, { isReply: stored.display_start > 0, entities: all })
  return { text: stored.note_text, entities: all, range }
}

/** Whether version 1.1 shows only the beginning of a text. */
export const isTooLong = (stored: StoredText): boolean =>
  Array.from(stored.note_text ?? stored.text).length > MAX_LENGTH

/** The beginning of a long text and a link to the post, together within the limit of version 1.1. */
export function shortenText(full: FullText, ownUrl: string): { text: string; entities: WireEntities } {
  const characters = Array.from(full.text)
  const cut = cutPosition(characters, Object.values(full.entities).flat(), MAX_BEGINNING)
  const text = characters.slice(0, cut).join('').trimEnd()
  const kept = Object.entries(full.entities).flatMap(([kind, items]: [string, { end: number }[]]) => {
    const inside = items.filter((item) => item.end <= cut)
    return inside.length === 0 ? [] : [[kind, inside]]
  })
  const draft: WireDraft = { text, entities: Object.fromEntries(kept), length: Array.from(text).length }
  appendWords(draft, ELLIPSIS)
  appendLink(draft, ownUrl, shortLink(ownUrl))
  return { text: draft.text, entities: draft.entities }
}
