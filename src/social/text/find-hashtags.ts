import { nextSign } from './characters.ts'
import type { TextEntity } from './text-entity.ts'

// Joiners and marks that languages write inside words.
const INSIDE =
  '_\\u200c\\u200d\\ua67e\\u05be\\u05f3\\u05f4\\uff5e\\u301c\\u309b\\u309c\\u30a0\\u30fb\\u3003\\u0f0b\\u0f0c\\xb7'
const TAG = new RegExp(`[\\p{L}\\p{M}\\p{Nd}${INSIDE}]+`, 'uy')
const ENDS_LIKE_A_TAG = new RegExp(`[\\p{L}\\p{M}\\p{Nd}${INSIDE}&]$`, 'u')
const HAS_LETTER = /[\p{L}\p{M}]/u

/** The hashtags of a text in order, including those inside urls. */
export function findHashtags(text: string): TextEntity[] {
  const hashtags: TextEntity[] = []
  let taken = 0
  for (let at = nextSign(text, 0, '#'); at !== -1; at = nextSign(text, Math.max(at + 1, taken), '#')) {
    if (!mayStart(text, at, taken)) continue
    // Followed by these, the sign is a keycap emoji.
    if (text[at + 1] === '\ufe0f' || text[at + 1] === '\u20e3') continue
    TAG.lastIndex = at + 1
    const tag = TAG.exec(text)?.[0]
    if (tag === undefined || !HAS_LETTER.test(tag)) continue
    const end = at + 1 + tag.length
    taken = end
    if (text[end] === '#' || text[end] === '＃' || text.startsWith('://', end)) continue
    hashtags.push({ kind: 'hashtag', start: at, end, value: tag })
  }
  return hashtags
}

function mayStart(text: string, at: number, taken: number): boolean {
  if (at === 0) return true
  if (at - 1 < taken) return false
  const before = text.charCodeAt(at - 1)
  if (before === 0xfe0e || before === 0xfe0f || before === 0x20) return true
  return !ENDS_LIKE_A_TAG.test(text.slice(Math.max(0, at - 2), at))
}
