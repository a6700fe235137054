import type { EndpointLimit } from '../api-kit/limits/endpoint-limit.ts'
import { codedError, tooManyRequests } from '../api-kit/writing/problems.ts'
import { messagePage } from './pages/index.ts'
import { pageAnswer } from './sign-in/browser.ts'

const PER_APP = { limit: 450, seconds: 900 }
const PER_ADDRESS = { limit: 900, seconds: 900 }

/** The limit of sign-in steps that programs take, with the code of the older interface. */
export const CODED_LIMIT: EndpointLimit = {
  app: PER_APP,
  address: PER_ADDRESS,
  refuse: (reason) => codedError(429, 88, 'Rate limit exceeded', { reason }),
}

/** The same on the paths of version 2. */
export const PROBLEM_LIMIT: EndpointLimit = { ...CODED_LIMIT, refuse: tooManyRequests }

/** The limit of pages, and of what is posted from them. */
export const PAGE_LIMIT: EndpointLimit = {
  address: PER_ADDRESS,
  refuse: () => {
    const page = messagePage({
      title: 'Too many requests',
      paragraphs: [
        'Your network address has asked for this page too often.',
        'Wait a quarter of an hour and try again.',
      ],
      tone: 'error',
    })
    return pageAnswer(page, undefined, { status: 429 })
  },
}
