-- The last challenges of each webhook, and the last that refused a registration: what was sent, and what came back.
create table webhook_challenge (
  id bigint generated always as identity primary key,
  app_id bigint not null references client_app on delete cascade,
  -- Null: the challenge failed, so no webhook was registered.
  webhook_id bigint references webhook on delete cascade,
  url text not null,
  cause text not null check (cause in ('registration', 'hourly', 'validation', 'replay', 'operator')),
  -- The address that was called, with the token.
  address text not null,
  expected text not null,
  -- Null when there was no answer.
  status int,
  answer text,
  passed boolean not null,
  reason text,
  ms int not null,
  created_at timestamptz not null
);
create index webhook_challenge_of_app on webhook_challenge (app_id, webhook_id, id desc);
create index webhook_challenge_of_webhook on webhook_challenge (webhook_id, id desc);

-- How many posts each rule of a stream has matched, and up to which sequence of the log those of an app are counted.
create table stream_rule_match (
  rule_id bigint primary key references stream_rule on delete cascade,
  matches bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null
);
create table stream_rules_counted (
  app_id bigint primary key references client_app on delete cascade,
  sequence bigint not null
);
