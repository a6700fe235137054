-- Where the log was when a subscription or link was made: it is told nothing of what was there before.
alter table activity_subscription add column begins_after bigint not null default 0;
alter table account_activity_subscription add column begins_after bigint not null default 0;
alter table stream_webhook_link add column begins_after bigint not null default 0;

-- How a replay ended whose last word to the webhook is on its way; until that has ended the job runs.
alter table webhook_replay add column outcome text check (outcome in ('complete', 'incomplete'));
