import type { SearchablePost } from '../search/post-terms.ts'
import type { WireEntities } from '../social/text/wire-text.ts'
import { cashtagPhrases, emojiPhrases, linkPhrase, namePhrases, type Phrase, phrasebookOf } from './seed-phrases.ts'
import type { SeedPlan } from './seed-plan.ts'
import { LINK_SITES, LINK_WORDS, TALKED_ABOUT, VOCABULARIES, type Vocabulary } from './seed-words.data.ts'
import type { SeededRandom } from './seeded-random.ts'

/** A seeded text as a post stores it. */
interface SeedText {
  text: string
  entities: string | null
  range: [number, number]
  lang: string
  mentionedIds: string[]
  links: readonly string[]
  /** Ids of the entities that it is about, as an array literal. */
  contextEntityIds: string | null
  /** What queries can find in it. The caller adds the reply and place. */
  searchable: SearchablePost
}

/** Writes a text, usually in the author's language, with a link to the picture, if there is one. It weighs less than 280. */
export function writeSeedText(
  plan: SeedPlan,
  random: SeededRandom,
  own: Vocabulary,
  answered: { user: number; isSelf: boolean } | undefined,
  picture: { url: string; key: string } | undefined,
): SeedText {
  const book = phrasebookOf(random.chance(920) ? own : random.pick(VOCABULARIES))
  const draft = new Draft(plan)
  // Most replies start with the username of the person they answer, as clients write them; the display range starts after it.
  const isPrefixed = answered !== undefined && !answered.isSelf && random.chance(800)
  if (isPrefixed) draft.addName(answered.user)
  const start = isPrefixed ? draft.length + 1 : 0
  draft.add(answered && random.chance(700) ? random.pick(book.answers) : book.sentence(random))
  if (random.chance(350)) draft.add(random.pick(book.remarks))
  if (random.chance(80)) draft.addName(plan.userOfRank(random.rank(plan.order.users)))
  if (random.chance(250)) draft.add(random.pick(book.tags))
  if (random.chance(80)) draft.add(random.pick(book.tags))
  if (random.chance(30)) draft.add(random.pick(cashtagPhrases()))
  if (random.chance(100)) draft.add(random.pick(emojiPhrases()))
  if (random.chance(80)) draft.add(namePhrases()[random.rank(TALKED_ABOUT.length)]!)
  if (random.chance(120)) draft.add(linkPhrase(writeLink(random)))
  return draft.finish(book.lang, start, picture)
}

// Many posts share a few links; most links occur once or twice.
function writeLink(random: SeededRandom): string {
  return `${random.pick(LINK_SITES)}/${random.pick(LINK_WORDS)}/${random.pick(LINK_WORDS)}-${random.rank(20_000)}`
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
  #about: About | undefined

  constructor(plan: SeedPlan) {
    this.#plan = plan
  }

  addName(user: number): void {
    const id = this.#plan.userId(user)
    if (!this.#mentionedIds.includes(id)) this.#mentionedIds.push(id)
    this.add(this.#plan.mention(user), { id })
  }

  /** Adds a phrase; `extra` is merged into its entities. */
  add(added: Phrase, extra?: { id: string } | { media_key: string }): void {
    if (this.length > 0) {
      this.#text += ' '
      this.length += 1
    }
    if (added.entities) this.#addEntities(added.entities, extra)
    if (added.links.length > 0) this.#links = added.links
    if (added.about) this.#about = this.#about ? joined(this.#about, added.about) : added.about
    this.#text += added.text
    this.length += added.length
    this.#words = this.#words.length === 0 ? added.words : this.#words.concat(added.words)
  }

  #addEntities(entities: WireEntities, extra: { id: string } | { media_key: string } | undefined): void {
    this.#entities ??= {}
    for (const kind of Object.keys(entities) as (keyof WireEntities)[]) {
      this.#entities[kind] ??= []
      const all: TextRange[] = this.#entities[kind]
      for (const entity of entities[kind]!)
        all.push({ ...entity, ...extra, start: this.length + entity.start, end: this.length + entity.end })
    }
  }

  finish(lang: string, start: number, picture: { url: string; key: string } | undefined): SeedText {
    const { hashtags, cashtags, mentions, urls } = { ...this.#entities, urls: this.#entities?.urls?.slice() }
    const end = this.length
    if (picture) this.#addPicture(picture)
    return {
      text: this.#text,
      entities: this.#entities ? JSON.stringify(this.#entities) : null,
      range: [start, end],
      lang,
      mentionedIds: this.#mentionedIds,
      links: this.#links,
      contextEntityIds: this.#about ? `{${this.#about.ids.join()}}` : null,
      searchable: {
        words: this.#words,
        hashtags: hashtags?.map((item) => item.tag) ?? NOTHING,
        cashtags: cashtags?.map((item) => item.tag) ?? NOTHING,
        mentions: mentions?.map((item) => item.username) ?? NOTHING,
        urls: urls?.map((item) => ({ expanded: item.expanded_url, short: item.url })) ?? NOTHING,
        annotations: this.#about?.terms ?? NOTHING,
        replyToUserId: undefined,
        place: undefined,
        mediaTypes: picture ? PHOTO : NOTHING,
      },
    }
  }

  /** The link to a picture is after the displayed part of the text. */
  #addPicture({ url, key }: { url: string; key: string }): void {
    const links = this.#links
    this.add(linkPhrase(url), { media_key: key })
    this.#links = [...links, url]
  }
}

const joined = (one: About, other: About): About => ({
  ids: [...new Set([...one.ids, ...other.ids])],
  terms: [...new Set([...one.terms, ...other.terms])],
})

type About = NonNullable<Phrase['about']>

const PHOTO = ['photo']

interface TextRange {
  start: number
  end: number
}
