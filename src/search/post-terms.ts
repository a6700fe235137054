import { fold, tokenize } from './tokenize.ts'

/** What is known of a post when it is written, as far as a query can ask for it. */
export interface SearchablePost {
  /** The words of the text without its links, as `textWords` tells them. */
  words: readonly string[]
  hashtags: readonly string[]
  cashtags: readonly string[]
  mentions: readonly string[]
  /** Each with its short form, which `url:` finds too. */
  urls: readonly { expanded: string; short: string }[]
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
// PostgreSQL takes terms of up to 2,046 bytes: so many units are at most 600, in any script.
const LONGEST_TERM = 200

/** A term no longer than the index takes: the same beginning is stored and looked for. */
export function cutTerm(term: string): string {
  if (term.length <= LONGEST_TERM) return term
  const isPairCut = term.codePointAt(LONGEST_TERM - 1)! > 0xffff
  return term.slice(0, isPairCut ? LONGEST_TERM - 1 : LONGEST_TERM)
}

// Words of links stand far behind the text, so that no phrase runs from one into the other.
const GAP = 20

/**
 * The terms of a post as a `tsvector` literal: its words with their positions, and its facts without. A word that comes
 * again is written again: the database gathers its places and keeps the first 255.
 */
export function postTerms(post: SearchablePost): string {
  let terms = placedWords(post.words, 0)
  let at = post.words.length + GAP
  const place = (words: readonly string[], term?: (word: string) => string) => {
    terms += placedWords(words, at, term)
    at += words.length + GAP
  }
  for (const { expanded, short } of post.urls) {
    const words = tokenize(expanded)
    place(words)
    place(words, urlTerm)
    place(tokenize(short), urlTerm)
  }
  return terms + factTerms(post)
}

// Words hold nothing that the literal would read as a sign of its own; other terms do.
function placedWords(words: readonly string[], behind: number, term?: (word: string) => string): string {
  let placed = ''
  const count = Math.min(words.length, LAST_POSITION - behind)
  for (let at = 0; at < count; at++) {
    const word = cutTerm(words[at]!)
    placed += `${term ? quote(term(word)) : word}:${behind + at + 1} `
  }
  return placed
}

/** The words of a typed text; those of its links are told apart. */
export const textWords = (text: string): string[] => tokenize(withoutLinks(text))

export const withoutLinks = (text: string): string =>
  text.includes('://') ? text.replace(/https?:\/\/\S+/gi, ' ') : text

// Author, conversation, language and what a post answers, quotes or reposts are columns with indexes of their own: as
// terms, of which many occur once, they took half of the time that the index of terms costs a new post.
function factTerms(post: SearchablePost): string {
  const { hashtags, cashtags, mentions, urls, mediaTypes: media = [], place } = post
  const terms: string[] = []
  for (const tag of hashtags) terms.push(tagTerm(tag))
  for (const tag of cashtags) terms.push(cashTerm(tag))
  for (const name of mentions) terms.push(mentionTerm(name))
  if (post.replyToUserId) terms.push(factTerm('to', post.replyToUserId))
  if (post.repostedUserId) terms.push(factTerm('reposted_user', post.repostedUserId))
  if (hashtags.length > 0) terms.push(factTerm('has', 'hashtags'))
  if (cashtags.length > 0) terms.push(factTerm('has', 'cashtags'))
  if (mentions.length > 0) terms.push(factTerm('has', 'mentions'))
  // Attached media are links in the text too.
  if (urls.length > 0 || media.length > 0) terms.push(factTerm('has', 'links'))
  if (media.length > 0) terms.push(factTerm('has', 'media'))
  if (media.includes('photo')) terms.push(factTerm('has', 'images'))
  if (media.includes('video') || media.includes('animated_gif')) terms.push(factTerm('has', 'video_link'))
  if (place) {
    terms.push(factTerm('has', 'geo'), factTerm('place', place.id), factTerm('place', fold(place.name)))
    terms.push(factTerm('country', place.countryCode.toLowerCase()))
  }
  return terms.map((term) => quote(cutTerm(term))).join(' ')
}

/** A term as the literals of `tsvector` and `tsquery` write it. */
export const quote = (term: string): string =>
  /['\\]/.test(term) ? `'${term.replaceAll('\\', '\\\\').replaceAll("'", "''")}'` : `'${term}'`
