import { component, Type } from '../../api-kit/declaring/schema.ts'
import { LEGACY_HOSTS } from '../../legacy-words.ts'

export const SpaceId = component('SpaceId', Type.String({ pattern: '^[a-zA-Z0-9]{1,13}$' }))

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BASE = BigInt(DIGITS.length)
const WIDTH = 12

/** The id of a space, from a number that is unique and grows: clients expect 13 letters and digits after a first `1`. */
export function spaceIdOf(number: string): string {
  let text = ''
  for (let rest = BigInt(number); text.length < WIDTH; rest /= BASE) text = DIGITS[Number(rest % BASE)] + text
  return `1${text}`
}

/** The address that people share. */
export const spaceUrl = (baseUrl: string, id: string): string => `${baseUrl}/i/spaces/${id}`

const LINK = /(?<![\w@./-])(?:https?:\/\/)?([^\s/]+(?:\/[^\s?#]*)?)\/i\/spaces\/([a-zA-Z0-9]{1,13})(?![a-zA-Z0-9])/gi

/** The spaces to which a text has links: of this server, or of the platform that older clients write. */
export function spacesInText(text: string, baseUrl: string): string[] {
  if (!text.includes('/i/spaces/')) return []
  const own = baseUrl.replace(/^https?:\/\//, '')
  const found = new Set<string>()
  for (const [, site, id] of text.matchAll(LINK))
    if (site === own || LEGACY_HOSTS.has(site!.toLowerCase())) found.add(id!)
  return [...found].sort()
}
