import { once } from '../process/once.ts'
import { textWords } from '../search/post-terms.ts'
import { fold } from '../search/tokenize.ts'
import { annotationTerms } from '../social/annotations/annotation-terms.ts'
import { shortLink } from '../social/links/short-link.ts'
import { composeText } from '../social/text/compose-text.ts'
import { appendLink, type WireDraft, type WireEntities } from '../social/text/wire-text.ts'
import { CASHTAGS, EMOJI, TALKED_ABOUT, type Vocabulary } from './seed-words.data.ts'
import type { SeededRandom } from './seeded-random.ts'

/** A part of a text between spaces, in its wire form. The positions of its entities count from the start of the phrase. */
export interface Phrase {
  text: string
  /** In code points. */
  length: number
  entities: WireEntities | undefined
  links: readonly string[]
  words: readonly string[]
  /** Ids of the entities that it is about, and their terms. */
  about: { ids: readonly string[]; terms: readonly string[] } | undefined
}

export function phrase(typed: string): Phrase {
  const { text, entities, links, about } = composeText(typed, { shortLink, annotate: true })
  const names = about.names.map(({ start, end }) => typed.slice(start, end))
  return {
    text,
    length: [...text].length,
    entities: Object.keys(entities).length === 0 ? undefined : entities,
    links: links.map((link) => link.url),
    words: textWords(typed),
    about:
      about.entities.length === 0
        ? undefined
        : { ids: about.entities.map((entity) => entity.id), terms: annotationTerms(about.entities, names, fold) },
  }
}

/** A link as a phrase. Links are not cached, because most occur once. */
export function linkPhrase(url: string): Phrase {
  const draft: WireDraft = { text: '', entities: {}, length: 0 }
  appendLink(draft, url, shortLink(url))
  return { ...draft, links: [url], words: [], about: undefined }
}

/** The phrases of a vocabulary. They occur often, so each is composed once. */
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

  /** An opening, a deed and an ending. */
  sentence(random: SeededRandom): Phrase {
    const { openings, deeds, ends, gap } = this.#vocabulary
    const [opening, deed, end] = [random.below(openings.length), random.below(deeds.length), random.below(ends.length)]
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

// Made on first use: they need the dictionary of annotations, which most processes of a server do not compile at the start.
export const cashtagPhrases = once(() => CASHTAGS.map(phrase))
export const namePhrases = once(() => TALKED_ABOUT.map(phrase))
export const emojiPhrases = once(() => EMOJI.map(phrase))
