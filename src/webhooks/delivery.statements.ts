import { statement } from '../storage/statement.ts'

/**
 * Plans deliveries that are due at once. An invalid webhook gets none, and no webhook gets events from before its creation. `$7`
 * and `$8` are the users who must be public and those who must not be suspended, as texts of arrays. A delivery with a record in
 * `$9` is withheld. `$10` is the post that it shows.
 */
export const deliveriesAdd = statement(
  'webhook_deliveries_add',
  { id: 'int8' },
  `insert into webhook_delivery (webhook_id, app_id, kind, event_place, body, next_attempt_at, created_at, public_user_ids, active_user_ids,
     state, record, post_id)
   select p.webhook_id, p.app_id, p.kind, p.sequence, p.body, $6::timestamptz, $6::timestamptz, p.public_ids::bigint[], p.active_ids::bigint[],
          case when p.record is null then 'pending' else 'withheld' end, coalesce(p.record::jsonb, '[]'), p.post_id
     from unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::text[], $7::text[], $8::text[], $9::text[], $10::bigint[])
       with ordinality as p (webhook_id, app_id, kind, sequence, body, public_ids, active_ids, record, post_id, number)
     join webhook w on w.id = p.webhook_id and w.valid and p.sequence > w.begins_after
    order by p.number
   returning id`,
)

/**
 * Due deliveries of each valid webhook: at most `$3` for each, without those in `$2`, which are in flight. `hidden_user_id` is a
 * user on whom the delivery depends and who is hidden now.
 */
export const deliveriesDue = statement(
  'webhook_deliveries_due',
  {
    id: 'int8',
    webhook_id: 'int8',
    app_id: 'int8',
    url: 'text',
    body: 'text',
    attempts: 'int4',
    post_id: 'int8?',
    hidden_user_id: 'int8?',
    suspended: 'bool?',
  },
  `select d.id, w.id as webhook_id, w.app_id, w.url, d.body, d.attempts, d.post_id, h.id as hidden_user_id, h.suspended
     from webhook w cross join lateral (
       select id, body, attempts, post_id, next_attempt_at, public_user_ids, active_user_ids from webhook_delivery
        where webhook_id = w.id and state = 'pending' and next_attempt_at <= $1 and id <> all($2::bigint[])
        order by next_attempt_at, id limit $3) d
     left join lateral (
       select u.id, u.suspended from user_account u
        where u.id = any(d.public_user_ids || d.active_user_ids) and (u.suspended or (u.protected and u.id = any(d.public_user_ids)))
        limit 1) h on true
    where w.valid and w.id <> all($4::bigint[])
    order by w.id, d.next_attempt_at, d.id`,
)

/** Records the results of attempts: the state, the time of the next attempt, and an entry of the record. */
export const deliveriesRecord = statement(
  'webhook_deliveries_record',
  {},
  `update webhook_delivery d set state = r.state, attempts = d.attempts + (r.state <> 'withheld')::int, next_attempt_at = r.next_attempt_at, record = d.record || r.entry::jsonb
     from unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::text[]) as r (id, state, next_attempt_at, entry) where d.id = r.id and d.state = 'pending'`,
)

/** Gives up pending deliveries from before `$1` and those of removed webhooks; the record entries `$2` and `$3` have the reason. */
export const deliveriesAbandon = statement(
  'webhook_deliveries_abandon',
  {},
  `update webhook_delivery d set state = 'given_up',
     record = record || case when exists (select from webhook w where w.id = d.webhook_id) then $2::jsonb else $3::jsonb end
    where state = 'pending' and (created_at < $1 or not exists (select from webhook w where w.id = d.webhook_id))`,
)
export const deliveriesPrune = statement(
  'webhook_deliveries_prune',
  {},
  `delete from webhook_delivery where state <> 'pending' and created_at < $1`,
)

const shown = {
  id: 'int8',
  webhook_id: 'int8',
  app_id: 'int8',
  kind: 'text',
  event_type: 'text?',
  event_place: 'int8?',
  body: 'text',
  state: 'text',
  attempts: 'int4',
  next_attempt_at: 'timestamptz',
  record: 'jsonb',
  created_at: 'timestamptz',
  replay_job_id: 'int8?',
  url: 'text?',
  webhook_valid: 'bool?',
} as const
// An activity has the name that its subscription uses; the others that of the event, while it is in the log.
const eventType = `coalesce(substring(d.kind from '^activity:(.*)$'),
    (select e.type from event_log e where e.place = d.event_place limit 1))`
const shownColumns = `d.id, d.webhook_id, d.app_id, d.kind, ${eventType} as event_type, d.event_place, d.body, d.state, d.attempts, d.next_attempt_at, d.record, d.created_at,
  d.replay_job_id, w.url, w.valid as webhook_valid`

/** The newest deliveries before an id, optionally of one webhook or in one state. */
export const deliveriesNewest = statement(
  'webhook_deliveries_newest',
  shown,
  `select ${shownColumns} from webhook_delivery d left join webhook w on w.id = d.webhook_id
    where d.id < $1 and ($2::bigint is null or d.webhook_id = $2::bigint) and ($3::text is null or d.state = $3::text) order by d.id desc limit $4`,
)
/** The deliveries after an id, oldest first. */
export const deliveriesAfter = statement(
  'webhook_deliveries_after',
  shown,
  `select ${shownColumns} from webhook_delivery d left join webhook w on w.id = d.webhook_id
    where d.id > $1 and ($2::bigint is null or d.webhook_id = $2::bigint) and ($3::text is null or d.state = $3::text) order by d.id limit $4`,
)
/** The deliveries with these ids, newest first. */
export const deliveriesByIds = statement(
  'webhook_deliveries_by_ids',
  shown,
  `select ${shownColumns} from webhook_delivery d left join webhook w on w.id = d.webhook_id where d.id = any($1::bigint[]) order by d.id desc`,
)
/** Repeats a delivery as a new row with the same body. */
export const deliveryRepeat = statement(
  'webhook_delivery_repeat',
  { id: 'int8' },
  `insert into webhook_delivery (webhook_id, app_id, kind, event_place, body, next_attempt_at, created_at, public_user_ids, active_user_ids, post_id)
   select d.webhook_id, d.app_id, d.kind, d.event_place, d.body, $2::timestamptz, $2::timestamptz, d.public_user_ids, d.active_user_ids, d.post_id
     from webhook_delivery d join webhook w on w.id = d.webhook_id where d.id = $1 and d.body <> '' returning id`,
)
