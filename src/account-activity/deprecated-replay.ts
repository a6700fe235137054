import { defineOperation } from '../api-kit/declaring/operation.ts'
import { textParameter } from '../api-kit/declaring/parameters.ts'
import { component, DateTime, Type } from '../api-kit/declaring/schema.ts'
import { WebhookConfigId } from '../webhooks/configure-webhooks.ts'
import { createReplayJob, Minute } from '../webhooks/create-replay.ts'

const job = { created_at: DateTime, job_id: Type.String() }

/** The older way to start a replay. Its answer has the members of its successor beside its own. */
export const createAccountActivityReplayJob = defineOperation({
  id: 'createAccountActivityReplayJob',
  route: 'POST /2/account_activity/replay/webhooks/{webhook_id}/subscriptions/all',
  tag: 'Account Activity',
  summary: 'Send the events of a period to a webhook again (deprecated: use POST /2/webhooks/replay)',
  deprecated: { since: new Date('2026-03-25T16:00:00Z'), successor: '/2/webhooks/replay' },
  auth: { app: true },
  limit: { app: '100/15m' },
  path: { webhook_id: WebhookConfigId },
  query: {
    from_date: textParameter(Minute, { required: true }),
    to_date: textParameter(Minute, { required: true }),
  },
  reply: component(
    'AccountActivityReplayResponse',
    Type.Object({ ...job, for_user_id: Type.String(), replay_event: Type.Object(job) }),
  ),
  handle: async ({ path, query, caller, runtime }) => {
    const made = await createReplayJob(runtime, caller, { ...path, ...query })
    return { ...made, for_user_id: caller.app.ownerUserId, replay_event: made }
  },
})
