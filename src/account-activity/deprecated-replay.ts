import { defineEndpoint, type Endpoint } from '../api-kit/declaring/endpoint.ts'
import type { Authenticate } from '../api-kit/serving/serve-request.ts'
import { Problem } from '../api-kit/writing/problem.ts'

const SUCCESSOR = '/2/webhooks/replay'
/** 2026-03-25 16:00 UTC, in seconds. */
const DEPRECATED_AT = 1_774_454_400

/** The replay of this product, which the replay of webhooks replaces. */
export function deprecatedReplay(authenticate: Authenticate): Endpoint {
  return defineEndpoint(
    'createAccountActivityReplayJob',
    'POST /2/account_activity/replay/webhooks/{webhook_id}/subscriptions/all',
    async (request, runtime, { notes }) => {
      notes.caller = await authenticate(request, notes)
      const gone = new Problem(410, {
        title: 'Gone',
        type: 'about:blank',
        status: 410,
        detail: `This endpoint is deprecated and no longer starts replays. Use POST ${SUCCESSOR} with webhook_id, from_date and to_date in a JSON body.`,
      })
      gone.headers = {
        deprecation: `@${DEPRECATED_AT}`,
        link: `<${runtime.baseUrl}${SUCCESSOR}>; rel="successor-version"`,
      }
      throw gone
    },
  )
}
