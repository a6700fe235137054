import { unescapeMarkup, type WireEntities } from '../../../social/text/wire-text.ts'

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
    typed += unescapeMarkup(url.media_key === undefined ? before : before.replace(/ $/, ''))
    if (url.media_key === undefined) typed += url.expanded_url
    at = url.end
  }
  return typed + unescapeMarkup(characters.slice(at).join(''))
}
