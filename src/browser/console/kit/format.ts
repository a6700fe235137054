/** The time of a day, to the millisecond. */
export const timeOf = (iso: string): string => new Date(iso).toLocaleTimeString('en-GB') + iso.slice(19, 23)

/** Date and time, in UTC as the interface writes it. */
export const momentOf = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 19)}`

export const msOf = (ms: number | undefined): string =>
  ms === undefined ? '' : ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`

export const countOf = (count: number): string => count.toLocaleString('en-US')

/** So many of something: `1 like`, `2 likes`; the plural is given where it is not the word with an s. */
export const manyOf = (count: number, word: string, plural = `${word}s`): string =>
  `${countOf(count)} ${count === 1 ? word : plural}`

export const bytesOf = (bytes: number): string =>
  bytes < 1024
    ? `${bytes} B`
    : bytes < 1024 * 1024
      ? `${(bytes / 1024).toFixed(1)} kB`
      : `${(bytes / 1024 / 1024).toFixed(1)} MB`

/** JSON with line breaks; another text as it is. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
