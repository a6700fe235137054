import { createHash } from 'node:crypto'
import { SHORT_LINK_BASE } from '../../legacy-words.ts'

const CODE_LENGTH = 10

/** The code of an address: the same address always has the same one. */
export function shortCode(url: string): string {
  const letters = createHash('sha256').update(url).digest('base64').replace(/[+/=]/g, '')
  return letters.slice(0, CODE_LENGTH)
}

export const shortLink = (url: string): string => SHORT_LINK_BASE + shortCode(url)
