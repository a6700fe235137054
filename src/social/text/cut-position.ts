const LONGEST_ESCAPE = 5
const ESCAPE = /&(?:amp|lt|gt);/g
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

interface Range {
  start: number
  end: number
}

/**
 * Where a wire text can be cut, in code points: the last position up to `max` that does not split an entity, an escape, or what
 * a reader sees as one character.
 */
export function cutPosition(characters: readonly string[], entities: readonly Range[], max: number): number {
  // An escape that begins before `max` ends within this many characters after it.
  const head = characters.slice(0, max + LONGEST_ESCAPE).join('')
  let end = 0
  let cut = 0
  for (const { segment } of graphemes.segment(head)) {
    end += Array.from(segment).length
    if (end > max) break
    cut = end
  }
  const escapes = [...head.matchAll(ESCAPE)].map((hit) => {
    const start = Array.from(head.slice(0, hit.index)).length
    return { start, end: start + hit[0].length }
  })
  return [...escapes, ...entities].find((range) => range.start < cut && range.end > cut)?.start ?? cut
}
