import { AGES } from '../../targeting/targeting-types.data.ts'
import type { Viewer } from '../look.ts'

/** Numbers terms. A term that no item asks for has no number. */
export class TermNumbers {
  readonly #numbers = new Map<string, number>()

  get size(): number {
    return this.#numbers.size
  }

  /** The number of a term that an item asks for. */
  add(term: string): number {
    let number = this.#numbers.get(term)
    if (number === undefined) {
      number = this.#numbers.size
      this.#numbers.set(term, number)
    }
    return number
  }

  find(term: string): number | undefined {
    return this.#numbers.get(term)
  }
}

/** Terms of what is known about a viewer themselves. Sets of people have terms of their own, see `audience-sets.ts`. */
export function termsOf(viewer: Viewer): string[] {
  const terms: string[] = []
  const add = (kind: string, value: string | number | null) => {
    if (value !== null) terms.push(`${kind}:${value}`)
  }
  add('language', viewer.language)
  for (const location of viewer.locations) add('location', location)
  if (viewer.age !== null) for (const range of rangesOfAge(viewer.age)) add('age', range)
  add('gender', viewer.gender)
  add('platform', viewer.platform)
  add('version', viewer.platformVersion)
  add('device', viewer.device)
  add('operator', viewer.networkOperator)
  add('months', viewer.networkMonths)
  if (viewer.wifiOnly) terms.push('wifi:1')
  for (const interest of viewer.interests) add('interest', interest)
  for (const category of viewer.appCategories) add('apps', category)
  return terms
}

const RANGES = AGES.map((word) => {
  const [, from, to] = /^AGE_(?:OVER_)?(\d+)(?:_TO_(\d+))?$/.exec(word)!
  return { word, from: Number(from), to: to === undefined ? Number.POSITIVE_INFINITY : Number(to) }
})

/** The ranges of targeting that have an age in them. */
export const rangesOfAge = (age: number): string[] =>
  RANGES.filter(({ from, to }) => age >= from && age <= to).map(({ word }) => word)
