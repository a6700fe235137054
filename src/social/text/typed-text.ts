import { annotationTerms } from '../annotations/annotation-terms.ts'
import { entitiesOf } from '../annotations/dictionary.ts'
import { unescapeMarkup, type WireEntities } from './wire-text.ts'

interface StoredWireText {
  text: string
  entities: unknown
  note_text: string | null
  note_entities: unknown
  context_entity_ids?: string[] | null
}

/** The whole text of a stored post as typed, without escapes but with short links. */
export const typedText = (row: StoredWireText): string => unescapeMarkup(row.note_text ?? row.text)

/** The tags, mentions and links in the whole text of a stored post. */
export function textEntities(row: StoredWireText) {
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
    // The author did not write the link that stands for attached media.
    urls: urls
      .filter((item) => item.media_key === undefined)
      .map((item) => ({ expanded: item.expanded_url, short: item.url })),
  }
}

/** The terms that `context:` and `entity:` find of a stored post. `folded` is how the caller compares words. */
export function storedAnnotationTerms(row: StoredWireText, folded: (text: string) => string): string[] {
  if (!row.context_entity_ids) return []
  const { annotations = [] } = (row.entities ?? {}) as WireEntities
  return annotationTerms(
    entitiesOf(row.context_entity_ids),
    annotations.map((item) => item.normalized_text),
    folded,
  )
}
