/** Whether the words follow each other, in their order, somewhere in a run of words. */
export function findWords(run: readonly string[], words: readonly string[]): boolean {
  const last = run.length - words.length
  for (let start = 0; start <= last; start++) {
    let at = 0
    while (at < words.length && run[start + at] === words[at]) at += 1
    if (at === words.length) return true
  }
  return false
}

/**
 * Whether the words can be moved together in at most `distance` steps: two words in their order with that many others
 * between them, or in the opposite order with two fewer. A word that the query has twice must occur twice.
 */
export function findWordsNear(run: readonly string[], words: readonly string[], distance: number): boolean {
  const before = words.map((word, index) => (index === 0 ? -1 : words.lastIndexOf(word, index - 1)))
  const positions = new Array<number>(words.length)
  // The words fit when each is at most `distance` after its position in the phrase that begins at `start`.
  // Taking the first free position leaves the most for the next occurrence of the same word.
  const fitsAt = (start: number): boolean => {
    for (let index = 0; index < words.length; index++) {
      const same = before[index]!
      const end = Math.min(start + index + distance, run.length - 1)
      let position = Math.max(start + index, same === -1 ? 0 : positions[same]! + 1)
      while (position <= end && run[position] !== words[index]) position += 1
      if (position > end) return false
      positions[index] = position
    }
    return true
  }
  for (let start = 1 - words.length - distance; start < run.length; start++) if (fitsAt(start)) return true
  return false
}
