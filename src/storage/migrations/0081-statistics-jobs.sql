-- Jobs that compute statistics over long ranges or by segment, and the files that they write.
create table ads_stats_job (
  id bigint primary key,
  account_id bigint not null references ads_account on delete cascade,
  status text not null check (status in ('PROCESSING', 'SUCCESS', 'FAILED', 'CANCELLED')),
  entity text not null,
  entity_ids bigint[] not null,
  granularity text not null,
  placement text not null,
  metric_groups text[] not null,
  segmentation_type text,
  country text,
  start_time timestamptz not null,
  end_time timestamptz not null,
  -- The spelling of the client, which the file has too.
  naming text not null check (naming in ('neutral', 'legacy')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- When the file is dropped; null without a file.
  expires_at timestamptz
);
create index ads_stats_job_page on ads_stats_job (account_id, id);
create index ads_stats_job_waiting on ads_stats_job (id) where status = 'PROCESSING';
create index ads_stats_job_running on ads_stats_job (account_id) where status = 'PROCESSING';
create index ads_stats_job_expiry on ads_stats_job (expires_at) where expires_at is not null;

-- A gzip file in parts, so it need not fit in memory.
create table ads_stats_file (
  job_id bigint not null references ads_stats_job on delete cascade,
  part int not null,
  bytes bytea not null,
  primary key (job_id, part)
);
-- Compressed already.
alter table ads_stats_file alter column bytes set storage external;
