// The public bridging method: a rating is explained as
//   global intercept + rater's intercept + note's intercept + rater's factor * note's factor.
// The factors take up what one side of raters likes. What is left for a note's intercept is what both sides agree on.

/** Ratings as columns: positions of notes and raters, and values from 0 (not helpful) to 1 (helpful). */
export interface RatingTable {
  notes: Int32Array
  raters: Int32Array
  values: Float32Array
  noteCount: number
  raterCount: number
}

/** One intercept and one factor for each note or rater. */
export interface Coordinates {
  intercepts: Float64Array
  factors: Float64Array
}

export interface Bridging {
  globalIntercept: number
  notes: Coordinates
  raters: Coordinates
  rounds: number
}

// Published values. Intercepts cost more than factors, so a difference between sides is explained by factors first.
const INTERCEPT_PENALTY = 0.15
const FACTOR_PENALTY = 0.03

const MOST_ROUNDS = 200
const SMALLEST_STEP = 1e-4
const RATINGS_BETWEEN_PAUSES = 50_000
/** Ratings, rests, factors, their squares, and rests times factors. */
const SUMS = 5

/**
 * Minimises the mean squared error of all ratings plus penalties on the mean squares of all coordinates. Each round solves the raters
 * exactly while the notes stand still, and then the other way around. `start` has the first factors of raters; with the same
 * start, the result is the same. `pause` is called again and again, and lets the process do other work; undefined when it
 * returns true.
 */
export async function findCommonGround(
  table: RatingTable,
  start: Float64Array,
  pause: () => Promise<boolean>,
): Promise<Bridging | undefined> {
  const notes = coordinates(table.noteCount)
  const raters = { intercepts: new Float64Array(table.raterCount), factors: Float64Array.from(start) }
  let globalIntercept = meanOf(table.values) / (1 + INTERCEPT_PENALTY)
  for (let rounds = 1; ; rounds++) {
    const before = Float64Array.from(notes.intercepts)
    if (await solve(table, table.notes, notes, table.raters, raters, globalIntercept, pause)) return undefined
    if (await solve(table, table.raters, raters, table.notes, notes, globalIntercept, pause)) return undefined
    const error = meanError(table, notes, raters)
    const step = Math.max(largestStep(before, notes.intercepts), Math.abs(globalIntercept - error))
    globalIntercept = error
    if (step < SMALLEST_STEP || rounds === MOST_ROUNDS) return { globalIntercept, notes, raters, rounds }
  }
}

const coordinates = (count: number): Coordinates => ({
  intercepts: new Float64Array(count),
  factors: new Float64Array(count),
})

const meanOf = (values: Float32Array): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** The global intercept that fits best. */
function meanError(
  { notes: noteOf, raters: raterOf, values }: RatingTable,
  notes: Coordinates,
  raters: Coordinates,
): number {
  let sum = 0
  for (let at = 0; at < values.length; at++) {
    const note = noteOf[at]!
    const rater = raterOf[at]!
    sum +=
      values[at]! - notes.intercepts[note]! - raters.intercepts[rater]! - notes.factors[note]! * raters.factors[rater]!
  }
  return sum / values.length / (1 + INTERCEPT_PENALTY)
}

/** Solves one side, two unknowns for each of its members, while the other side stands still. True when it was stopped. */
async function solve(
  { values }: RatingTable,
  ownOf: Int32Array,
  own: Coordinates,
  otherOf: Int32Array,
  other: Coordinates,
  globalIntercept: number,
  pause: () => Promise<boolean>,
): Promise<boolean> {
  const size = own.intercepts.length
  // The sums of a member lie side by side: in separate arrays, each rating would touch five places of the memory.
  const sums = new Float64Array(size * SUMS)
  for (let at = 0; at < values.length; at++) {
    if (at % RATINGS_BETWEEN_PAUSES === 0 && (await pause())) return true
    const opposite = otherOf[at]!
    const factor = other.factors[opposite]!
    const rest = values[at]! - globalIntercept - other.intercepts[opposite]!
    const base = ownOf[at]! * SUMS
    sums[base]! += 1
    sums[base + 1]! += rest
    sums[base + 2]! += factor
    sums[base + 3]! += factor * factor
    sums[base + 4]! += rest * factor
  }
  // A mean over ratings against a mean over members: members with few ratings are drawn to zero more strongly.
  const weight = values.length / size
  for (let member = 0; member < size; member++) {
    const base = member * SUMS
    const [rests, factors, products] = [sums[base + 1]!, sums[base + 2]!, sums[base + 4]!]
    const forIntercept = sums[base]! + INTERCEPT_PENALTY * weight
    const forFactor = sums[base + 3]! + FACTOR_PENALTY * weight
    const determinant = forIntercept * forFactor - factors ** 2
    own.intercepts[member] = (rests * forFactor - factors * products) / determinant
    own.factors[member] = (forIntercept * products - factors * rests) / determinant
  }
  return false
}

function largestStep(before: Float64Array, after: Float64Array): number {
  let largest = 0
  for (let at = 0; at < after.length; at++) largest = Math.max(largest, Math.abs(after[at]! - before[at]!))
  return largest
}
