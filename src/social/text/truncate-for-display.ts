import { type ComposedText, marksOf } from './compose-text.ts'
import type { TextEntity } from './text-entity.ts'
import { LONGEST_SHORT_POST, URL_WEIGHT, weighUnit } from './weigh.ts'
import { appendLink, appendWords, type WireText, writeWireText } from './wire-text.ts'

const ELLIPSIS = '… '
const ELLIPSIS_WEIGHT = 3

/** The short form of a long text: its beginning and a link to the post itself, together within the limit of a short post. */
export function truncateForDisplay(composed: ComposedText, own: { url: string; shortLink: string }): WireText {
  if (composed.weight <= LONGEST_SHORT_POST) return { text: composed.text, entities: composed.entities }
  const { text, entities } = composed.typed
  const cut = cutOffset(text, entities, LONGEST_SHORT_POST - ELLIPSIS_WEIGHT - URL_WEIGHT)
  const shortLinks = new Map(composed.links.map((link) => [link.url, link.shortLink]))
  const kept = marksOf(entities, composed.about).filter((entity) => entity.end <= cut)
  const draft = writeWireText(text.slice(0, cut).trimEnd(), kept, (url) => shortLinks.get(url)!)
  appendWords(draft, ELLIPSIS)
  appendLink(draft, own.url, own.shortLink)
  return { text: draft.text, entities: draft.entities }
}

// The last offset that the weight allows, never inside an entity or inside what a reader sees as one character.
function cutOffset(text: string, entities: readonly TextEntity[], weight: number): number {
  let left = weight
  let at = 0
  for (const entity of entities) {
    const words = readUpTo(text, at, entity.start, left)
    if (words.end < entity.start) return Math.max(at, characterStart(text, words.end))
    const link =
      entity.kind === 'url'
        ? { end: entity.end, left: words.left - URL_WEIGHT }
        : readUpTo(text, entity.start, entity.end, words.left)
    if (link.left < 0 || link.end < entity.end) return entity.start
    left = link.left
    at = entity.end
  }
  return Math.max(at, characterStart(text, readUpTo(text, at, text.length, left).end))
}

function readUpTo(text: string, from: number, to: number, weight: number): { end: number; left: number } {
  let end = from
  let left = weight
  while (end < to) {
    const unit = weighUnit(text, end)
    if (unit.weight > left) break
    left -= unit.weight
    end = unit.end
  }
  return { end, left }
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

function characterStart(text: string, at: number): number {
  // A slice is enough: only the character around the offset matters.
  return at < text.length ? graphemes.segment(text.slice(0, at + 64)).containing(at)!.index : at
}
