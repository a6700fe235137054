/** Whether the words stand side by side and in their order somewhere in a run of words. */
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
 * Whether the words can be moved together in at most `distance` steps: two words in their order with so many others
 * between them, in the other order with two less. A word that is asked for twice must be there twice.
 */
export function findWordsNear(run: readonly string[], words: readonly string[], distance: number): boolean {
  const before = words.map((word, index) => (index === 0 ? -1 : words.lastIndexOf(word, index - 1)))
  const places = new Array<number>(words.length)
  // When the words fit, each stands at most `distance` behind the place that it has in the phrase that begins at `start`.
  // Taking the first place that is free leaves the most for the next of the same word.
  const fitsAt = (start: number): boolean => {
    for (let index = 0; index < words.length; index++) {
      const same = before[index]!
      const end = Math.min(start + index + distance, run.length - 1)
      let place = Math.max(start + index, same === -1 ? 0 : places[same]! + 1)
      while (place <= end && run[place] !== words[index]) place += 1
      if (place > end) return false
      places[index] = place
    }
    return true
  }
  for (let start = 1 - words.length - distance; start < run.length; start++) if (fitsAt(start)) return true
  return false
}
