import { tokenize } from '../../../search/tokenize.ts'
import type { Db } from '../../../storage/database.ts'
import type { ServedItem } from '../inventory.ts'
import type { Look, Viewer } from '../look.ts'
import { sampleViewers } from '../viewers.ts'
import { isSetTerm, readSets } from './audience-sets.ts'
import { LookAlikes, termsLiked } from './look-alikes.ts'
import type { Targeting } from './targeting-index.ts'
import { TermNumbers, termsOf } from './terms.ts'

const NONE = new Int32Array(0)
const SAMPLE = 2_000

interface Keyword {
  term: number
  isPhrase: boolean
  /** A broad keyword also matches longer words that begin with its own. */
  isBroad: boolean
  words: string[]
}

/** The terms of viewers, as far as items ask for them. */
export class AudienceTerms {
  readonly #numbers = new TermNumbers()
  #setTerms = new Set<string>()
  #likeTerms = new Set<string>()
  readonly #lookAlikes = new LookAlikes()
  /** Terms of what is known about viewers themselves; valid while no new terms are asked for. */
  #own = new Map<number, Int32Array>()
  #ownSize = 0
  #ofSets = new Map<number, number[]>()
  #keywords = new Map<string, Keyword[]>()
  #shares = new Map<number, number>()

  /** The terms of items as numbers. Their sets must be read afterwards. */
  compile(items: readonly ServedItem[]): Targeting[] {
    this.#setTerms = new Set()
    this.#likeTerms = new Set()
    this.#keywords = new Map()
    const numberOf = (term: string): number => {
      const number = this.#numbers.add(term)
      if (isSetTerm(term)) this.#setTerms.add(term)
      for (const liked of termsLiked(term) ?? []) {
        this.#likeTerms.add(term)
        if (isSetTerm(liked)) this.#setTerms.add(liked)
      }
      if (term.startsWith('keyword:')) this.#addKeyword(term, number)
      return number
    }
    return items.map(({ targeting }) => ({
      groups: targeting.groups.map((group) => [...new Set(group)].map(numberOf)),
      excluded: targeting.excluded.map(numberOf),
    }))
  }

  /** Reads who is in the sets. */
  async readSets(db: Db, now: number): Promise<void> {
    const sets = await readSets(db, [...this.#setTerms], now)
    const likes = new Map<string, Int32Array>()
    if (this.#likeTerms.size > 0) await this.#lookAlikes.read(db, now)
    for (const term of this.#likeTerms) likes.set(term, await this.#lookAlikes.of(term, sets))
    const ofSets = new Map<number, number[]>()
    await this.#readShares(db)
    for (const [term, viewers] of [...sets, ...likes]) {
      const number = this.#numbers.add(term)
      this.#shares.set(number, viewers.length)
      for (const viewer of viewers) {
        const known = ofSets.get(viewer)
        if (known) known.push(number)
        else ofSets.set(viewer, [number])
      }
    }
    this.#ofSets = ofSets
  }

  /** How common terms are among some viewers. Members of sets are counted exactly, which is close enough for comparing. */
  async #readShares(db: Db): Promise<void> {
    this.#shares = new Map()
    for (const viewer of await sampleViewers(db, SAMPLE))
      for (const term of this.#ownTerms(viewer)) this.#shares.set(term, (this.#shares.get(term) ?? 0) + 1)
  }

  /** About how many viewers have a term, compared to others. */
  shareOf = (term: number): number => this.#shares.get(term) ?? 0

  /** The terms of somebody who looks. */
  ofLook({ viewer, words }: Look): ArrayLike<number>[] {
    const own = this.#ownTerms(viewer)
    const ofSets = this.#ofSets.get(viewer.number) ?? NONE
    return words && words.length > 0 ? [own, ofSets, this.#searched(words)] : [own, ofSets]
  }

  #ownTerms(viewer: Viewer): Int32Array {
    if (this.#ownSize !== this.#numbers.size) {
      this.#own.clear()
      this.#ownSize = this.#numbers.size
    }
    let terms = this.#own.get(viewer.number)
    if (!terms) {
      const numbers = termsOf(viewer).flatMap((term) => this.#numbers.find(term) ?? [])
      terms = numbers.length === 0 ? NONE : Int32Array.from(numbers)
      this.#own.set(viewer.number, terms)
    }
    return terms
  }

  #addKeyword(term: string, number: number): void {
    const [, type, text] = /^keyword:([A-Z_]+):(.*)$/s.exec(term)!
    const words = tokenize(text!)
    const first = words[0]
    if (first === undefined) return
    const isBroad = type === 'BROAD_KEYWORD'
    const keyword = { term: number, isPhrase: type === 'PHRASE_KEYWORD' || type === 'EXACT_KEYWORD', isBroad, words }
    const key = isBroad ? first.slice(0, 4) : first
    this.#keywords.set(key, [...(this.#keywords.get(key) ?? []), keyword])
  }

  /** Keywords that a search has. */
  #searched(words: readonly string[]): number[] {
    const candidates = words.flatMap((word) => [
      ...(this.#keywords.get(word) ?? []),
      ...(word.length > 4 ? (this.#keywords.get(word.slice(0, 4)) ?? []) : []),
    ])
    return candidates.filter((keyword) => isIn(keyword, words)).map((keyword) => keyword.term)
  }
}

function isIn({ words, isPhrase, isBroad }: Keyword, searched: readonly string[]): boolean {
  if (isPhrase) return searched.some((_, at) => words.every((word, index) => searched[at + index] === word))
  return words.every((word) =>
    searched.some((other) => other === word || (isBroad && word.length >= 4 && other.startsWith(word))),
  )
}
