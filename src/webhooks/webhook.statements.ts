import { LOG_END } from '../events/log-end.ts'
import { statement } from '../storage/statement.ts'

const columns = { id: 'int8', url: 'text', valid: 'bool', created_at: 'timestamptz' } as const

export const webhooksOfApp = statement(
  'webhooks_of_app',
  columns,
  'select id, url, valid, created_at from webhook where app_id = $1 order by id',
)
export const webhookOfApp = statement(
  'webhook_of_app',
  columns,
  'select id, url, valid, created_at from webhook where app_id = $1 and id = $2',
)
/** Serializes the creation of webhooks by one developer account. */
export const developerLock = statement(
  'webhook_developer_lock',
  { id: 'int8' },
  `select d.id from developer_account d join project p on p.developer_account_id = d.id join client_app a on a.project_id = p.id
    where a.id = $1 for update of d`,
)
/** Webhooks are counted for the whole developer account, not for each app. */
export const webhooksOfDeveloper = statement(
  'webhooks_of_developer',
  { count: 'int4', same: 'bool' },
  `select count(*)::int as count, coalesce(bool_or(w.app_id = $1 and w.url = $2), false) as same
     from webhook w join client_app a on a.id = w.app_id join project p on p.id = a.project_id
    where p.developer_account_id = (select o.developer_account_id from project o join client_app b on b.project_id = o.id where b.id = $1)`,
)
export const webhookAdd = statement(
  'webhook_add',
  columns,
  `insert into webhook (id, app_id, url, valid, created_at, last_success_at, naming, begins_after)
   values ($1, $2, $3, true, $4, $4, $5, ${LOG_END})
   on conflict (app_id, url) do nothing returning id, url, valid, created_at`,
)
/** Removes a webhook and gives up its pending deliveries. */
export const webhookRemove = statement(
  'webhook_remove',
  {},
  `with gone as (delete from webhook where app_id = $1 and id = $2 returning id)
   update webhook_delivery d set state = 'given_up', record = record || '[{"error":"the webhook was removed"}]' from gone
    where d.webhook_id = gone.id and d.state = 'pending'`,
)
export const webhookPassed = statement(
  'webhook_passed',
  {},
  'update webhook set valid = true, last_success_at = $2, last_failure = null where id = $1',
)
/** After an inconclusive failure the webhook stays valid if a challenge succeeded after `$4`. */
export const webhookFailed = statement(
  'webhook_failed',
  {},
  `update webhook set last_failure = $2, valid = valid and not $3 and coalesce(last_success_at, created_at) > $4 where id = $1`,
)
