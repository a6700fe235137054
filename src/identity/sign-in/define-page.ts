import { defineEndpoint, type Endpoint } from '../../api-kit/declaring/endpoint.ts'
import type { Method, RequestFacts } from '../../api-kit/declaring/operation.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { type RequestNotes, reasonOf } from '../../api-kit/serving/serve-request.ts'
import type { Answer } from '../../api-kit/writing/answer.ts'
import { Problem } from '../../api-kit/writing/problem.ts'
import { PAGE_LIMIT } from '../limits.ts'
import { messagePage } from '../pages/index.ts'
import { pageAnswer } from './browser.ts'

/** An endpoint that people open in a browser: refusals are pages too. */
export const definePage = (
  id: string,
  route: `${Method} /${string}`,
  handle: (request: RequestFacts, runtime: Runtime, notes: RequestNotes) => Promise<Answer>,
): Endpoint =>
  defineEndpoint(
    id,
    route,
    async (request, runtime, { notes }) => {
      try {
        return await handle(request, runtime, notes)
      } catch (error) {
        if (!(error instanceof Problem) || error.status >= 500) throw error
        const page = messagePage({
          title: 'This address is not valid',
          paragraphs: [
            `${reasonOf(error) ?? 'The request is not valid'}.`,
            'Go back to where you came from and try again.',
          ],
          tone: 'error',
        })
        return pageAnswer(page, undefined, { status: error.status, reason: reasonOf(error) })
      }
    },
    PAGE_LIMIT,
  )
