import { domainToASCII } from 'node:url'
import { SHORT_LINK_HOST } from '../../legacy-words.ts'
import { HOST, isKind, isLetterOrDigit, LABEL } from './characters.ts'
import { topLevelDomainEnd } from './top-level-domains.ts'
import { urlQueryEnd, urlTail } from './url-tail.ts'

/** A url in a text, by UTF-16 offsets. */
export interface UrlSpan {
  start: number
  end: number
}

const LONGEST_URL = 4096
const LONGEST_DOMAIN_LABEL = 63
// A link of the platform's own shortener ends with its code, whatever punctuation follows.
const SHORTENER = SHORT_LINK_HOST
const LONGEST_SHORTENER_CODE = 40

/**
 * The urls of a text, with scheme or bare, in order.
 *
 * Phases: around each full stop, read the *chain* of host labels; find where a domain may start in it (after a scheme,
 * or after a character that is not part of a word); add port, path and query; of a bare domain keep only the parts in
 * Latin letters, because other scripts write words directly next to a link. Every phase reads forward, so the time is linear.
 */
export function findUrls(text: string): UrlSpan[] {
  const urls: UrlSpan[] = []
  // The end of what was matched so far: no url may begin before it.
  let taken = 0
  let dot = text.indexOf('.')
  while (dot !== -1) {
    let next = dot + 1
    if (isKind(HOST, text, next)) {
      const chain = readChain(text, dot, taken)
      next = chain.end
      if (chain.domainEnds.some((end) => end !== -1)) taken = findInChain(text, chain, taken, urls)
    }
    dot = text.indexOf('.', Math.max(next, taken))
  }
  return urls
}

// Labels joined by full stops. All but the first and the last are complete and well-formed.
interface Chain {
  labelStarts: number[]
  // Per label: where a top-level domain at its start ends, or -1.
  domainEnds: number[]
  // Per label: the last underscore, which a registered name may not contain, or -1.
  underscores: number[]
  // The last label whose top-level domain follows a name without underscore, or -1.
  lastDomain: number
  end: number
}

function readChain(text: string, firstDot: number, taken: number): Chain {
  let start = firstDot
  let underscore = -1
  for (; start > taken && isInLabel(text, start - 1); start--) {
    if (underscore === -1 && text.charCodeAt(start - 1) === 0x5f) underscore = start - 1
  }
  const chain: Chain = {
    labelStarts: [start],
    domainEnds: [-1],
    underscores: [underscore],
    lastDomain: -1,
    end: firstDot,
  }
  while (text[chain.end] === '.' && isKind(HOST, text, chain.end - 1) && chain.end > chain.labelStarts.at(-1)!) {
    // Only the first label may begin with a hyphen or underscore: a domain can start further inside it.
    if (chain.labelStarts.length > 1 && !isKind(HOST, text, chain.labelStarts.at(-1)!)) break
    const labelStart = chain.end + 1
    const domainEnd = topLevelDomainEnd(text, labelStart)
    if (domainEnd !== -1 && chain.underscores.at(-1) === -1) chain.lastDomain = chain.labelStarts.length
    let labelEnd = labelStart
    underscore = -1
    for (; isInLabel(text, labelEnd); labelEnd++) if (text.charCodeAt(labelEnd) === 0x5f) underscore = labelEnd
    chain.labelStarts.push(labelStart)
    chain.domainEnds.push(domainEnd)
    chain.underscores.push(underscore)
    chain.end = labelEnd
  }
  if (chain.end === firstDot) chain.end++
  return chain
}

function findInChain(text: string, chain: Chain, takenBefore: number, urls: UrlSpan[]): number {
  let taken = takenBefore
  const first = chain.labelStarts[0]!
  const schemeStart = schemeStartBefore(text, first)
  if (schemeStart !== -1 && isKind(HOST, text, first) && mayStart(text, schemeStart, taken)) {
    const domainEnd = domainEndFrom(chain, 0, first)
    if (domainEnd !== -1) taken = addUrlWithScheme(text, { schemeStart, domainStart: first, domainEnd }, urls)
  }
  let label = 0
  for (let start = Math.max(first, taken === 0 ? 0 : taken + 1); start < chain.end; start++) {
    while (start >= (chain.labelStarts[label + 1] ?? chain.end)) label++
    if (label === chain.labelStarts.length - 1) break
    if (!isKind(HOST, text, start) || !mayStart(text, start, taken)) continue
    let domainStart = start
    let domainEnd = domainEndFrom(chain, label, domainStart)
    if (start === 0 && isBoundary(text, 0) && isKind(HOST, text, 1)) {
      // The platform's text library treats the very first character as the one before the domain where it can.
      const shorter = domainEndFrom(chain, label, 1)
      if (shorter !== -1) {
        domainStart = 1
        domainEnd = shorter
      }
    }
    if (domainEnd === -1) continue
    taken = addBareUrls(text, domainStart, domainEnd, urls)
    start = taken
  }
  return taken
}

// The longest domain wins, so the last top-level domain of the chain that this start can reach.
function domainEndFrom(chain: Chain, label: number, start: number): number {
  if (chain.lastDomain > label) return chain.domainEnds[chain.lastDomain]!
  return start > chain.underscores[label]! ? (chain.domainEnds[label + 1] ?? -1) : -1
}

function addUrlWithScheme(
  text: string,
  { schemeStart, domainStart, domainEnd }: { schemeStart: number; domainStart: number; domainEnd: number },
  urls: UrlSpan[],
): number {
  const domain = text.slice(domainStart, domainEnd)
  const tail = urlTail(text, domainEnd)
  let end = tail.end
  if (end - schemeStart + (domainStart - schemeStart) > LONGEST_URL || !isWritableDomain(domain)) return end
  if (domain.toLowerCase() === SHORTENER && text[domainEnd] === '/') {
    let codeEnd = domainEnd + 1
    while (isLetterOrDigit(text, codeEnd)) codeEnd++
    const codeLength = codeEnd - domainEnd - 1
    if (codeLength > LONGEST_SHORTENER_CODE) return end
    if (codeLength > 0) end = urlQueryEnd(text, codeEnd)
  }
  urls.push({ start: schemeStart, end })
  return tail.end
}

function addBareUrls(text: string, start: number, domainEnd: number, urls: UrlSpan[]): number {
  const tail = urlTail(text, domainEnd)
  if (start > 0 && '-_./'.includes(text.charAt(start - 1))) return tail.end
  if (tail.end - start + 'https://'.length > LONGEST_URL || !isWritableDomain(text.slice(start, domainEnd)))
    return tail.end
  const domains = latinDomains(text, start, domainEnd)
  const last = domains.at(-1)
  if (last && tail.hasPath) last.end = tail.end
  urls.push(...domains)
  return tail.end
}

// The domains in Latin letters inside a domain of any letters. Only the top-level domain may be in another script.
function latinDomains(text: string, from: number, to: number): UrlSpan[] {
  const domains: UrlSpan[] = []
  let at = from
  while (at < to) {
    if (!isKind(LABEL, text, at)) {
      at++
      continue
    }
    let end = -1
    let next = at
    while (isKind(LABEL, text, next)) {
      while (isKind(LABEL, text, next)) next++
      if (text[next] !== '.' || next >= to) break
      next++
      end = Math.max(end, topLevelDomainEnd(text, next))
    }
    if (end !== -1) domains.push({ start: at, end })
    at = end !== -1 ? end : next
  }
  return domains
}

function schemeStartBefore(text: string, hostStart: number): number {
  if (!text.startsWith('://', hostStart - 3)) return -1
  for (const scheme of ['https', 'http']) {
    const start = hostStart - 3 - scheme.length
    if (start >= 0 && text.slice(start, hostStart - 3).toLowerCase() === scheme) return start
  }
  return -1
}

function mayStart(text: string, start: number, taken: number): boolean {
  return start === 0 || (start > taken && isBoundary(text, start - 1))
}

// What follows a letter, a digit or the sign of another entity belongs to that word.
function isBoundary(text: string, at: number): boolean {
  return !isLetterOrDigit(text, at) && !'@＠$#＃\ufeff\ufffe\uffff'.includes(text.charAt(at))
}

function isInLabel(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code === 0x2d || code === 0x5f || isKind(HOST, text, at)
}

// Name servers accept labels of at most 63 ASCII characters, and an encoded label contains no other script.
function isWritableDomain(domain: string): boolean {
  if (!/[^\0-\x7f]/.test(domain)) return domain.length <= LONGEST_DOMAIN_LABEL || domain.split('.').every(isShortLabel)
  if (domain.startsWith('xn--') && latinDomains(domain, 0, domain.length).length === 0) return false
  return domain.split('.').every((label) => isShortLabel(domainToASCII(label) || label))
}

function isShortLabel(label: string): boolean {
  return label.length <= LONGEST_DOMAIN_LABEL
}
