import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import type { ConversionTag } from './conversion-tags.ts'

// In the order of the key, so two transactions do not wait for each other.
const visitorsAdd = statement(
  'ads_tag_visitors_add',
  { tag_id: 'int8' },
  `insert into ads_tag_visitor as v (tag_id, viewer, seen_at)
   select k.tag_id, k.viewer, max(k.seen_at) from unnest($1::bigint[], $2::int[], $3::timestamptz[]) as k (tag_id, viewer, seen_at)
    where exists (select from ads_web_event_tag t where t.id = k.tag_id and t.retargeting_enabled and not t.deleted)
       or exists (select from ads_app_event_tag t where t.id = k.tag_id and t.retargeting_enabled and not t.deleted)
    group by 1, 2 order by 1, 2
   on conflict (tag_id, viewer) do update set seen_at = excluded.seen_at where v.seen_at < excluded.seen_at
   returning tag_id`,
)
const audiencesDue = statement(
  'ads_tag_audiences_due',
  {},
  `update ads_custom_audience a set due_at = greatest($2, a.rest_until), revision = a.revision + 1
     from (select id from ads_custom_audience where tag_id = any($1::bigint[]) and not deleted order by id for update) d where a.id = d.id`,
)

interface Visit {
  tag: ConversionTag
  viewer: number | undefined
  at: number
}

/** Notes who did what event tags stand for, where these are enabled for retargeting: they are the members of its audience. */
export async function noteVisitors(tx: Tx, visits: readonly Visit[], now: number): Promise<void> {
  const known = visits.filter((item) => item.viewer !== undefined && item.tag.kind !== 'website')
  if (known.length === 0) return
  const noted = await visitorsAdd.all(
    tx,
    known.map((item) => item.tag.id),
    known.map((item) => item.viewer!),
    known.map((item) => new Date(item.at).toISOString()),
  )
  const tags = [...new Set(noted.map((row) => row.tag_id))]
  if (tags.length > 0) await audiencesDue.count(tx, tags, new Date(now))
}
