import { type SearchablePost, textWords } from '../search/post-terms.ts'
import { shortLink } from '../social/links/short-link.ts'
import { composeText } from '../social/text/compose-text.ts'
import { displayTextRange } from '../social/text/display-range.ts'
import type { Dice } from './seed-dice.ts'
import type { SeedPlan } from './seed-plan.ts'
import { CASHTAGS, EMOJI, LINK_SITES, LINK_WORDS, VOCABULARIES, type Vocabulary } from './seed-words.data.ts'

/** A seeded text as a post stores it. */
export interface SeedText {
  text: string
  entities: string | null
  range: [number, number]
  lang: string
  mentionedIds: string[]
  links: string[]
  /** What queries can find in it. */
  searchable: Pick<SearchablePost, 'words' | 'hashtags' | 'cashtags' | 'mentions' | 'urls'>
}

/** Something to say, in the language of the author or now and then in another one; all of it weighs less than 280. */
export function writeSeedText(
  plan: SeedPlan,
  dice: Dice,
  home: Vocabulary,
  answered: { user: number; isSelf: boolean } | undefined,
): SeedText {
  const words = dice.chance(920) ? home : dice.pick(VOCABULARIES)
  const mentioned: number[] = []
  const parts: string[] = []
  // Answers written by hand mostly name whom they answer, as clients do; the display begins behind that name.
  const isPrefixed = answered !== undefined && !answered.isSelf && dice.chance(800)
  if (isPrefixed) {
    mentioned.push(answered.user)
    parts.push(`@${plan.username(answered.user)}`)
  }
  parts.push(
    answered && dice.chance(700)
      ? dice.pick(words.answers)
      : dice.pick(words.openings) + words.gap + dice.pick(words.deeds) + words.gap + dice.pick(words.ends),
  )
  if (dice.chance(350)) parts.push(dice.pick(words.remarks))
  if (dice.chance(80)) {
    const user = plan.userOfRank(dice.rank(plan.order.users))
    mentioned.push(user)
    parts.push(`@${plan.username(user)}`)
  }
  if (dice.chance(250)) parts.push(dice.pick(words.tags))
  if (dice.chance(80)) parts.push(dice.pick(words.tags))
  if (dice.chance(30)) parts.push(dice.pick(CASHTAGS))
  if (dice.chance(100)) parts.push(dice.pick(EMOJI))
  if (dice.chance(120)) parts.push(writeLink(dice))
  const written = parts.join(' ')
  // Phrases hold no entities of their own: what was not put in is not looked for.
  if (!SIGN_OF_ENTITY.test(written)) return plainText(written, words.lang, wordsOfAll(parts))
  const composed = composeText(written, { shortLink })
  const { entities } = composed
  const ids = new Map(mentioned.map((user) => [plan.username(user), plan.userId(user)]))
  const mentions = entities.mentions?.map((item) => ({ ...item, id: ids.get(item.username)! }))
  return {
    text: composed.text,
    entities:
      Object.keys(entities).length === 0 ? null : JSON.stringify(mentions ? { ...entities, mentions } : entities),
    range: isPrefixed
      ? displayTextRange(composed.text, { isReply: true, entities })
      : [0, countCodePoints(composed.text)],
    lang: words.lang,
    mentionedIds: [...ids.values()],
    links: composed.links.map((link) => link.url),
    searchable: {
      words: wordsOfAll(parts),
      hashtags: (entities.hashtags ?? []).map((item) => item.tag),
      cashtags: (entities.cashtags ?? []).map((item) => item.tag),
      mentions: (entities.mentions ?? []).map((item) => item.username),
      urls: (entities.urls ?? []).map((item) => item.expanded_url),
    },
  }
}

// Signs of names, tags, links, and of what the wire form escapes.
const SIGN_OF_ENTITY = /[@#$&<>]|\.\S/
const NOTHING: string[] = []

const plainText = (text: string, lang: string, words: readonly string[]): SeedText => ({
  text,
  entities: null,
  range: [0, countCodePoints(text)],
  lang,
  mentionedIds: NOTHING,
  links: NOTHING,
  searchable: { words, hashtags: NOTHING, cashtags: NOTHING, mentions: NOTHING, urls: NOTHING },
})

function wordsOfAll(parts: readonly string[]): readonly string[] {
  if (parts.length === 1) return wordsOf(parts[0]!)
  const all: string[] = []
  for (const part of parts) for (const word of wordsOf(part)) all.push(word)
  return all
}

// The same phrases come again and again: their words are told once.
const knownWords = new Map<string, readonly string[]>()
const MOST_KNOWN = 50_000

function wordsOf(part: string): readonly string[] {
  const known = knownWords.get(part)
  if (known) return known
  const words = textWords(part)
  if (knownWords.size < MOST_KNOWN) knownWords.set(part, words)
  return words
}

// A few links are shared by many posts, most by one or two.
function writeLink(dice: Dice): string {
  return `${dice.pick(LINK_SITES)}/${dice.pick(LINK_WORDS)}/${dice.pick(LINK_WORDS)}-${dice.rank(20_000)}`
}

function countCodePoints(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xd800) count--
  return count
}
