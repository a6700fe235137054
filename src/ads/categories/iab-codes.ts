/** A named set of content category codes. */
export interface CodeSet {
  id: string
  name: string
  iab_categories: string[]
}

/** A set of codes in short form: `IAB9-1..3` stands for three codes. */
export const codeSet = (id: string, name: string, codes: string): CodeSet => ({
  id,
  name,
  iab_categories: codes.split(' ').flatMap(readRun),
})

function readRun(text: string): string[] {
  const [, parent, first, last] = /^(IAB\d+)-(\d+)\.\.(\d+)$/.exec(text) ?? []
  if (!parent) return [text]
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) => `${parent}-${Number(first) + at}`)
}
