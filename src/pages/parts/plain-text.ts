import type { PostView } from './views.ts'

/** The text of a post without links: addresses as they are shown, or as they were typed. Those of its own media are left out. */
export function plainText({ text, entities, note_post: note }: PostView, urls: 'shown' | 'typed'): string {
  const points = [...(note?.text ?? text)]
  const found = (note?.entities ?? entities)?.urls?.toSorted((left, right) => right.start - left.start) ?? []
  for (const { start, end, url, expanded_url: whole, display_url: short, media_key: key } of found)
    points.splice(start, end - start, key !== undefined ? '' : ((urls === 'shown' ? short : undefined) ?? whole ?? url))
  return points.join('').trim()
}
