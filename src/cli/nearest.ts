/** The most similar of some words, if one is similar enough to have been meant. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(word.length / 3))
  const found = known
    .map((item) => ({ item, distance: distanceBetween(word, item) }))
    .filter(({ distance }) => distance <= most)
    .sort((left, right) => left.distance - right.distance)[0]
  return found?.item
}

/** How many letters must be added, removed, replaced or swapped with their neighbour to make one word the other. */
function distanceBetween(left: string, right: string): number {
  const rows = Array.from({ length: left.length + 1 }, (_, at) => [at, ...Array<number>(right.length).fill(0)])
  for (let at = 0; at <= right.length; at++) rows[0]![at] = at
  for (let row = 1; row <= left.length; row++)
    for (let column = 1; column <= right.length; column++) {
      const differs = left[row - 1] === right[column - 1] ? 0 : 1
      let least = Math.min(
        rows[row - 1]![column]! + 1,
        rows[row]![column - 1]! + 1,
        rows[row - 1]![column - 1]! + differs,
      )
      const isSwapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]
      if (row > 1 && column > 1 && isSwapped) least = Math.min(least, rows[row - 2]![column - 2]! + 1)
      rows[row]![column] = least
    }
  return rows[left.length]![right.length]!
}
