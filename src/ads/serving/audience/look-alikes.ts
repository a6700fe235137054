import { hash } from '../../../process/hash.ts'
import type { Db } from '../../../storage/database.ts'
import { type RowOf, statement } from '../../../storage/statement.ts'

/** How far an audience is expanded. */
export type Expansion = 'DEFINED' | 'EXPANDED' | 'BROAD'

/** How many similar people are added for each person of the audience. */
const ADDED_PER_PERSON: Record<Expansion, number> = { DEFINED: 1, EXPANDED: 3, BROAD: 10 }

/** People who are compared. In a larger world those who came first are. */
const MOST_COMPARED = 200_000
const PAGE = 5_000
/** What is known about people is read again after this long, of product time. New people are read at once. */
const READ_AGAIN_MS = 6 * 3_600_000
const AGES_TOGETHER = 10

const columns = {
  number: 'int4',
  language: 'text?',
  locations: 'text[]',
  age: 'int2?',
  gender: 'int2?',
  interests: 'text[]',
} as const
const viewersAfter = statement(
  'ads_viewers_compared',
  columns,
  `select number, language, locations, age, gender, interests from ads_viewer
    where number > $1 and user_id is not null order by number limit $2`,
)

/** What people can have in common. */
const traitsOf = (viewer: RowOf<typeof columns>): string[] => [
  ...(viewer.language === null ? [] : [`language:${viewer.language}`]),
  ...viewer.locations.map((location) => `location:${location}`),
  ...(viewer.age === null ? [] : [`decade:${Math.floor(viewer.age / AGES_TOGETHER)}`]),
  ...(viewer.gender === null ? [] : [`gender:${viewer.gender}`]),
  ...viewer.interests.map((interest) => `interest:${interest}`),
]

/** A term for the people who are similar to those of other terms. */
export const likeTerm = (expansion: Expansion, of: readonly string[]): string =>
  `like:${expansion}:${JSON.stringify([...of].sort())}`

const LIKE_TERM = /^like:([A-Z]+):(.*)$/s

/** The terms whose people others are similar to. */
export const termsLiked = (term: string): string[] | undefined => {
  const found = LIKE_TERM.exec(term)
  return found ? (JSON.parse(found[2]!) as string[]) : undefined
}

/** Finds people who are similar to the people of an audience. */
export class LookAlikes {
  readonly #traits = new Map<string, number>()
  /** Of each person: their number, and their traits. In the order of numbers. */
  #numbers: number[] = []
  #traitsOf: Int32Array[] = []
  #readAt = Number.NEGATIVE_INFINITY
  #known = new Map<string, { from: number; people: Int32Array }>()

  /** Reads who can be compared. */
  async read(db: Db, now: number): Promise<void> {
    const age = now - this.#readAt
    if (age >= READ_AGAIN_MS || age < 0) {
      this.#numbers = []
      this.#traitsOf = []
      this.#known.clear()
      this.#readAt = now
    }
    for (let isMore = true; isMore && this.#numbers.length < MOST_COMPARED; ) {
      const rows = await viewersAfter.all(db, this.#numbers.at(-1) ?? 0, PAGE)
      for (const row of rows) {
        this.#numbers.push(row.number)
        this.#traitsOf.push(Int32Array.from(new Set(traitsOf(row)), (trait) => this.#numberOf(trait)))
      }
      if (rows.length > 0) this.#known.clear()
      isMore = rows.length === PAGE
    }
  }

  #numberOf(trait: string): number {
    let number = this.#traits.get(trait)
    if (number === undefined) {
      number = this.#traits.size
      this.#traits.set(trait, number)
    }
    return number
  }

  /** The people of a term: `membersOf` has those of terms that are sets; interests are known here. */
  async of(term: string, membersOf: ReadonlyMap<string, Int32Array>): Promise<Int32Array> {
    const [, expansion, of] = LIKE_TERM.exec(term)!
    const people = new Set<number>()
    for (const liked of JSON.parse(of!) as string[])
      for (const person of membersOf.get(liked) ?? this.#having(liked)) people.add(person)
    let from = people.size
    for (const person of [...people].sort((one, other) => one - other)) from = hash(from, person)
    const known = this.#known.get(term)
    if (known?.from === from) return known.people
    const found = this.#similarTo(people, people.size * ADDED_PER_PERSON[expansion as Expansion])
    this.#known.set(term, { from, people: found })
    // Comparing many people takes some milliseconds; requests come between.
    await new Promise(setImmediate)
    return found
  }

  #having(term: string): number[] {
    const trait = this.#traits.get(term)
    return trait === undefined ? [] : this.#numbers.filter((_, at) => this.#traitsOf[at]!.includes(trait))
  }

  /**
   * A trait weighs as much as it is more common among the people than among all. The score of somebody is the weight of their traits.
   * The best are taken; of equal ones those who came first. Nobody without a score is similar.
   */
  #similarTo(people: ReadonlySet<number>, count: number): Int32Array {
    const among = new Float64Array(this.#traits.size)
    const all = new Float64Array(this.#traits.size)
    let compared = 0
    for (let at = 0; at < this.#numbers.length; at++) {
      const isOne = people.has(this.#numbers[at]!)
      if (isOne) compared += 1
      for (const trait of this.#traitsOf[at]!) {
        all[trait]! += 1
        if (isOne) among[trait]! += 1
      }
    }
    if (compared === 0) return new Int32Array(0)
    const weights = among.map((number, trait) => Math.max(0, number / compared - all[trait]! / this.#numbers.length))
    const scored: { number: number; score: number }[] = []
    for (let at = 0; at < this.#numbers.length; at++) {
      const number = this.#numbers[at]!
      if (people.has(number)) continue
      let score = 0
      for (const trait of this.#traitsOf[at]!) score += weights[trait]!
      // Sums of the same weights in another order are the same score.
      if (score > 0) scored.push({ number, score: Math.round(score * 1e9) })
    }
    scored.sort((one, other) => other.score - one.score || one.number - other.number)
    return Int32Array.from(scored.slice(0, count), ({ number }) => number)
  }
}
