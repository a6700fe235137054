-- What each project used. Caps and budgets that are null follow the tier, or do not exist.
alter table project
  add column monthly_post_cap bigint check (monthly_post_cap >= 0),
  add column monthly_budget_micros bigint check (monthly_budget_micros >= 0),
  add column daily_budget_micros bigint check (daily_budget_micros >= 0);

-- The objects that a project has read on a day: each counts once. Unlogged, like the counters of rate limits: after a crash of the
-- database, objects of that day may count again.
create unlogged table usage_seen (
  day date not null,
  project_id bigint not null,
  kind text not null,
  object_id bigint not null,
  primary key (day, project_id, kind, object_id)
);

-- How many objects of a kind (`post`, `user`) and how many requests with a price (by operation) an app made on a day. Without foreign
-- keys: a row is written up to a second after the request, and its app may be gone by then.
create table usage_day (
  project_id bigint not null,
  day date not null,
  app_id bigint not null,
  kind text not null,
  used bigint not null,
  cost_micros bigint not null,
  primary key (project_id, day, app_id, kind)
) with (fillfactor = 80);
create index usage_day_by_day on usage_day (day);
