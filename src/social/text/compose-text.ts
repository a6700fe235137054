import { type FoundAnnotations, findAnnotations } from '../annotations/find-annotations.ts'
import { findEntities } from './find-entities.ts'
import type { TextEntity } from './text-entity.ts'
import { weighNormalized } from './weigh.ts'
import { appendLink, appendWords, type TextMark, type WireText, writeWireText } from './wire-text.ts'

/** A composed text: the wire form, the links to store, and the typed form that later steps need. */
export interface ComposedText extends WireText {
  // Each distinct url once.
  links: { url: string; shortLink: string }[]
  // Of the typed part only: attached urls do not count.
  weight: number
  // In NFC, with the offsets of its entities.
  typed: { text: string; entities: TextEntity[] }
  // What the text is about; nothing unless it was asked for.
  about: FoundAnnotations
}

/** Composes the wire text of a post or message; `shortLink` makes the short link of a url, once per distinct url. */
export function composeText(
  raw: string,
  options: { shortLink: (url: string) => string; attachedUrls?: string[]; annotate?: boolean },
): ComposedText {
  const text = storable(raw)
  const entities = findEntities(text)
  const shortLinks = new Map<string, string>()
  const shortLink = (url: string): string => {
    const link = shortLinks.get(url) ?? options.shortLink(url)
    shortLinks.set(url, link)
    return link
  }
  const about = options.annotate ? findAnnotations(text, entities) : { names: [], entities: [] }
  const draft = writeWireText(text, marksOf(entities, about), shortLink)
  for (const url of options.attachedUrls ?? []) {
    if (draft.length > 0) appendWords(draft, ' ')
    appendLink(draft, url, shortLink(url))
  }
  const urls = entities.filter((entity) => entity.kind === 'url')
  return {
    text: draft.text,
    entities: draft.entities,
    links: [...shortLinks].map(([url, link]) => ({ url, shortLink: link })),
    weight: weighNormalized(text, urls),
    typed: { text, entities },
    about,
  }
}

/** The entities of a text and the names in it, in order. Names never overlap entities. */
export function marksOf(entities: readonly TextEntity[], { names }: FoundAnnotations): readonly TextMark[] {
  if (names.length === 0) return entities
  const marks = [...entities, ...names.map((name) => ({ kind: 'annotation' as const, ...name }))]
  return marks.sort((one, other) => one.start - other.start)
}

// JSON can contain NUL and lone surrogates; the database accepts neither.
function storable(raw: string): string {
  const text = raw.normalize('NFC')
  return /[\0\ud800-\udfff]/.test(text) ? text.replaceAll('\0', '').replace(/\p{Cs}/gu, '\ufffd') : text
}
