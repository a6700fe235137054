import { ServedPruner } from '../ads/serving/prune-served.ts'
import { statsFilesExpire, statsJobsPrune } from '../ads/statistics/stats-job.statements.ts'
import { invalidateEverywhere, type Runtime } from '../api-kit/runtime.ts'
import { removedPrune } from '../events/removed-objects.ts'
import { NonceGuard } from '../identity/oauth1/nonce-guard.ts'
import { seenPrune, usagePrune } from '../identity/usage/usage.statements.ts'
import { realNow } from '../process/clock.ts'
import { every } from '../process/every.ts'
import { idAt } from '../process/ids.ts'
import type { Stoppable } from '../process/keep-trying.ts'
import { reservationsDrop } from '../social/chat/conversation.statements.ts'
import { messagesExpire } from '../social/chat/event.statements.ts'
import { chatMediaExpire } from '../social/chat/media/chat-media.statements.ts'
import { jobsPrune, resultsExpire } from '../social/compliance/compliance.statements.ts'
import { rollUpFacts } from '../social/insights/roll-up.ts'
import { formerMembersPrune } from '../social/lists/list.statements.ts'
import { mediaExpire } from '../social/media/media.statements.ts'
import { DUPLICATE_WINDOW_MS } from '../social/posts/insert-posts.ts'
import { statement } from '../storage/statement.ts'
import { connectionsPrune } from '../streams/connection.statements.ts'
import { deliveriesAbandon, deliveriesPrune } from '../webhooks/delivery.statements.ts'

const EVERY_MS = 60_000
const HOUR_MS = 3600_000
// A code or token that is used late is refused as expired, not as unknown. Those who move the clock move it far.
const EXPIRED_KEPT_MS = 30 * 24 * HOUR_MS
/** A delivery that could not be made in this time is given up: its webhook is not valid. */
const DELIVERY_WAITS_MS = 24 * HOUR_MS
// An hour longer than any can wait, so each can be inspected after its end.
const DELIVERY_KEPT_MS = DELIVERY_WAITS_MS + HOUR_MS
// A day longer than the event log, whose days are dropped as a whole.
const REMOVED_KEPT_MS = 8 * 24 * HOUR_MS
const DAY_MS = 24 * HOUR_MS
// The interface shows 90 days.
const USAGE_KEPT_MS = 92 * DAY_MS
const HISTORY_KEPT_MS = 7 * 24 * HOUR_MS

const dropExpired = [
  statement('housekeeping_request_tokens', {}, 'delete from oauth1_request_token where expires_at < $1'),
  statement('housekeeping_codes', {}, 'delete from oauth2_code where expires_at < $1'),
  statement('housekeeping_access_tokens', {}, 'delete from oauth2_access_token where expires_at < $1'),
  statement('housekeeping_refresh_tokens', {}, 'delete from oauth2_refresh_token where expires_at < $1'),
  statement('housekeeping_sessions', {}, 'delete from web_session where expires_at < $1'),
]
const dropTexts = statement('housekeeping_recent_texts', {}, 'delete from post_recent_text where post_id < $1')
const dropReplays = statement(
  'housekeeping_webhook_replays',
  {},
  `delete from webhook_replay where created_at < $1 and state <> 'running'`,
)
// Entries of the audit log are numbered, so the newest are kept by number.
const dropAudit = statement(
  'housekeeping_audit',
  {},
  'delete from audit_entry where id <= (select max(id) - $1 from audit_entry)',
)
const AUDIT_KEPT = 100_000

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

// A page of grants in the order of ids. Nothing refers to these any more: they were revoked, or the user has granted the app the
// same again later.
const dropGrants = statement(
  'housekeeping_grants',
  { last: 'int8?', removed: 'int4' },
  `with page as (
     select id, user_id, app_id, scopes, revoked from oauth2_grant where id > $1 and created_at < $2 order by id limit $3
   ), removed as (
     delete from oauth2_grant g using page p
      where g.id = p.id
        and not exists (select from oauth2_code c where c.grant_id = p.id)
        and not exists (select from oauth2_access_token t where t.grant_id = p.id)
        and not exists (select from oauth2_refresh_token r where r.grant_id = p.id)
        and (p.revoked or exists (
          select from oauth2_grant n
           where n.user_id = p.user_id and n.app_id = p.app_id and n.id > p.id and not n.revoked and n.scopes @> p.scopes))
     returning g.id
   )
   select (select max(id) from page) as last, (select count(*)::int from removed) as removed`,
)
const GRANTS_AT_ONCE = 1_000
// Where the next page begins: every minute looks at one page, so the cost does not grow with the number of grants.
let grantsAfter = '0'

const served = new ServedPruner()

async function tidyGrants({ database }: Runtime, before: Date): Promise<void> {
  const page = await dropGrants.first(database, grantsAfter, before, GRANTS_AT_ONCE)
  grantsAfter = page?.last ?? '0'
}

/** Removes what has expired. */
export async function tidy(runtime: Runtime): Promise<void> {
  const { database } = runtime
  const now = runtime.clock.now()
  const expired = new Date(now - EXPIRED_KEPT_MS)
  for (const drop of dropExpired) await drop.count(database, expired)
  await tidyGrants(runtime, expired)
  await dropTexts.count(database, idAt(now - DUPLICATE_WINDOW_MS))
  await new NonceGuard(database).dropOld()
  await runtime.limiter.dropOld()
  await removedPrune.count(database, dayOf(realNow() - REMOVED_KEPT_MS))
  await formerMembersPrune.count(database, idAt(now - REMOVED_KEPT_MS))
  await tidyUsage(runtime, now)
  await tidyStreams(runtime, now)
  await tidyMedia(runtime, now)
  await rollUpFacts(runtime.database, now)
  await tidyChat(runtime, now)
  await resultsExpire.count(database, new Date(now), new Date(now - HOUR_MS))
  await jobsPrune.count(database, new Date(now - 30 * DAY_MS))
  await statsFilesExpire.count(database, new Date(now))
  await statsJobsPrune.count(database, new Date(now - 30 * DAY_MS))
  await served.prune(database, now)
  await dropAudit.count(database, AUDIT_KEPT)
}

const SEEN_AT_ONCE = 20_000

async function tidyUsage({ database }: Runtime, now: number): Promise<void> {
  // Two days: other machines may still store what was read before midnight.
  while ((await seenPrune.count(database, dayOf(now - 2 * DAY_MS), SEEN_AT_ONCE)) === SEEN_AT_ONCE);
  await usagePrune.count(database, dayOf(now - USAGE_KEPT_MS))
}

// A few at a time: the bytes of each are deleted with it.
const MEDIA_AT_ONCE = 20

async function tidyMedia(runtime: Runtime, now: number): Promise<void> {
  let removed: { media_key: string }[]
  do {
    removed = await mediaExpire.all(runtime.database, new Date(now), MEDIA_AT_ONCE)
    if (removed.length > 0) await invalidateEverywhere(runtime, [['media', removed.map((row) => row.media_key)]])
  } while (removed.length === MEDIA_AT_ONCE)
}

const CHAT_AT_ONCE = 1_000
const RESERVED_MS = 24 * HOUR_MS

async function tidyChat({ database }: Runtime, now: number): Promise<void> {
  while ((await messagesExpire.count(database, new Date(now), CHAT_AT_ONCE)) === CHAT_AT_ONCE);
  while ((await chatMediaExpire.count(database, new Date(now), MEDIA_AT_ONCE)) === MEDIA_AT_ONCE);
  await reservationsDrop.count(database, new Date(now - RESERVED_MS))
}

async function tidyStreams({ database }: Runtime, now: number): Promise<void> {
  const ended = (error: string) => JSON.stringify([{ at: new Date(now).toISOString(), error }])
  await deliveriesAbandon.count(
    database,
    new Date(now - DELIVERY_WAITS_MS),
    ended('given up: it could not be delivered within 24 hours'),
    ended('given up: the webhook was removed'),
  )
  await deliveriesPrune.count(database, new Date(now - DELIVERY_KEPT_MS))
  // The process that serves a connection renews it in real time; one that was not renewed for an hour is gone.
  await connectionsPrune.count(database, new Date(now - HISTORY_KEPT_MS), new Date(realNow() - HOUR_MS))
  await dropReplays.count(database, new Date(now - HISTORY_KEPT_MS))
}

/** Tidies once a minute. */
export const startHousekeeping = (runtime: Runtime): Stoppable =>
  every(
    EVERY_MS,
    () => tidy(runtime),
    (error) => runtime.log.error({ err: error }, 'housekeeping failed'),
  )
