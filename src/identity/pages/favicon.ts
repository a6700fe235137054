import { defineEndpoint, type Endpoint } from '../../api-kit/declaring/endpoint.ts'
import { Answer } from '../../api-kit/writing/answer.ts'

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#6a1b4d"/>' +
  '<path fill="#fff" transform="translate(4 4) scale(.75)" d="M4 3h6v26H4zM12 3l16 8-16 8zM12 21.200l4.200-2.100L28 29h-7.400z"/></svg>'

/** The icon that browsers ask for. */
export const favicon: Endpoint = {
  ...defineEndpoint('favicon', 'GET /favicon.ico', async () => {
    return new Answer(ICON, { contentType: 'image/svg+xml', headers: { 'cache-control': 'max-age=86400' } })
  }),
  unrecorded: true,
  takesHead: true,
}
