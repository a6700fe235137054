import { textWords } from '../../search/post-terms.ts'
import { ATTRIBUTION, CORRECTION, FILLER, JUDGEMENT, OPINION, SPECULATION } from './claim-words.data.ts'

// How much of an answer to the claims of a post a note is, and how little of an opinion. docs/community-notes.md describes it.

const LINK = /https?:\/\/[^\s<>"']+/gi
const NUMBER = /\d+([.,]\d+)*\s?%?/g
const QUOTATION = /["“„«][^"”“»]{3,}["”“»]/
const CAPITALS = /\b\p{Lu}{4,}\b/gu

/** Up to `most` occurrences count, each with the same weight. */
const upTo = (most: number, weight: number, found: number): number => Math.min(most, found) * weight

/** A number above zero for a note that answers claims, below zero for one that has opinions; between -6 and 6. */
export function claimOpinionScore(noteText: string, postText: string): number {
  const links = noteText.match(LINK) ?? []
  const hosts = new Set(links.map((link) => hostOf(link)).filter((host) => host !== undefined))
  const text = noteText.replace(LINK, ' ')
  const words = textWords(text)
  const sequence = ` ${words.join(' ')} `
  const count = (phrases: readonly string[]) => phrases.filter((phrase) => sequence.includes(` ${phrase} `)).length
  const claims =
    upTo(2, 0.75, hosts.size) +
    upTo(3, 0.4, text.match(NUMBER)?.length ?? 0) +
    upTo(3, 0.5, count(ATTRIBUTION)) +
    upTo(2, 0.4, count(CORRECTION)) +
    (QUOTATION.test(text) ? 0.3 : 0) +
    1.5 * sharedSubjects(words, textWords(postText))
  const opinions =
    upTo(3, 1.2, count(OPINION)) +
    upTo(3, 0.8, count(SPECULATION)) +
    upTo(3, 1, count(JUDGEMENT)) +
    upTo(3, 0.5, text.split('!').length - 1) +
    upTo(2, 0.4, text.split('?').length - 1) +
    upTo(3, 0.4, text.match(CAPITALS)?.length ?? 0)
  // Links without a sentence answer nothing.
  const brevity = words.length < 5 ? 2 : 0
  const score = Math.max(-6, Math.min(6, claims - opinions - brevity - 0.5))
  return Math.round(score * 10_000) / 10_000
}

function hostOf(link: string): string | undefined {
  const host = URL.canParse(link) ? new URL(link).hostname : ''
  return host.includes('.') ? host.replace(/^www\./, '') : undefined
}

/** Which part of the post's subjects the note takes up, from 0 to 1: three of them are enough. */
function sharedSubjects(noteWords: readonly string[], postWords: readonly string[]): number {
  const subjects = new Set(postWords.filter((word) => word.length > 2 && !FILLER.has(word)))
  if (subjects.size === 0) return 0
  const shared = new Set(noteWords.filter((word) => subjects.has(word)))
  return Math.min(1, shared.size / Math.min(3, subjects.size))
}

const HIGH = 1.5

/** The bucket of a score, as test results show it. */
export const bucketOf = (score: number): 'High' | 'Medium' | 'Low' =>
  score >= HIGH ? 'High' : score >= 0 ? 'Medium' : 'Low'
