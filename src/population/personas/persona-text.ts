import { CASHTAGS, EMOJI, LINK_SITES, LINK_WORDS, TALKED_ABOUT, type Vocabulary } from '../../world/seed-words.data.ts'
import { SeededRandom } from '../../world/seeded-random.ts'
import { STREAM } from './persona-traits.ts'
import { TOPICS, tagOf } from './topics.ts'

/** What a persona types, from the phrases of seeded worlds; `number` tells the texts of a persona apart. */
export function typedText(
  vocabulary: Vocabulary,
  kind: 'post' | 'reply' | 'message',
  topic: number,
  start: readonly [seed: number, position: number, number: number],
): string {
  const random = new SeededRandom(start[0], STREAM.text, start[1], start[2])
  const { openings, deeds, ends, remarks, answers, tags, gap } = vocabulary
  const sentence = () => [random.pick(openings), random.pick(deeds), random.pick(ends)].join(gap)
  const parts = [kind !== 'post' && random.chance(700) ? random.pick(answers) : sentence()]
  if (random.chance(350)) parts.push(random.pick(remarks))
  if (kind === 'message') return parts.join(' ')
  if (kind === 'post' ? random.chance(700) : random.chance(150)) parts.push(tagOf(tags, topic))
  if (random.chance(150)) parts.push(nameOf(topic, random))
  if (random.chance(80)) parts.push(random.pick(EMOJI))
  if (random.chance(20)) parts.push(random.pick(CASHTAGS))
  if (kind === 'post' && random.chance(80))
    parts.push(
      `${random.pick(LINK_SITES)}/${random.pick(LINK_WORDS)}/${random.pick(LINK_WORDS)}-${random.rank(20_000)}`,
    )
  return parts.join(' ')
}

/** A name that people with this taste talk about, so trends and topics of posts differ between communities. */
function nameOf(topic: number, random: SeededRandom): string {
  const share = Math.floor(TALKED_ABOUT.length / TOPICS.length)
  return random.chance(500)
    ? TALKED_ABOUT[topic * share + random.below(share)]!
    : TALKED_ABOUT[random.rank(TALKED_ABOUT.length)]!
}

/** What a persona searches for. */
export const searchedWords = (vocabulary: Vocabulary, topic: number, number: number): string =>
  number % 3 === 0 ? `"${TALKED_ABOUT[number % TALKED_ABOUT.length]}"` : tagOf(vocabulary.tags, topic)
