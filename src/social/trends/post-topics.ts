import { cutText } from '../../process/cut-text.ts'
import { rarityOf } from '../../search/term-rarity.ts'
import { fold } from '../../search/tokenize.ts'
import { dictionary, entitiesOf, tagKey } from '../annotations/dictionary.ts'
import { textEntities, typedText } from '../text/typed-text.ts'

/** Something that a post talks about, as trends count it. */
export interface PostTopic {
  /** `#tag`, `=name` or `-word`, folded: what is counted together. */
  term: string
  /** As the post writes it. */
  shown: string
  entityId: string | null
}

/** The stored text of a post. */
export interface TopicText {
  text: string
  entities: unknown
  note_text: string | null
  note_entities: unknown
  context_entity_ids: string[] | null
}

// Two or three words with capitals, side by side.
const PHRASE = /\p{Lu}[\p{L}’']+(?: \p{Lu}[\p{L}’']+){1,2}/gu
const WORD = /[\p{L}\p{N}_]+/gu
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u
const SHORTEST_WORD = 4
const LONGEST = 60
const MOST_TOPICS = 25
const COMMON = 0.01

/** The hashtags, names, phrases and words of a post that can become a trend, each once. */
export function postTopics(post: TopicText): PostTopic[] {
  const topics = new Map<string, PostTopic>()
  const add = (sign: string, shown: string, entityId: string | null) => {
    const term = sign + cutText(fold(shown), LONGEST)
    if (topics.size < MOST_TOPICS && !topics.has(term))
      topics.set(term, { term, shown: cutText(shown, LONGEST), entityId })
  }
  const { hashtags, cashtags } = textEntities(post)
  for (const tag of hashtags) add('#', `#${tag}`, dictionary().byTag.get(tagKey(tag))?.id ?? null)
  for (const tag of cashtags) add('#', `$${tag}`, dictionary().byTicker.get(tag.toUpperCase())?.id ?? null)
  const covered = new Set<string>()
  for (const { id, name, type } of entitiesOf(post.context_entity_ids)) {
    if (type === undefined) continue
    add('=', name, id)
    for (const word of fold(name).match(WORD) ?? []) covered.add(word)
  }
  // Links, mentions and tags are not words of the text.
  const plain = typedText(post).replace(/https?:\/\/\S+|[@#$＠＃]\S+/g, ' | ')
  for (const [phrase] of plain.matchAll(PHRASE)) {
    const words = fold(phrase).match(WORD) ?? []
    if (words.every((word) => covered.has(word)) || rarityOf(words[0]!) < COMMON) continue
    add('=', phrase, null)
    for (const word of words) covered.add(word)
  }
  for (const [word] of plain.matchAll(WORD)) {
    const key = fold(word)
    if (key.length < SHORTEST_WORD || covered.has(key) || /^[\d_]+$/.test(key) || UNSPACED.test(key)) continue
    if (rarityOf(key) >= COMMON) add('-', word.toLowerCase(), null)
  }
  return [...topics.values()]
}
