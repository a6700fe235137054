import { SeededRandom } from '../../world/seeded-random.ts'
import { STREAM, type Traits } from './persona-traits.ts'

/** Personas by what they have in common, the most popular first in each list. */
export class Communities {
  readonly #byTopic = new Map<string, number[]>()
  readonly #byLanguage = new Map<string, number[]>()
  #count = 0

  add(position: number, { vocabulary, topics }: Pick<Traits, 'vocabulary' | 'topics'>): void {
    const put = (lists: Map<string, number[]>, key: string) => {
      const list = lists.get(key)
      if (list) list.push(position)
      else lists.set(key, [position])
    }
    put(this.#byLanguage, vocabulary.lang)
    for (const topic of topics) put(this.#byTopic, `${vocabulary.lang} ${topic}`)
    this.#count = position + 1
  }

  /**
   * Whom a persona follows: mostly people with the same language and taste, some with the same language, a few others. In each
   * group low ranks are chosen far more often than high ones.
   */
  followed(
    seed: number,
    position: number,
    { vocabulary, topics, follows }: Pick<Traits, 'vocabulary' | 'topics' | 'follows'>,
  ): Set<number> {
    const random = new SeededRandom(seed, STREAM.ties, position)
    const found = new Set<number>()
    const language = this.#byLanguage.get(vocabulary.lang)!
    for (let tries = 0; found.size < Math.min(follows, this.#count - 1) && tries < follows * 3; tries++) {
      const mark = random.below(100)
      const topic = topics[random.below(topics.length)]!
      const list = mark < 60 ? this.#byTopic.get(`${vocabulary.lang} ${topic}`)! : mark < 85 ? language : undefined
      const target = list ? list[random.rank(list.length)]! : random.rank(this.#count)
      if (target !== position) found.add(target)
    }
    return found
  }
}
