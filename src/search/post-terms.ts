import { fold, tokenize } from './tokenize.ts'

/** What is known of a post when it is written, as far as a query can ask for it. */
export interface SearchablePost {
  /** As typed, links included. */
  text: string
  hashtags: readonly string[]
  cashtags: readonly string[]
  mentions: readonly string[]
  urls: readonly string[]
  authorId: string
  conversationId: string
  replyToUserId?: string | null
  replyToPostId?: string | null
  quotedPostId?: string | null
  repostedPostId?: string | null
  repostedUserId?: string | null
  lang: string
  place?: { id: string; name: string; countryCode: string }
  nullcast: boolean
}

/** A term that stands for a fact. The colon keeps it apart from words, which never hold one. */
export const factTerm = (name: string, value: string): string => `${name}:${value}`

export const urlTerm = (token: string): string => factTerm('url', token)
export const tagTerm = (tag: string): string => `#${fold(tag)}`
export const cashTerm = (tag: string): string => `$${fold(tag)}`
export const mentionTerm = (username: string): string => `@${username.toLowerCase()}`

const LAST_POSITION = 16_000
const POSITIONS_PER_WORD = 200
const LONGEST_TERM = 200
// Words of links stand far behind the text, so that no phrase runs from one into the other.
const GAP = 20

/** The terms of a post as a `tsvector` literal: its words with their positions, and its facts without. */
export function postTerms(post: SearchablePost): string {
  const positions = new Map<string, number[]>()
  let at = 0
  const addWords = (words: readonly string[], term: (word: string) => string) => {
    for (const word of words) {
      at += 1
      if (at > LAST_POSITION) return
      const key = term(word.slice(0, LONGEST_TERM))
      const known = positions.get(key)
      if (!known) positions.set(key, [at])
      else if (known.length < POSITIONS_PER_WORD) known.push(at)
    }
    at += GAP
  }
  addWords(tokenize(withoutUrls(post)), (word) => word)
  for (const url of post.urls) {
    const words = tokenize(url)
    addWords(words, (word) => word)
    addWords(words, urlTerm)
  }
  const texts = [...positions].map(([term, places]) => `${quote(term)}:${places.join(',')}`)
  return [...texts, ...factTerms(post).map(quote)].join(' ')
}

const withoutUrls = (post: SearchablePost): string => post.text.replace(/https?:\/\/\S+/gi, ' ')

function factTerms(post: SearchablePost): string[] {
  const fact = (name: string, value: string | null | undefined) => (value ? [factTerm(name, value)] : [])
  const has = (name: string, present: boolean) => (present ? [factTerm('has', name)] : [])
  const terms = [
    ...post.hashtags.map(tagTerm),
    ...post.cashtags.map(cashTerm),
    ...post.mentions.map(mentionTerm),
    factTerm('from', post.authorId),
    factTerm('conversation', post.conversationId),
    factTerm('lang', post.lang),
    ...fact('to', post.replyToUserId),
    ...fact('reply', post.replyToPostId),
    ...fact('quote', post.quotedPostId),
    ...fact('repost', post.repostedPostId),
    ...fact('reposted_user', post.repostedUserId),
    ...(post.replyToPostId ? [factTerm('is', 'reply')] : []),
    ...(post.quotedPostId ? [factTerm('is', 'quote')] : []),
    ...(post.repostedPostId ? [factTerm('is', 'repost')] : []),
    ...(post.nullcast ? [factTerm('is', 'nullcast')] : []),
    ...has('hashtags', post.hashtags.length > 0),
    ...has('cashtags', post.cashtags.length > 0),
    ...has('mentions', post.mentions.length > 0),
    ...has('links', post.urls.length > 0),
    ...has('geo', post.place !== undefined),
    ...(post.place
      ? [
          factTerm('place', post.place.id),
          factTerm('place', fold(post.place.name)),
          factTerm('country', post.place.countryCode.toLowerCase()),
        ]
      : []),
  ]
  return [...new Set(terms)]
}

/** A term as the literals of `tsvector` and `tsquery` write it. */
export const quote = (term: string): string =>
  /['\\]/.test(term) ? `'${term.replaceAll('\\', '\\\\').replaceAll("'", "''")}'` : `'${term}'`
