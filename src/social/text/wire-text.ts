import type { AnnotationType } from '../annotations/dictionary-source.ts'
import type { FoundName } from '../annotations/find-annotations.ts'
import { displayUrl, expandedUrl } from './display-url.ts'
import type { TextEntity } from './text-entity.ts'

/** A link in a wire text; offsets count code points, the end is exclusive. */
export interface UrlEntity {
  start: number
  end: number
  url: string
  expanded_url: string
  display_url: string
  media_key?: string
}

/** A mention in a wire text. */
export interface MentionEntity {
  start: number
  end: number
  username: string
}

/** A hashtag or cashtag in a wire text. */
interface TagEntity {
  start: number
  end: number
  tag: string
}

/** A name in a wire text. Unlike the others, its end is inclusive. */
export interface AnnotationSpan {
  start: number
  end: number
  probability: number
  type: AnnotationType
  normalized_text: string
}

/** The entities of a wire text. A kind without entities is absent. */
export interface WireEntities {
  urls?: UrlEntity[]
  mentions?: MentionEntity[]
  hashtags?: TagEntity[]
  cashtags?: TagEntity[]
  annotations?: AnnotationSpan[]
}

/** A text as clients receive it: escaped, with short links. */
export interface WireText {
  text: string
  entities: WireEntities
}

/** A wire text under construction, with its length in code points. */
export interface WireDraft extends WireText {
  length: number
}

/** What is marked in a typed text: its entities and the names in it. */
export type TextMark = TextEntity | ({ kind: 'annotation' } & FoundName)

/** The wire form of a text and its entities; `shortLink` gives the link for an expanded url. */
export function writeWireText(
  text: string,
  entities: readonly TextMark[],
  shortLink: (url: string) => string,
): WireDraft {
  const draft: WireDraft = { text: '', entities: {}, length: 0 }
  let at = 0
  for (const entity of entities) {
    appendWords(draft, text.slice(at, entity.start))
    at = entity.end
    if (entity.kind === 'url') {
      const expanded = expandedUrl(entity.value)
      appendLink(draft, expanded, shortLink(expanded))
      continue
    }
    const start = draft.length
    appendWords(draft, text.slice(entity.start, entity.end))
    const range = { start, end: draft.length }
    if (entity.kind === 'annotation') {
      const { probability, entity: named } = entity
      const written = text.slice(entity.start, entity.end)
      draft.entities.annotations ??= []
      draft.entities.annotations.push({
        start,
        end: draft.length - 1,
        probability,
        type: named.type!,
        normalized_text: written,
      })
    } else if (entity.kind === 'mention') {
      draft.entities.mentions ??= []
      draft.entities.mentions.push({ ...range, username: entity.value })
    } else {
      const kind = entity.kind === 'hashtag' ? 'hashtags' : 'cashtags'
      draft.entities[kind] ??= []
      draft.entities[kind].push({ ...range, tag: entity.value })
    }
  }
  appendWords(draft, text.slice(at))
  return draft
}

/** Adds words, escaped. */
export function appendWords(draft: WireDraft, words: string): void {
  const escaped = escapeMarkup(words)
  draft.text += escaped
  draft.length += countCodePoints(escaped)
}

/** Adds a short link and its entity. */
export function appendLink(draft: WireDraft, expanded: string, shortLink: string): void {
  const start = draft.length
  draft.text += shortLink
  draft.length += countCodePoints(shortLink)
  draft.entities.urls ??= []
  draft.entities.urls.push({
    start,
    end: draft.length,
    url: shortLink,
    expanded_url: expanded,
    display_url: displayUrl(expanded),
  })
}

function escapeMarkup(words: string): string {
  if (!/[&<>]/.test(words)) return words
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

const SIGNS: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' }

/** Words of a wire text as they were typed. */
export const unescapeMarkup = (words: string): string => words.replace(/&(?:amp|lt|gt);/g, (sign) => SIGNS[sign]!)

function countCodePoints(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 0xd800 && code <= 0xdbff) count--
  }
  return count
}
