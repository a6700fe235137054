import type { WireEntities } from './wire-text.ts'

/**
 * The range of a wire text that is displayed, in code points, end exclusive. A reply is displayed without its leading
 * mentions, and links of attached media at the end are displayed as the media items.
 */
export function displayTextRange(
  text: string,
  options: { isReply: boolean; entities: Pick<WireEntities, 'mentions' | 'urls'> },
): [start: number, end: number] {
  const characters = Array.from(text)
  let end = characters.length
  for (const url of options.entities.urls?.toReversed() ?? []) {
    if (url.media_key === undefined || url.end !== end) break
    end = blanksStart(characters, url.start)
  }
  let start = 0
  for (const mention of (options.isReply && options.entities.mentions) || []) {
    if (mention.start !== start) break
    start = blanksEnd(characters, mention.end)
  }
  // A text that consists of mentions is displayed in full.
  return start < end ? [start, end] : [0, end]
}

function blanksStart(characters: string[], from: number): number {
  let start = from
  while (start > 0 && characters[start - 1] === ' ') start--
  return start
}

function blanksEnd(characters: string[], from: number): number {
  let end = from
  while (characters[end] === ' ') end++
  return end
}
