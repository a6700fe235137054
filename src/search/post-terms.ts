import { fold, tokenize } from './tokenize.ts'

/** What is known of a post when it is written, as far as a query can ask for it. */
export interface SearchablePost {
  /** The words of the text without its links, as `textWords` tells them. */
  words: readonly string[]
  hashtags: readonly string[]
  cashtags: readonly string[]
  mentions: readonly string[]
  urls: readonly string[]
  replyToUserId?: string | null
  repostedUserId?: string | null
  place?: { id: string; name: string; countryCode: string }
  /** Kinds of what is attached. */
  mediaTypes?: readonly string[]
}

/** A term that stands for a fact. The colon keeps it apart from words, which never hold one. */
export const factTerm = (name: string, value: string): string => `${name}:${value}`

export const urlTerm = (token: string): string => factTerm('url', token)
export const tagTerm = (tag: string): string => `#${fold(tag)}`
export const cashTerm = (tag: string): string => `$${fold(tag)}`
export const mentionTerm = (username: string): string => `@${username.toLowerCase()}`

const LAST_POSITION = 16_000
// Of a word that comes again and again the first places are enough; a tsvector keeps 255.
const LONGEST_PLACES = 800
const LONGEST_TERM = 200
// Words of links stand far behind the text, so that no phrase runs from one into the other.
const GAP = 20

/** The terms of a post as a `tsvector` literal: its words with their positions, and its facts without. */
export function postTerms(post: SearchablePost): string {
  const positions = new Map<string, string>()
  let at = 0
  const addWords = (words: readonly string[], term?: (word: string) => string) => {
    for (const word of words) {
      at += 1
      if (at > LAST_POSITION) return
      const short = word.length > LONGEST_TERM ? word.slice(0, LONGEST_TERM) : word
      const key = term ? quote(term(short)) : short
      const known = positions.get(key)
      if (known === undefined) positions.set(key, String(at))
      else if (known.length < LONGEST_PLACES) positions.set(key, `${known},${at}`)
    }
    at += GAP
  }
  addWords(post.words)
  for (const url of post.urls) {
    const words = tokenize(url)
    addWords(words)
    addWords(words, urlTerm)
  }
  let terms = ''
  // Words hold nothing that the literal would read as a sign of its own.
  for (const [term, places] of positions) terms += `${term}:${places} `
  for (const term of factTerms(post)) terms += `${quote(term)} `
  return terms
}

/** The words of a typed text; those of its links are told apart. */
export const textWords = (text: string): string[] => tokenize(withoutLinks(text))

export const withoutLinks = (text: string): string =>
  text.includes('://') ? text.replace(/https?:\/\/\S+/gi, ' ') : text

// Author, conversation, language and what a post answers, quotes or reposts are columns with indexes of their own: as
// terms, of which many occur once, they took half of the time that the index of terms costs a new post.
function factTerms(post: SearchablePost): Set<string> {
  const terms = new Set<string>()
  for (const tag of post.hashtags) terms.add(tagTerm(tag))
  for (const tag of post.cashtags) terms.add(cashTerm(tag))
  for (const name of post.mentions) terms.add(mentionTerm(name))
  if (post.replyToUserId) terms.add(factTerm('to', post.replyToUserId))
  if (post.repostedUserId) terms.add(factTerm('reposted_user', post.repostedUserId))
  if (post.hashtags.length > 0) terms.add(factTerm('has', 'hashtags'))
  if (post.cashtags.length > 0) terms.add(factTerm('has', 'cashtags'))
  if (post.mentions.length > 0) terms.add(factTerm('has', 'mentions'))
  // Attached media are links in the text too.
  const media = post.mediaTypes ?? []
  if (post.urls.length > 0 || media.length > 0) terms.add(factTerm('has', 'links'))
  if (media.length > 0) terms.add(factTerm('has', 'media'))
  if (media.includes('photo')) terms.add(factTerm('has', 'images'))
  if (media.includes('video') || media.includes('animated_gif')) terms.add(factTerm('has', 'video_link'))
  if (post.place) {
    terms.add(factTerm('has', 'geo'))
    terms.add(factTerm('place', post.place.id))
    terms.add(factTerm('place', fold(post.place.name)))
    terms.add(factTerm('country', post.place.countryCode.toLowerCase()))
  }
  return terms
}

/** A term as the literals of `tsvector` and `tsquery` write it. */
export const quote = (term: string): string =>
  /['\\]/.test(term) ? `'${term.replaceAll('\\', '\\\\').replaceAll("'", "''")}'` : `'${term}'`
