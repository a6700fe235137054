import { hash, hashText } from '../../process/hash.ts'

export const BLOCK_BYTES = 64
/** With three bits of a pair among ten, one of fifty pairs that a slice does not have seems to be in it. */
const BITS_PER_PAIR = 10

// A pair of words is a number of 53 binary digits: 26 choose a block, and nine each choose three bits of it.
const BITS_OF_BLOCK = 2 ** 27

/** A number for two words that stand next to each other. It is the same for the same words. */
export function wordPair(first: string, second: string): number {
  const pair = hashText(`${first} ${second}`)
  return (hash(pair, 1) >>> 6) * BITS_OF_BLOCK + (hash(pair, 2) >>> 5)
}

/** The pairs of words that stand next to each other. */
export const pairsOf = (words: readonly string[]): number[] =>
  words.slice(1).map((word, index) => wordPair(words[index]!, word))

const TERM = /'((?:[^'\\]|''|\\\\)*)'(?::([\d,]+))?/g

/** Adds the pairs of a post, which is given by the text of its `tsvector`. */
export function addPairs(pairs: Set<number>, terms: string): void {
  const placed: { at: number; word: string }[] = []
  for (const [, word, positions] of terms.matchAll(TERM)) {
    if (positions === undefined) continue
    for (const at of positions.split(',')) placed.push({ at: Number(at), word: word! })
  }
  placed.sort((left, right) => left.at - right.at)
  for (const [index, { at, word }] of placed.entries())
    for (let next = index + 1; next < placed.length && placed[next]!.at <= at + 1; next++)
      if (placed[next]!.at === at + 1) pairs.add(wordPair(word, placed[next]!.word))
}

/** A Bloom filter of pairs: it says of a pair that it is not there, or that it may be. All bits of a pair are in one block. */
export function pairFilter(pairs: ReadonlySet<number>): { blocks: number; bits: Buffer } {
  const blocks = Math.max(1, Math.ceil((pairs.size * BITS_PER_PAIR) / (BLOCK_BYTES * 8)))
  const bytes = Buffer.alloc(blocks * BLOCK_BYTES)
  for (const pair of pairs) {
    const start = (Math.floor(pair / BITS_OF_BLOCK) % blocks) * BLOCK_BYTES
    const bits = pair % BITS_OF_BLOCK
    for (const bit of [bits & 511, (bits >> 9) & 511, bits >> 18]) bytes[start + (bit >> 3)]! |= 1 << (bit & 7)
  }
  return { blocks, bits: bytes }
}

/** SQL that is false for a slice that lacks one of some pairs. `slice` is its number, `pairs` an array of theirs. */
export const mayHavePairs = (slice: string, pairs: string): string =>
  `(${slice} = any(array(select slice from search_change where slice is not null)) or not exists (
     select from search_pairs f cross join unnest(${pairs}::bigint[]) as q (pair)
      cross join lateral (
        select substr(f.bits, ((q.pair >> 27) % f.blocks)::int * ${BLOCK_BYTES} + 1, ${BLOCK_BYTES}) as bytes offset 0) b
      where f.slice = ${slice} and (get_bit(b.bytes, q.pair & 511) = 0 or get_bit(b.bytes, q.pair >> 9 & 511) = 0
         or get_bit(b.bytes, q.pair >> 18 & 511) = 0)))`
