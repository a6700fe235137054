import type { WireEntities } from '../../../social/text/wire-text.ts'

const SIGNS: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' }
const unescaped = (text: string): string => text.replace(/&(?:amp|lt|gt);/g, (sign) => SIGNS[sign]!)

/** A stored text as it was typed: with whole links, and without the link that stands for attached media. */
export function typedAgain(text: string, entities: unknown): string {
  const characters = Array.from(text)
  const urls = ((entities as WireEntities | null)?.urls ?? []).toSorted((left, right) => left.start - right.start)
  let typed = ''
  let at = 0
  for (const url of urls) {
    // Several media items share one link.
    if (url.start < at) continue
    const before = characters.slice(at, url.start).join('')
    typed += unescaped(url.media_key === undefined ? before : before.replace(/ $/, ''))
    if (url.media_key === undefined) typed += url.expanded_url
    at = url.end
  }
  return typed + unescaped(characters.slice(at).join(''))
}
