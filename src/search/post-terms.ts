import { fold, tokenize } from './tokenize.ts'

/** What queries can find of a post, as far as it is known when the post is written. */
export interface SearchablePost {
  /** The words of the text without its links, from `textWords`. */
  words: readonly string[]
  hashtags: readonly string[]
  cashtags: readonly string[]
  mentions: readonly string[]
  /** Each with its short form, which `url:` matches too. */
  urls: readonly { expanded: string; short: string }[]
  replyToUserId?: string | null
  repostedUserId?: string | null
  place?: { id: string; name: string; countryCode: string }
  /** The types of the attached media items. */
  mediaTypes?: readonly string[]
  /** Terms for `context:` and `entity:`, folded. */
  annotations?: readonly string[]
}

/** A term that stands for a fact. The colon distinguishes it from words, which never contain one. */
export const factTerm = (name: string, value: string): string => `${name}:${value}`

export const urlTerm = (token: string): string => factTerm('url', token)
export const tagTerm = (tag: string): string => `#${fold(tag)}`
export const cashTerm = (tag: string): string => `$${fold(tag)}`
export const mentionTerm = (username: string): string => `@${username.toLowerCase()}`

const LAST_POSITION = 16_000
// PostgreSQL accepts terms of up to 2,046 bytes; 200 UTF-16 units are at most 600 bytes in any script.
const LONGEST_TERM = 200

/** A term cut to what the index accepts: the same beginning is stored and searched for. */
export function cutTerm(term: string): string {
  if (term.length <= LONGEST_TERM) return term
  const isPairCut = term.codePointAt(LONGEST_TERM - 1)! > 0xffff
  return term.slice(0, isPairCut ? LONGEST_TERM - 1 : LONGEST_TERM)
}

// The positions of words of links begin far after the text, so no phrase spans both.
const GAP = 20

/**
 * The terms of a post as a `tsvector` literal: its words with positions, and its facts without. A word that occurs again is
 * written again: the database merges its positions and keeps the first 255.
 */
export function postTerms(post: SearchablePost): string {
  let terms = positionedWords(post.words, 0)
  let at = post.words.length + GAP
  const add = (words: readonly string[], term?: (word: string) => string) => {
    terms += positionedWords(words, at, term)
    at += words.length + GAP
  }
  for (const { expanded, short } of post.urls) {
    const words = tokenize(expanded)
    add(words)
    add(words, urlTerm)
    add(tokenize(short), urlTerm)
  }
  return terms + factTerms(post)
}

// Plain words contain no character that is special in the literal; other terms do, and are quoted.
function positionedWords(words: readonly string[], offset: number, term?: (word: string) => string): string {
  let text = ''
  const count = Math.min(words.length, LAST_POSITION - offset)
  for (let index = 0; index < count; index++) {
    const word = cutTerm(words[index]!)
    text += `${term ? quote(term(word)) : word}:${offset + index + 1} `
  }
  return text
}

/** The words of a typed text, without those of its links. */
export const textWords = (text: string): string[] => tokenize(withoutLinks(text))

export const withoutLinks = (text: string): string =>
  text.includes('://') ? text.replace(/https?:\/\/\S+/gi, ' ') : text

// Author, conversation, language and the posts that a post answers, quotes or reposts are indexed columns. As terms, many of
// which occur once, they took half of the time that the index of terms costs a new post.
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
  // Attached media items are links in the text too.
  if (urls.length > 0 || media.length > 0) terms.push(factTerm('has', 'links'))
  if (media.length > 0) terms.push(factTerm('has', 'media'))
  if (media.includes('photo')) terms.push(factTerm('has', 'images'))
  if (media.includes('video') || media.includes('animated_gif')) terms.push(factTerm('has', 'video_link'))
  if (place) {
    terms.push(factTerm('has', 'geo'), factTerm('place', place.id), factTerm('place', fold(place.name)))
    terms.push(factTerm('country', place.countryCode.toLowerCase()))
  }
  if (post.annotations) terms.push(...post.annotations)
  return terms.map((term) => quote(cutTerm(term))).join(' ')
}

/** A term as it is written in the literals of `tsvector` and `tsquery`. */
export const quote = (term: string): string =>
  /['\\]/.test(term) ? `'${term.replaceAll('\\', '\\\\').replaceAll("'", "''")}'` : `'${term}'`
