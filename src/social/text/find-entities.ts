import { findCashtags } from './find-cashtags.ts'
import { findHashtags } from './find-hashtags.ts'
import { findMentions } from './find-mentions.ts'
import { findUrls } from './find-urls.ts'
import type { TextEntity } from './text-entity.ts'

/** The entities of a text in order, without overlaps: a url wins over what it overlaps, then the entity that begins first. */
export function findEntities(text: string): TextEntity[] {
  const signs = signsIn(text)
  if (signs === 0) return []
  const urls = signs & DOT ? findUrls(text).map((url) => urlEntity(text, url.start, url.end)) : []
  const others: TextEntity[] = []
  if (signs & AT) others.push(...findMentions(text))
  if (signs & HASH) others.push(...findHashtags(text))
  if (signs & DOLLAR) others.push(...findCashtags(text))
  if (others.length === 0) return urls
  others.sort((one, other) => one.start - other.start)
  return withoutOverlaps(urls, others)
}

const DOT = 1
const AT = 2
const HASH = 4
const DOLLAR = 8

function signsIn(text: string): number {
  let signs = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x2e) signs |= DOT
    else if (code === 0x40 || code === 0xff20) signs |= AT
    else if (code === 0x23 || code === 0xff03) signs |= HASH
    else if (code === 0x24) signs |= DOLLAR
  }
  return signs
}

function urlEntity(text: string, start: number, end: number): TextEntity {
  return { kind: 'url', start, end, value: text.slice(start, end) }
}

// Both lists are in order, so one walk merges them.
function withoutOverlaps(urls: TextEntity[], others: TextEntity[]): TextEntity[] {
  const entities: TextEntity[] = []
  let nextUrl = 0
  let end = 0
  for (const other of others) {
    for (let url = urls[nextUrl]; url && url.start < other.start; url = urls[++nextUrl]) {
      entities.push(url)
      end = url.end
    }
    const following = urls[nextUrl]
    if (other.start < end || (following && following.start < other.end)) continue
    entities.push(other)
    end = other.end
  }
  entities.push(...urls.slice(nextUrl))
  return entities
}
