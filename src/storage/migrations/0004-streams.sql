-- Backfill and recovery begin at a moment: it is found without reading the log.
create index event_log_moment on event_log using brin (happened_at) with (pages_per_range = 16, autosummarize = on);

-- Rules by which posts are matched: of the filtered stream, and of the power stream, which has a set of its own.
create table stream_rule (
  id bigint primary key,
  app_id bigint not null references client_app on delete cascade,
  product text not null check (product in ('filtered', 'power')),
  value text not null,
  tag text,
  created_at timestamptz not null
);
create unique index stream_rule_value on stream_rule (app_id, product, md5(value));
create index stream_rule_of_app on stream_rule (app_id, product, id);

-- Open streams, and those that were open. `seen_at` is renewed by the process that serves it: one that died stops.
create table stream_connection (
  id uuid primary key,
  app_id bigint not null references client_app on delete cascade,
  endpoint_name text not null,
  client_ip text not null,
  machine int not null,
  connected_at timestamptz not null,
  seen_at timestamptz not null,
  disconnected_at timestamptz,
  disconnect_reason text
);
create index stream_connection_of_app on stream_connection (app_id, connected_at desc, id);
create index stream_connection_open on stream_connection (machine) where disconnected_at is null;

-- What an app wants to be told of. Without a webhook it is told on the activity stream alone.
create table activity_subscription (
  id bigint primary key,
  app_id bigint not null references client_app on delete cascade,
  event_type text not null,
  user_id bigint,
  keyword text,
  direction text check (direction in ('inbound', 'outbound')),
  -- The filter as the client wrote it.
  filter jsonb not null,
  tag text,
  webhook_id bigint references webhook on delete set null,
  naming text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index activity_subscription_of_app on activity_subscription (app_id, id desc);
create index activity_subscription_event on activity_subscription (event_type, user_id);
create index activity_subscription_webhook on activity_subscription (webhook_id) where webhook_id is not null;

create table account_activity_subscription (
  webhook_id bigint not null references webhook on delete cascade,
  user_id bigint not null references user_account on delete cascade,
  app_id bigint not null references client_app on delete cascade,
  created_at timestamptz not null,
  primary key (webhook_id, user_id)
);
create index account_activity_subscription_of_user on account_activity_subscription (user_id);

-- Webhooks that get what the rules of their app match, with the fields that were asked for.
create table stream_webhook_link (
  webhook_id bigint primary key references webhook on delete cascade,
  app_id bigint not null references client_app on delete cascade,
  query text not null,
  naming text not null,
  created_at timestamptz not null
);

-- One event for one webhook: kept for a day after it ended, so that it can be looked at, repeated and replayed.
create table webhook_delivery (
  id bigint generated always as identity primary key,
  webhook_id bigint not null,
  app_id bigint not null,
  kind text not null,
  event_place bigint,
  body text not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'given_up')),
  attempts int not null default 0,
  next_attempt_at timestamptz not null,
  -- Moment, status or error, duration and beginning of the answer of each attempt.
  record jsonb not null default '[]',
  created_at timestamptz not null,
  replay_job_id bigint
);
create index webhook_delivery_due on webhook_delivery (webhook_id, next_attempt_at, id) where state = 'pending';
create index webhook_delivery_of_webhook on webhook_delivery (webhook_id, id desc);
create index webhook_delivery_moment on webhook_delivery using brin (created_at) with (pages_per_range = 16);

create table webhook_replay (
  id bigint primary key,
  webhook_id bigint not null references webhook on delete cascade,
  app_id bigint not null references client_app on delete cascade,
  from_at timestamptz not null,
  to_at timestamptz not null,
  state text not null default 'running' check (state in ('running', 'complete', 'incomplete')),
  created_at timestamptz not null
);
create unique index webhook_replay_running on webhook_replay (webhook_id) where state = 'running';

alter table webhook add column last_challenge_at timestamptz;
alter table webhook add column naming text not null default 'neutral';
create index webhook_delivery_of_replay on webhook_delivery (replay_job_id) where replay_job_id is not null;
-- People look for the few that failed among the many that did not.
create index webhook_delivery_given_up on webhook_delivery (id desc) where state = 'given_up';
-- The open streams of an app are few among those that were.
create index stream_connection_open_of_app on stream_connection (app_id) where disconnected_at is null;
-- Where the log was when a webhook was made: it gets nothing of what was there before.
alter table webhook add column begins_after bigint not null default 0;
