-- What events show of objects that were deleted since: the rows of their parts, kept as long as the event log.
create table removed_object (
  kind text not null,
  id bigint not null,
  parts jsonb not null,
  -- Product time, to compare with the times of events.
  removed_at timestamptz not null,
  -- Real time: the days of the event log.
  stored_on date not null,
  primary key (kind, id)
);
create index removed_object_stored on removed_object (stored_on);

-- Which of an event's users were not public when it happened, with the reason; null where all were.
alter table event_outbox add column hidden_users jsonb;
alter table event_log add column hidden_users jsonb;

-- A delivery is withheld when an account that it depends on is not public any more.
alter table webhook_delivery drop constraint webhook_delivery_state_check;
alter table webhook_delivery add constraint webhook_delivery_state_check
  check (state in ('pending', 'delivered', 'given_up', 'withheld')) not valid;
-- Users who must be public, and users who must not be suspended, when it is sent.
alter table webhook_delivery add column public_user_ids bigint[];
alter table webhook_delivery add column active_user_ids bigint[];
