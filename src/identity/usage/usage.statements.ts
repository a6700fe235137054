import { statement } from '../../storage/statement.ts'

/**
 * Counts objects that were not counted on this day, and returns them. In one order in every process, so two never wait for each
 * other.
 */
export const objectsCount = statement(
  'usage_objects_count',
  { project_id: 'int8', kind: 'text', object_id: 'int8' },
  `with given as (
     select * from unnest($2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[])
       as g (project_id, app_id, kind, object_id, micros)
   ), fresh as (
     insert into usage_seen (day, project_id, kind, object_id)
     select $1::date, project_id, kind, object_id from given order by project_id, kind, object_id
     on conflict do nothing returning project_id, kind, object_id
   ), counted as (
     insert into usage_day as u (project_id, day, app_id, kind, used, cost_micros)
     select g.project_id, $1::date, g.app_id, g.kind, count(*), sum(g.micros)
       from given g join fresh f using (project_id, kind, object_id)
      group by g.project_id, g.app_id, g.kind order by g.project_id, g.app_id, g.kind
     on conflict (project_id, day, app_id, kind) do update
        set used = u.used + excluded.used, cost_micros = u.cost_micros + excluded.cost_micros
   )
   select project_id, kind, object_id from fresh`,
)

/** Counts requests that have a price. */
export const requestsCount = statement(
  'usage_requests_count',
  {},
  `insert into usage_day as u (project_id, day, app_id, kind, used, cost_micros)
   select project_id, $1::date, app_id, kind, used, micros
     from unnest($2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[]) as g (project_id, app_id, kind, used, micros)
    order by project_id, app_id, kind
   on conflict (project_id, day, app_id, kind) do update
      set used = u.used + excluded.used, cost_micros = u.cost_micros + excluded.cost_micros`,
)

/** What projects used in the month of a day and on the day, with their own caps and budgets. */
export const usageTotals = statement(
  'usage_totals',
  {
    project_id: 'int8',
    posts: 'float8',
    month_micros: 'float8',
    day_micros: 'float8',
    monthly_post_cap: 'float8?',
    monthly_budget_micros: 'float8?',
    daily_budget_micros: 'float8?',
  },
  `select p.id as project_id, coalesce(sum(u.used) filter (where u.kind = 'post'), 0)::float8 as posts,
          coalesce(sum(u.cost_micros), 0)::float8 as month_micros,
          coalesce(sum(u.cost_micros) filter (where u.day = $2::date), 0)::float8 as day_micros,
          p.monthly_post_cap::float8 as monthly_post_cap, p.monthly_budget_micros::float8 as monthly_budget_micros,
          p.daily_budget_micros::float8 as daily_budget_micros
     from project p left join usage_day u
       on u.project_id = p.id and u.day between date_trunc('month', $2::date)::date and $2::date
    where p.id = any($1::bigint[]) group by p.id`,
)

/** What the apps of a project used on each day from one day to another, by kind. */
export const usageByDay = statement(
  'usage_by_day',
  { day: 'text', app_id: 'int8', kind: 'text', used: 'float8', cost_micros: 'float8' },
  `select day::text as day, app_id, kind, used::float8 as used, cost_micros::float8 as cost_micros from usage_day
    where project_id = $1 and day between $2::date and $3::date order by day, app_id, kind`,
)

export const limitsSet = statement(
  'usage_limits_set',
  { id: 'int8' },
  `update project set monthly_post_cap = case when $2 then $3::bigint else monthly_post_cap end,
      monthly_budget_micros = case when $4 then $5::bigint else monthly_budget_micros end,
      daily_budget_micros = case when $6 then $7::bigint else daily_budget_micros end
    where id = $1 returning id`,
)

/** Drops some objects of days that are over. */
export const seenPrune = statement(
  'usage_seen_prune',
  {},
  `delete from usage_seen where ctid = any(array(select ctid from usage_seen where day < $1::date limit $2))`,
)
export const usagePrune = statement('usage_day_prune', {}, 'delete from usage_day where day < $1::date')
