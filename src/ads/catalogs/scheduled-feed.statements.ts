import { statement } from '../../storage/statement.ts'

const feedColumns = {
  id: 'int8',
  catalog_id: 'int8',
  feed_url: 'text',
  feed_format: 'text',
  frequency: 'text',
  repeat: 'text?',
  start_time: 'text',
  time_zone: 'text',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const
const SHOWN = 'id, catalog_id, feed_url, feed_format, frequency, repeat, start_time, time_zone, created_at, updated_at'

export const feedsOf = statement(
  'ads_feeds_of_catalog',
  feedColumns,
  `select ${SHOWN} from ads_scheduled_feed where catalog_id = $1`,
)
export const feedLock = statement(
  'ads_feed_lock',
  feedColumns,
  `select ${SHOWN} from ads_scheduled_feed where catalog_id = $1 and id = $2 for update`,
)
/** Adds a feed, unless the catalog already has one or was deleted. */
export const feedAdd = statement(
  'ads_feed_add',
  feedColumns,
  `insert into ads_scheduled_feed (id, catalog_id, feed_url, feed_format, frequency, repeat, start_time, time_zone, next_fetch_at, created_at, updated_at)
   select $1, c.id, $3, $4, $5, $6, $7, $8, $9, $10, $10 from ads_product_catalog c where c.id = $2
   on conflict (catalog_id) do nothing returning ${SHOWN}`,
)
/** Ends a run in progress, which is of the feed as it was before. */
export const feedUpdate = statement(
  'ads_feed_update',
  feedColumns,
  `update ads_scheduled_feed set feed_url = $2, feed_format = $3, frequency = $4, repeat = $5, start_time = $6, time_zone = $7,
     next_fetch_at = $8, updated_at = $9, run_id = null, claimed_until = null, deaths = 0 where id = $1 returning ${SHOWN}`,
)
export const feedRemove = statement(
  'ads_feed_remove',
  feedColumns,
  `delete from ads_scheduled_feed where catalog_id = $1 and id = $2 returning ${SHOWN}`,
)

/**
 * Claims a feed that is due and that no run has claimed. A claim that has ended is that of a process that died: the feed
 * then waits for ten minutes, after the second death for an hour, and later for six.
 */
export const feedClaim = statement(
  'ads_feed_claim',
  feedColumns,
  `update ads_scheduled_feed set run_id = $2, claimed_until = $3, deaths = deaths + (run_id is not null)::int
    where id = (select id from ads_scheduled_feed
                 where next_fetch_at <= $1 and (claimed_until is null or claimed_until + interval '10 minutes' * power(6, least(deaths, 2)) <= $1)
                 order by next_fetch_at limit 1 for update skip locked)
   returning ${SHOWN}`,
)
/** Ends the runs of a feed that have no result, other than a new one: their processes died. */
export const runDied = statement(
  'ads_feed_run_died',
  {},
  `update ads_feed_run set finished_at = $3, outcome = 'FAILED', problem = 'the process that read the file ended early'
    where feed_id = $1 and id <> $2 and outcome is null`,
)
/** Renews the claim of a run; changes no row when the feed was deleted, changed, or claimed by another run. */
export const feedRenew = statement(
  'ads_feed_renew',
  {},
  'update ads_scheduled_feed set claimed_until = $3 where id = $1 and run_id = $2',
)
export const feedRelease = statement(
  'ads_feed_release',
  {},
  'update ads_scheduled_feed set run_id = null, claimed_until = null where id = $1 and run_id = $2',
)
export const feedDone = statement(
  'ads_feed_done',
  {},
  'update ads_scheduled_feed set run_id = null, claimed_until = null, next_fetch_at = $3, deaths = 0 where id = $1 and run_id = $2',
)

export const runAdd = statement(
  'ads_feed_run_add',
  {},
  'insert into ads_feed_run (id, feed_id, started_at) select $1, id, $3 from ads_scheduled_feed where id = $2',
)
export const runEnd = statement(
  'ads_feed_run_end',
  {},
  `update ads_feed_run set finished_at = $2, outcome = $3, problem = $4, created = $5, updated = $6, unchanged = $7, failed = $8, faults = $9
    where id = $1`,
)
export const runsTrim = statement(
  'ads_feed_runs_trim',
  {},
  `delete from ads_feed_run where feed_id = $1 and id < (
     select min(id) from (select id from ads_feed_run where feed_id = $1 order by id desc limit $2) newest)`,
)
