import type { RatingCounts } from './note.object.ts'
import { HELPFUL_TAGS, type RatingTag } from './rating-tags.ts'
import { type LoadedRatings, tagsIn } from './read-ratings.ts'

/** Raters with a smaller factor are on neither side. */
const SIDE = 0.2

type Bucket = NonNullable<RatingCounts['neutral_factor_bucket_counts']>

interface Counts {
  helpful: number
  somewhat: number
  not: number
  tags: Map<RatingTag, number>
}

const NAMES = [
  'negative_factor_bucket_counts',
  'neutral_factor_bucket_counts',
  'positive_factor_bucket_counts',
] as const
const isHelpfulTag = (tag: RatingTag): boolean => (HELPFUL_TAGS as readonly RatingTag[]).includes(tag)

/** The ratings of each note, by the side of its raters, and how many there are. By position of the note. */
export function countRatings(
  table: LoadedRatings,
  raterFactors: Float64Array,
): { total: number; counts: RatingCounts }[] {
  const all = Array.from({ length: table.noteCount }, () => NAMES.map((): Counts | undefined => undefined))
  for (let at = 0; at < table.values.length; at++) {
    const factor = raterFactors[table.raters[at]!]!
    const side = factor < -SIDE ? 0 : factor > SIDE ? 2 : 1
    const ofNote = all[table.notes[at]!]!
    const counts = ofNote[side] ?? { helpful: 0, somewhat: 0, not: 0, tags: new Map() }
    ofNote[side] = counts
    const value = table.values[at]!
    if (value === 1) counts.helpful += 1
    else if (value === 0) counts.not += 1
    else counts.somewhat += 1
    for (const tag of tagsIn(table.tags[at]!)) counts.tags.set(tag, (counts.tags.get(tag) ?? 0) + 1)
  }
  return all.map((sides) => ({
    total: sides.reduce((sum, side) => sum + (side ? side.helpful + side.somewhat + side.not : 0), 0),
    counts: Object.fromEntries(sides.map((side, index) => [NAMES[index], bucketOf(side)])),
  }))
}

function bucketOf(counts: Counts | undefined): Bucket {
  const [helpful, notHelpful] = [mostFrequent(counts, isHelpfulTag), mostFrequent(counts, (tag) => !isHelpfulTag(tag))]
  return {
    helpful_count: counts?.helpful ?? 0,
    ...(helpful ? { helpful_tag_counts: helpful } : {}),
    not_helpful_count: counts?.not ?? 0,
    ...(notHelpful ? { not_helpful_tag_counts: notHelpful } : {}),
    somewhat_helpful_count: counts?.somewhat ?? 0,
  }
}

/** The reference has room for one tag. Of equally frequent ones the first by name is shown. */
function mostFrequent(counts: Counts | undefined, isWanted: (tag: RatingTag) => boolean) {
  const found = [...(counts?.tags ?? [])].filter(([tag]) => isWanted(tag))
  const [first] = found.sort(([left, more], [right, less]) => less - more || (left < right ? -1 : 1))
  return first && { tag_count: first[1], tag_name: first[0] }
}
