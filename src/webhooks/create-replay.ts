import type { Caller } from '../api-kit/declaring/caller.ts'
import { defineOperation } from '../api-kit/declaring/operation.ts'
import { closed, component, DateTime, Type } from '../api-kit/declaring/schema.ts'
import { change, type Runtime } from '../api-kit/runtime.ts'
import { conflict, invalidParameter } from '../api-kit/writing/problems.ts'
import { wireTime } from '../process/clock.ts'
import { statement } from '../storage/statement.ts'
import { challengeFor, findWebhook, WebhookConfigId } from './configure-webhooks.ts'
import { recordChallenge } from './record-challenge.ts'
import { replaysEnd } from './replay-jobs.ts'

const DAY_MS = 24 * 3600_000
const MINUTE_MS = 60_000
const FROM_AT_LEAST_AGO_MS = 31 * MINUTE_MS
const TO_AT_LEAST_AGO_MS = 10 * MINUTE_MS

/** Starts a job, unless one runs for the webhook, and plans the deliveries of the period again. */
const replayBegin = statement(
  'webhook_replay_begin',
  { id: 'int8' },
  `with job as (
     insert into webhook_replay (id, webhook_id, app_id, from_at, to_at, created_at)
     values ($1::bigint, $2::bigint, $3::bigint, $4::timestamptz, $5::timestamptz, $6::timestamptz)
     on conflict (webhook_id) where state = 'running' do nothing returning id
   ), again as (
     insert into webhook_delivery (webhook_id, app_id, kind, event_place, body, next_attempt_at, created_at, replay_job_id, public_user_ids,
       active_user_ids, post_id)
     select d.webhook_id, d.app_id, d.kind, d.event_place, d.body, $6::timestamptz, $6::timestamptz, job.id, d.public_user_ids, d.active_user_ids,
            d.post_id
       from job, webhook_delivery d
      where d.webhook_id = $2::bigint and d.created_at >= $4::timestamptz and d.created_at < $5::timestamptz
        and d.replay_job_id is null and d.kind <> 'replay-status' and d.state <> 'withheld'
      order by d.id
   )
   select id from job`,
)

/** A minute in UTC, `yyyymmddhhmm`. */
export const Minute = Type.String({ pattern: '^[0-9]{12}$' })

/** `yyyymmddhhmm` in UTC. */
function readMinute(name: string, text: string): number {
  const [, year, month, day, hour, minute] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(text)!
  const iso = `${year}-${month}-${day}T${hour}:${minute}:00.000Z`
  const ms = Date.parse(iso)
  if (Number.isNaN(ms) || new Date(ms).toISOString() !== iso)
    throw refused(name, text, 'it is not a valid date and time')
  return ms
}

const refused = (name: string, text: string, why: string) =>
  invalidParameter(name, text, `QueryParamInvalid: the \`${name}\` value [${text}] is not valid: ${why}.`)

function readPeriod(body: { from_date: string; to_date: string }, now: number): { from: number; to: number } {
  const from = readMinute('from_date', body.from_date)
  const to = readMinute('to_date', body.to_date)
  for (const [name, text, ms] of [
    ['from_date', body.from_date, from],
    ['to_date', body.to_date, to],
  ] as const) {
    if (ms > now) throw refused(name, text, 'it is in the future')
    if (ms < now - DAY_MS) throw refused(name, text, 'it is more than 24 hours ago')
  }
  if (from >= to) throw refused('from_date', body.from_date, 'it must be before `to_date`')
  if (from > now - FROM_AT_LEAST_AGO_MS)
    throw refused('from_date', body.from_date, 'it must be at least 31 minutes ago')
  if (to > now - TO_AT_LEAST_AGO_MS) throw refused('to_date', body.to_date, 'it must be at least 10 minutes ago')
  return { from, to }
}

export const createWebhookReplayJob = defineOperation({
  id: 'createWebhookReplayJob',
  route: 'POST /2/webhooks/replay',
  tag: 'Webhooks',
  summary: 'Send the events of a period to a webhook again',
  auth: { app: true },
  limit: { app: '100/15m' },
  body: component(
    'WebhookReplayCreateRequest',
    closed({ webhook_id: WebhookConfigId, from_date: Minute, to_date: Minute }),
  ),
  reply: component('ReplayJobCreateResponse', Type.Object({ created_at: DateTime, job_id: Type.String() })),
  handle: ({ body, caller, runtime }) => createReplayJob(runtime, caller, body),
})

/** Starts a job that sends the events of a period to a webhook again. */
export async function createReplayJob(
  runtime: Runtime,
  caller: Caller,
  asked: { webhook_id: string; from_date: string; to_date: string },
): Promise<{ created_at: string; job_id: string }> {
  const webhook = await findWebhook(runtime, caller, asked.webhook_id)
  const { from, to } = readPeriod(asked, runtime.clock.now())
  const result = await challengeFor(runtime, caller, webhook.url)
  await recordChallenge(runtime, { id: webhook.id, appId: caller.app.id, url: webhook.url, cause: 'replay' }, result)
  if (!result.passed) throw invalidParameter('webhook_id', webhook.id, `CrcValidationFailed: ${result.reason}.`)
  const at = new Date(runtime.clock.now())
  const job = await change(runtime, async (tx) => {
    // The status message of the previous job may have been delivered since the last check.
    await replaysEnd.count(tx, webhook.id)
    return replayBegin.first(tx, runtime.ids.next(), webhook.id, caller.app.id, new Date(from), new Date(to), at)
  })
  if (!job) throw conflict('ReplayConflictError: a replay job for this webhook is still running.')
  return { created_at: wireTime(at.getTime()), job_id: job.id }
}
