import type { SearchablePost } from '../search/post-terms.ts'
import type { WireEntities } from '../social/text/wire-text.ts'
import type { Dice } from './seed-dice.ts'
import { CASHTAG_PHRASES, EMOJI_PHRASES, linkPhrase, type Phrase, phrasebookOf } from './seed-phrases.ts'
import type { SeedPlan } from './seed-plan.ts'
import { LINK_SITES, LINK_WORDS, VOCABULARIES, type Vocabulary } from './seed-words.data.ts'

/** A seeded text as a post stores it. */
export interface SeedText {
  text: string
  entities: string | null
  range: [number, number]
  lang: string
  mentionedIds: string[]
  links: readonly string[]
  /** What queries can find in it; whom it answers and where it was written are added by who knows. */
  searchable: SearchablePost
}

/** Something to say, in the language of the author or now and then in another one; all of it weighs less than 280. */
export function writeSeedText(
  plan: SeedPlan,
  dice: Dice,
  home: Vocabulary,
  answered: { user: number; isSelf: boolean } | undefined,
): SeedText {
  const book = phrasebookOf(dice.chance(920) ? home : dice.pick(VOCABULARIES))
  const draft = new Draft(plan)
  // Answers written by hand mostly name whom they answer, as clients do; the display begins behind that name.
  const isPrefixed = answered !== undefined && !answered.isSelf && dice.chance(800)
  if (isPrefixed) draft.addName(answered.user)
  const start = isPrefixed ? draft.length + 1 : 0
  draft.add(answered && dice.chance(700) ? dice.pick(book.answers) : book.sentence(dice))
  if (dice.chance(350)) draft.add(dice.pick(book.remarks))
  if (dice.chance(80)) draft.addName(plan.userOfRank(dice.rank(plan.order.users)))
  if (dice.chance(250)) draft.add(dice.pick(book.tags))
  if (dice.chance(80)) draft.add(dice.pick(book.tags))
  if (dice.chance(30)) draft.add(dice.pick(CASHTAG_PHRASES))
  if (dice.chance(100)) draft.add(dice.pick(EMOJI_PHRASES))
  if (dice.chance(120)) draft.add(linkPhrase(writeLink(dice)))
  return draft.finish(book.lang, start)
}

// A few links are shared by many posts, most by one or two.
function writeLink(dice: Dice): string {
  return `${dice.pick(LINK_SITES)}/${dice.pick(LINK_WORDS)}/${dice.pick(LINK_WORDS)}-${dice.rank(20_000)}`
}

const NOTHING: never[] = []

/** A text that grows phrase by phrase. */
class Draft {
  length = 0
  readonly #plan: SeedPlan
  readonly #mentionedIds: string[] = []
  #entities: WireEntities | undefined
  #text = ''
  #words: readonly string[] = NOTHING
  #links: readonly string[] = NOTHING

  constructor(plan: SeedPlan) {
    this.#plan = plan
  }

  addName(user: number): void {
    const id = this.#plan.userId(user)
    if (!this.#mentionedIds.includes(id)) this.#mentionedIds.push(id)
    this.add(this.#plan.mention(user), { id })
  }

  /** Adds a phrase; `told` is what its entities know beyond their place. */
  add(added: Phrase, told?: { id: string }): void {
    if (this.length > 0) {
      this.#text += ' '
      this.length += 1
    }
    if (added.entities) this.#addEntities(added.entities, told)
    if (added.links.length > 0) this.#links = added.links
    this.#text += added.text
    this.length += added.length
    this.#words = this.#words.length === 0 ? added.words : this.#words.concat(added.words)
  }

  #addEntities(entities: WireEntities, told: { id: string } | undefined): void {
    this.#entities ??= {}
    for (const kind of Object.keys(entities) as (keyof WireEntities)[]) {
      this.#entities[kind] ??= []
      const all: Place[] = this.#entities[kind]
      for (const entity of entities[kind]!)
        all.push({ ...entity, ...told, start: this.length + entity.start, end: this.length + entity.end })
    }
  }

  finish(lang: string, start: number): SeedText {
    const { hashtags, cashtags, mentions, urls } = this.#entities ?? {}
    return {
      text: this.#text,
      entities: this.#entities ? JSON.stringify(this.#entities) : null,
      range: [start, this.length],
      lang,
      mentionedIds: this.#mentionedIds,
      links: this.#links,
      searchable: {
        words: this.#words,
        hashtags: hashtags?.map((item) => item.tag) ?? NOTHING,
        cashtags: cashtags?.map((item) => item.tag) ?? NOTHING,
        mentions: mentions?.map((item) => item.username) ?? NOTHING,
        urls: urls?.map((item) => ({ expanded: item.expanded_url, short: item.url })) ?? NOTHING,
        replyToUserId: undefined,
        place: undefined,
      },
    }
  }
}

interface Place {
  start: number
  end: number
}
