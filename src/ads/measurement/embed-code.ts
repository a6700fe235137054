import { html } from '../../identity/pages/html.ts'
import { PIXEL_WORDS } from '../../legacy-words.ts'
import { parseBase36, toBase36 } from '../kit/values.ts'

/** The id of an event as websites name it: with the tag of the website. */
export const eventName = (websiteTagId: string, eventTagId: string): string =>
  `${PIXEL_WORDS.eventPrefix}-${toBase36(websiteTagId)}-${toBase36(eventTagId)}`

const EVENT_NAME = new RegExp(`^${PIXEL_WORDS.eventPrefix}-([0-9a-z]{1,13})-([0-9a-z]{1,13})$`, 'i')

/** The event tag that a text names, alone or with the tag of the website; undefined for one of another website. */
export function readEventName(text: string, websiteTagId: string): string | undefined {
  const named = EVENT_NAME.exec(text)
  if (!named) return parseBase36(text)
  return parseBase36(named[1]) === websiteTagId ? parseBase36(named[2]) : undefined
}

/**
 * The snippet for the pages that people reach when they convert. It has no script of its own, so it fits a content security
 * policy that allows only this address.
 */
export function embedCode(baseUrl: string, websiteTagId: string, eventTagId: string): string {
  const [pixel, event] = [toBase36(websiteTagId), eventName(websiteTagId, eventTagId)]
  return html`<script async src="${baseUrl}/i/pixel.js" data-pixel="${pixel}" data-event="${event}"></script>
<noscript><img height="1" width="1" alt="" src="${baseUrl}/i/pixel/${pixel}/hit.gif?event=${event}"></noscript>`.text
}
