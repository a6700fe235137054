import { statement } from '../../storage/statement.ts'

const webhook = {
  id: 'int8',
  app_id: 'int8',
  app: 'text',
  url: 'text',
  valid: 'bool',
  naming: 'text',
  created_at: 'timestamptz',
  last_challenge_at: 'timestamptz?',
  last_success_at: 'timestamptz?',
  last_failure: 'text?',
  activity_subscriptions: 'int4',
  account_activity_users: 'int4',
  stream_link: 'text?',
  pending: 'int4',
  last_delivery: 'jsonb?',
} as const

/** The most that is counted of what waits: more is shown as this number. */
export const MOST_COUNTED = 1_000

const columns = `w.id, w.app_id, a.name as app, w.url, w.valid, w.naming, w.created_at, w.last_challenge_at, w.last_success_at, w.last_failure,
  (select count(*)::int from activity_subscription s where s.webhook_id = w.id) as activity_subscriptions,
  (select count(*)::int from account_activity_subscription s where s.webhook_id = w.id) as account_activity_users,
  (select l.query from stream_webhook_link l where l.webhook_id = w.id) as stream_link,
  (select count(*)::int from (select from webhook_delivery d where d.webhook_id = w.id and d.state = 'pending' limit ${MOST_COUNTED}) p) as pending,
  (select jsonb_build_object('id', d.id::text, 'state', d.state, 'attempts', d.attempts, 'created_at', d.created_at)
     from webhook_delivery d where d.webhook_id = w.id order by d.id desc limit 1) as last_delivery`

/** Webhooks after an id, of one app or of all. */
export const webhooksAfter = statement(
  'control_webhooks_after',
  webhook,
  `select ${columns} from webhook w join client_app a on a.id = w.app_id
    where w.id > $1 and ($2::bigint is null or w.app_id = $2) order by w.id limit $3`,
)
export const webhookById = statement(
  'control_webhook_by_id',
  webhook,
  `select ${columns} from webhook w join client_app a on a.id = w.app_id where w.id = $1`,
)

const challenge = {
  id: 'int8',
  app_id: 'int8',
  app: 'text',
  url: 'text',
  cause: 'text',
  address: 'text',
  expected: 'text',
  status: 'int4?',
  answer: 'text?',
  passed: 'bool',
  reason: 'text?',
  ms: 'int4',
  created_at: 'timestamptz',
} as const
const challengeColumns = `c.id, c.app_id, a.name as app, c.url, c.cause, c.address, c.expected, c.status, c.answer, c.passed, c.reason, c.ms, c.created_at`

/** The kept challenges of a webhook, newest first. */
export const challengesOfWebhook = statement(
  'control_webhook_challenges',
  challenge,
  `select ${challengeColumns} from webhook_challenge c join client_app a on a.id = c.app_id where c.webhook_id = $1 order by c.id desc`,
)
/** Registrations before an id that a challenge refused, newest first. */
export const refusedBefore = statement(
  'control_webhooks_refused',
  challenge,
  `select ${challengeColumns} from webhook_challenge c join client_app a on a.id = c.app_id
    where c.webhook_id is null and c.id < $1 and ($2::bigint is null or c.app_id = $2) order by c.id desc limit $3`,
)

/** The activity subscriptions of a webhook after an id. */
export const subscriptionsOfWebhook = statement(
  'control_webhook_subscriptions',
  { id: 'int8', event_type: 'text', filter: 'jsonb', tag: 'text?', created_at: 'timestamptz' },
  `select id, event_type, filter, tag, created_at from activity_subscription where webhook_id = $1 and id > $2 order by id limit $3`,
)
/** The users whose account activity a webhook gets, after an id. */
export const usersOfWebhook = statement(
  'control_webhook_users',
  { user_id: 'int8', username: 'text', created_at: 'timestamptz' },
  `select s.user_id, u.username, s.created_at from account_activity_subscription s join user_account u on u.id = s.user_id
    where s.webhook_id = $1 and s.user_id > $2 order by s.user_id limit $3`,
)
export const replaysOfWebhook = statement(
  'control_webhook_replays',
  { id: 'int8', from_at: 'timestamptz', to_at: 'timestamptz', state: 'text', created_at: 'timestamptz' },
  'select id, from_at, to_at, state, created_at from webhook_replay where webhook_id = $1 order by id desc limit 10',
)
