import { shortLink } from '../links/short-link.ts'
import { displayTextRange } from '../text/display-range.ts'
import { appendLink, appendWords, type WireDraft, type WireEntities } from '../text/wire-text.ts'
import type { PostRow } from './post.parts.ts'

/** The most characters that a text of the old style has. */
const LONGEST = 140
const ELLIPSIS = '… '
const LINK_LENGTH = 23

type Written = Pick<PostRow, 'text' | 'entities' | 'note_text' | 'note_entities' | 'display_start' | 'display_end'>

/** A whole text with its entities and the part of it that is shown. */
export interface FullText {
  text: string
  entities: WireEntities
  range: [start: number, end: number]
}

/** The whole text of a post, however long. */
export function fullText(row: Written): FullText {
  const entities = (row.entities ?? {}) as WireEntities
  if (row.note_text === null) return { text: row.text, entities, range: [row.display_start, row.display_end] }
  const all = (row.note_entities ?? {}) as WireEntities
  // The short form begins as the whole text does, so that it tells whether the first mentions are shown.
  const range = displayTextRange(row.note_text, { isReply: row.display_start > 0, entities: all })
  return { text: row.note_text, entities: all, range }
}

/** True for a post whose text the old style shows only the beginning of. */
export const isTooLong = (row: Written): boolean => Array.from(row.note_text ?? row.text).length > LONGEST

/** The beginning of a long text and a link to the post, together not over the old limit. */
export function shortenText(full: FullText, ownUrl: string): { text: string; entities: WireEntities } {
  const characters = Array.from(full.text)
  const cut = cutPlace(characters, full.entities)
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

const ROOM = LONGEST - Array.from(ELLIPSIS).length - LINK_LENGTH
const LONGEST_ESCAPE = 5
const ESCAPE = /&(?:amp|lt|gt);/g
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

// The furthest place, in code points, that is inside neither an entity, nor an escape, nor what a reader sees as one character.
function cutPlace(characters: string[], entities: WireEntities): number {
  // What lies further behind the place than an escape is long does not matter.
  const head = characters.slice(0, ROOM + LONGEST_ESCAPE).join('')
  let at = 0
  let place = 0
  for (const { segment } of graphemes.segment(head)) {
    at += Array.from(segment).length
    if (at > ROOM) break
    place = at
  }
  const escapes = [...head.matchAll(ESCAPE)].map((hit) => {
    const start = Array.from(head.slice(0, hit.index)).length
    return { start, end: start + hit[0].length }
  })
  const spans = [...escapes, ...Object.values(entities).flat()] as { start: number; end: number }[]
  return spans.find((span) => span.start < place && span.end > place)?.start ?? place
}
