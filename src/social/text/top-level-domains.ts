import tlds from 'tlds' with { type: 'json' }

// The registry list omits "onion", which is reserved but used in links.
const asciiNames = new Set<string>(['onion'])
const otherNames = new Map<string, string[]>()
for (const name of tlds) {
  if (/^[a-z]+$/.test(name)) asciiNames.add(name)
  else otherNames.set(name.charAt(0), [...(otherNames.get(name.charAt(0)) ?? []), name])
}
// Longest first, so a name is not cut to a shorter one that begins like it.
for (const names of otherNames.values()) names.sort((one, other) => other.length - one.length)

const LONGEST_ASCII_NAME = Math.max(...[...asciiNames].map((name) => name.length))

/** Where the top-level domain that begins at this offset ends, or -1. Letters of other scripts may follow it directly. */
export function topLevelDomainEnd(text: string, at: number): number {
  let end = at
  while (isAsciiLetter(text.charCodeAt(end))) end++
  if (end - at === 2 && text.startsWith('--', end) && /^xn$/i.test(text.slice(at, end))) return encodedNameEnd(text, at)
  if (end > at && end - at <= LONGEST_ASCII_NAME && mayFollow(text, end)) {
    if (asciiNames.has(text.slice(at, end).toLowerCase())) return end
  }
  const names = otherNames.get(text.charAt(at).toLowerCase())
  if (!names) return -1
  for (const name of names) {
    const nameEnd = at + name.length
    if (mayFollow(text, nameEnd) && text.slice(at, nameEnd).toLowerCase() === name) return nameEnd
  }
  return -1
}

function encodedNameEnd(text: string, at: number): number {
  let end = at + 4
  while (isAsciiLetter(text.charCodeAt(end)) || isDigitOrHyphen(text.charCodeAt(end))) end++
  return end > at + 4 ? end : -1
}

// A name that continues, or that is the local part of an email address, is not a top-level domain.
function mayFollow(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return !(isAsciiLetter(code) || isDigitOrHyphen(code) || code === 0x40 || code === 0x2b)
}

function isAsciiLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)
}

function isDigitOrHyphen(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2d
}
