import { setImmediate as turn } from 'node:timers/promises'
import { Communities } from './persona-ties.ts'
import { type Traits, traitsOf } from './persona-traits.ts'

const TURN = 500

type TyingTraits = Pick<Traits, 'vocabulary' | 'topics' | 'follows' | 'isVerified'>

/** Whom personas will follow, and the counts that come of it. */
export class PlannedTies {
  readonly #seed: number
  readonly #traits: TyingTraits[] = []
  readonly #communities = new Communities()
  readonly #followers: Int32Array
  readonly #following: Int32Array
  readonly #verified: Int32Array

  private constructor(seed: number, count: number) {
    this.#seed = seed
    this.#followers = new Int32Array(count)
    this.#following = new Int32Array(count)
    this.#verified = new Int32Array(count)
  }

  /** Plans the follows of personas from a position to below another, among all below that. */
  static async plan(seed: number, from: number, to: number): Promise<PlannedTies> {
    const ties = new PlannedTies(seed, to)
    for (let position = 0; position < to; position++) {
      const { vocabulary, topics, follows, isVerified } = traitsOf(seed, position)
      const traits = { vocabulary, topics, follows, isVerified }
      ties.#traits.push(traits)
      ties.#communities.add(position, traits)
      if (position % TURN === 0) await turn()
    }
    for (let position = from; position < to; position++) {
      for (const target of ties.followedBy(position)) {
        ties.#following[position]! += 1
        ties.#followers[target]! += 1
        if (ties.#traits[position]!.isVerified) ties.#verified[target]! += 1
      }
      if (position % TURN === 0) await turn()
    }
    return ties
  }

  /** Found again each time: kept, they would take far more memory than personas do. */
  followedBy(position: number): Set<number> {
    return this.#communities.followed(this.#seed, position, this.#traits[position]!)
  }

  /** Followers, followed and verified followers that the plan gives to a persona. */
  countsOf(position: number): [followers: number, following: number, verified: number] {
    return [this.#followers[position]!, this.#following[position]!, this.#verified[position]!]
  }
}
