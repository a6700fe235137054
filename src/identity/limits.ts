import type { EndpointLimit } from '../api-kit/limits/endpoint-limit.ts'
import { codedError, tooManyRequests } from '../api-kit/writing/problems.ts'
import { messagePage } from './pages/index.ts'
import { pageAnswer } from './sign-in/browser.ts'

const PER_APP = { limit: 450, seconds: 900 }
const PER_ADDRESS = { limit: 900, seconds: 900 }

export const codedLimitReached = (reason: string) => codedError(429, 88, 'Rate limit exceeded', { reason })

/** The limit of the sign-in steps that programs call, with the error shape of version 1.1. */
export const CODED_LIMIT: EndpointLimit = {
  app: PER_APP,
  address: PER_ADDRESS,
  refuse: codedLimitReached,
}

/** The same on the paths of version 2. */
export const PROBLEM_LIMIT: EndpointLimit = { ...CODED_LIMIT, refuse: tooManyRequests }

/** The limit of pages and of the forms on them. */
export const PAGE_LIMIT: EndpointLimit = {
  address: PER_ADDRESS,
  refuse: () => {
    const page = messagePage({
      title: 'Too many requests',
      paragraphs: [
        'There were too many requests for this page from your network address.',
        'Wait 15 minutes and try again.',
      ],
      tone: 'error',
    })
    return pageAnswer(page, undefined, { status: 429 })
  },
}
