import { textWords } from '../search/post-terms.ts'
import { shortLink } from '../social/links/short-link.ts'
import { composeText } from '../social/text/compose-text.ts'
import { appendLink, type WireDraft, type WireEntities } from '../social/text/wire-text.ts'
import type { Dice } from './seed-dice.ts'
import { CASHTAGS, EMOJI, type Vocabulary } from './seed-words.data.ts'

/** A part of a text that stands between blanks, in its wire form; what it links to has its place within the phrase. */
export interface Phrase {
  text: string
  /** In code points. */
  length: number
  entities: WireEntities | undefined
  links: readonly string[]
  words: readonly string[]
}

export function phrase(typed: string): Phrase {
  const { text, entities, links } = composeText(typed, { shortLink })
  return {
    text,
    length: [...text].length,
    entities: Object.keys(entities).length === 0 ? undefined : entities,
    links: links.map((link) => link.url),
    words: textWords(typed),
  }
}

/** A link as a phrase: most come once, so that what is known of them is not looked for. */
export function linkPhrase(url: string): Phrase {
  const draft: WireDraft = { text: '', entities: {}, length: 0 }
  appendLink(draft, url, shortLink(url))
  return { ...draft, links: [url], words: [] }
}

/** The phrases of a vocabulary: they come again and again, and each is composed once. */
class Phrasebook {
  readonly lang: string
  readonly answers: Phrase[]
  readonly remarks: Phrase[]
  readonly tags: Phrase[]
  readonly #vocabulary: Vocabulary
  readonly #sentences: Phrase[] = []

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
    this.lang = vocabulary.lang
    this.answers = vocabulary.answers.map(phrase)
    this.remarks = vocabulary.remarks.map(phrase)
    this.tags = vocabulary.tags.map(phrase)
  }

  /** An opening, a deed and an end. */
  sentence(dice: Dice): Phrase {
    const { openings, deeds, ends, gap } = this.#vocabulary
    const [opening, deed, end] = [dice.below(openings.length), dice.below(deeds.length), dice.below(ends.length)]
    const number = (opening * deeds.length + deed) * ends.length + end
    this.#sentences[number] ??= phrase([openings[opening], deeds[deed], ends[end]].join(gap))
    return this.#sentences[number]
  }
}

const books = new Map<Vocabulary, Phrasebook>()

export function phrasebookOf(vocabulary: Vocabulary): Phrasebook {
  let book = books.get(vocabulary)
  if (!book) {
    book = new Phrasebook(vocabulary)
    books.set(vocabulary, book)
  }
  return book
}

export const CASHTAG_PHRASES = CASHTAGS.map(phrase)
export const EMOJI_PHRASES = EMOJI.map(phrase)
