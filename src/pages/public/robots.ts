import { defineEndpoint, withHead } from '../../api-kit/declaring/endpoint.ts'
import { Answer } from '../../api-kit/writing/answer.ts'

// What belongs to one person, changes something, or is for programs.
const CLOSED = [
  '/2/',
  '/12/',
  '/1.1/',
  '/_rostra/',
  '/oauth/',
  '/oauth2/',
  '/home',
  '/messages',
  '/notifications',
  '/search',
]
const CLOSED_BELOW_I = [
  'actions',
  'bookmarks',
  'compose',
  'developer',
  'links',
  'live',
  'oauth2',
  'register',
  'settings',
  'sign-in',
  'sign-out',
]

/** What crawlers may read: the public pages. */
export const robots = withHead(
  defineEndpoint('robots', 'GET /robots.txt', async (_request, { mount }) => {
    const paths = [...CLOSED, ...CLOSED_BELOW_I.map((name) => `/i/${name}`)]
    const lines = ['User-agent: *', ...paths.map((path) => `Disallow: ${mount}${path}`)]
    return new Answer(`${lines.join('\n')}\n`, { contentType: 'text/plain; charset=utf-8' })
  }),
)
