/** What differs in answers at the host names of the platform: the client has these names built in, and knows its addresses. */
export interface PlatformAnswers {
  hosts: ReadonlySet<string>
  /** The address of the interface, whichever of its names a request has. */
  apiBase: string
  /** The address of the pages that people see. */
  siteBase(host: string): string
  pictureBase: string
  videoBase: string
  shortLinkBase: string
  /** How a link to the media items of a post is displayed, without the code of its short link. */
  pictureLinkBase(host: string): string
  /** Fields that every answer shows, by the parameter that asks for them. */
  alwaysAsked: Readonly<Record<string, string>>
}

const VIDEO = /^media\/[^"?]+\.(?:mp4|m3u8|mov|webm|ts)(?=["?])/
const PICTURE = /^(?:media|profile_images)\//
/** Pages of the product, to which it writes links itself. */
const PAGE = /^(?:\w{1,20}\/status\/\d+|i\/)/
const LINK_NAME = /"([a-z_]*ur[il][a-z_]*)":"$/
const LONGEST_NAME = 40
/** Links in texts that people wrote; only those to pages of the product are changed. */
const WRITTEN = new Set(['expanded_url', 'unwound_url'])

/** JSON text whose links to the server begin with the addresses of the platform. */
export function withPlatformLinks(text: string, from: string, host: string, platform: PlatformAnswers): string {
  const [first, ...rest] = text.split(`${from}/`)
  let moved = first!
  for (const part of rest) {
    const name = LINK_NAME.exec(moved.slice(-LONGEST_NAME))?.[1]
    moved += `${name === undefined ? from : baseOf(name, part, from, host, platform)}/${part}`
  }
  return withPictureLinks(moved, from, host, platform)
}

function baseOf(name: string, path: string, from: string, host: string, platform: PlatformAnswers): string {
  if (WRITTEN.has(name)) return PAGE.test(path) ? platform.siteBase(host) : from
  if (VIDEO.test(path)) return platform.videoBase
  if (PICTURE.test(path)) return platform.pictureBase
  return PAGE.test(path) ? platform.siteBase(host) : platform.apiBase
}

/** A link with its other members: an object without objects inside, or the neighbours that version 1.1 writes. */
const LINK_ENTITY = /\{[^{}]*"display_url":"[^"]*"[^{}]*\}|"url":"[^"]*","display_url":"[^"]*","expanded_url":"[^"]*"/g

/** How links to pages of the product are displayed: those to media items by the code of their short link. */
function withPictureLinks(text: string, from: string, host: string, platform: PlatformAnswers): string {
  const shown = from.replace(/^https?:\/\//, '')
  if (!text.includes(`"display_url":"${shown}/`)) return text
  const site = platform.siteBase(host)
  return text.replace(LINK_ENTITY, (entity) => {
    if (!entity.includes(`"display_url":"${shown}/`) || !entity.includes(`"expanded_url":"${site}/`)) return entity
    const code = entity.split(`"url":"${platform.shortLinkBase}`)[1]?.split('"')[0]
    const isMedia = /\/status\/\d+\/(?:photo|video)\/\d+"/.test(entity)
    return isMedia && code !== undefined
      ? entity.replace(/"display_url":"[^"]*"/, `"display_url":"${platform.pictureLinkBase(host)}${code}"`)
      : entity.replace(`"display_url":"${shown}/`, `"display_url":"${site.replace(/^https:\/\//, '')}/`)
  })
}
