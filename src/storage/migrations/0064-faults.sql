-- What an operator makes fail on purpose: requests that match, or the next deliveries to webhooks.
create table fault (
  id bigint generated always as identity primary key,
  target text not null check (target in ('request', 'delivery')),
  -- Method and path of the requests, as the operator wrote them.
  match text,
  app_id bigint,
  user_id bigint,
  -- Null: the deliveries to all webhooks.
  webhook_id bigint,
  effect text not null check (effect in ('status', 'named', 'delay', 'drop', 'stall', 'malformed', 'timeout', 'connection')),
  -- A status, a name, milliseconds or bytes, as the effect has it.
  value text not null,
  -- How often it happens; null: until it is cleared.
  times int check (times > 0),
  -- The share of the requests that fail; the seed decides which.
  rate double precision check (rate > 0 and rate <= 1),
  seed text not null,
  seen bigint not null default 0,
  used int not null default 0,
  created_at timestamptz not null,
  check ((target = 'request') = (match is not null))
);
