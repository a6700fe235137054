import { LOG_END } from '../events/log-end.ts'
import { statement } from '../storage/statement.ts'

/** Whether a user is subscribed to a webhook, and anywhere in the developer account; and how many users the account has. */
export const subscriptionsOfAccount = statement(
  'account_activity_of_account',
  { account_name: 'text', users: 'int4', same: 'bool', known: 'bool' },
  `select d.name as account_name, count(distinct s.user_id)::int as users,
          coalesce(bool_or(s.webhook_id = $2 and s.user_id = $3), false) as same, coalesce(bool_or(s.user_id = $3), false) as known
     from developer_account d
     left join (project p join client_app a on a.project_id = p.id join webhook w on w.app_id = a.id
                join account_activity_subscription s on s.webhook_id = w.id) on p.developer_account_id = d.id
    where d.id = (select o.developer_account_id from project o join client_app b on b.project_id = o.id where b.id = $1)
    group by d.name`,
)

/** Subscribes a user. Returns no row when the app no longer has the webhook. */
export const userSubscriptionAdd = statement(
  'account_activity_add',
  { user_id: 'int8' },
  `insert into account_activity_subscription (webhook_id, user_id, app_id, created_at, begins_after)
   select w.id, $3::bigint, w.app_id, $4::timestamptz, ${LOG_END} from (select id, app_id from webhook where app_id = $1 and id = $2 for key share) w
   returning user_id`,
)
export const userSubscriptionFind = statement(
  'account_activity_find',
  { user_id: 'int8' },
  'select user_id from account_activity_subscription where webhook_id = $1 and user_id = $2',
)
export const userSubscriptionRemove = statement(
  'account_activity_remove',
  {},
  'delete from account_activity_subscription where webhook_id = $1 and user_id = $2',
)
export const subscriptionsOfWebhook = statement(
  'account_activity_of_webhook',
  { user_id: 'int8' },
  'select user_id from account_activity_subscription where webhook_id = $1 order by user_id',
)

/** The OAuth 1.0a access level that a user granted to an app. */
export const signedLevel = statement(
  'account_activity_signed_level',
  { access_level: 'text' },
  'select access_level from oauth1_access_token where app_id = $1 and user_id = $2',
)

/** The subscriptions of users to valid webhooks. A suspended app gets nothing. */
export const subscriptionsOfUsers = statement(
  'account_activity_of_users',
  {
    user_id: 'int8',
    webhook_id: 'int8',
    app_id: 'int8',
    naming: 'text',
    created_at: 'timestamptz',
    begins_after: 'int8',
  },
  `select s.user_id, s.webhook_id, s.app_id, w.naming, s.created_at, s.begins_after
     from unnest($1::bigint[]) as u (id)
     join account_activity_subscription s on s.user_id = u.id
     join webhook w on w.id = s.webhook_id and w.valid
     join client_app a on a.id = s.app_id and not a.suspended
    order by s.user_id, s.webhook_id`,
)

/** Ends the subscriptions that existed when a user revoked the access of an app. */
export const subscriptionsRevoke = statement(
  'account_activity_revoke',
  {},
  `delete from account_activity_subscription s
    using unnest($1::bigint[], $2::bigint[], $3::timestamptz[]) as r (user_id, app_id, happened_at)
    where s.user_id = r.user_id and s.app_id = r.app_id and s.created_at <= r.happened_at`,
)
