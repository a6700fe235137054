-- Jobs that tell an app which of its stored posts or users it may not keep.
create table compliance_job (
  id bigint primary key,
  app_id bigint not null references client_app on delete cascade,
  type text not null check (type in ('posts', 'users')),
  name text,
  resumable boolean not null,
  -- A created job whose upload did not come in time is shown as expired.
  status text not null check (status in ('created', 'in_progress', 'failed', 'complete')),
  created_at timestamptz not null,
  upload_expires_at timestamptz not null,
  download_expires_at timestamptz not null,
  -- Each upload of the whole file is an attempt of its own, so two at once do not mix.
  upload_attempt int not null default 0,
  received_bytes bigint not null default 0,
  -- How far it was processed: all bytes before this, except an unfinished line.
  done_bytes bigint not null default 0,
  unfinished_line text not null default '',
  result_parts int not null default 0,
  result_bytes bigint not null default 0
);
create index compliance_job_of_app on compliance_job (app_id, type, id desc);
create index compliance_job_to_process on compliance_job (id) where status = 'in_progress';
create index compliance_job_ended on compliance_job (download_expires_at);

-- The uploaded ids, as they came.
create table compliance_upload (
  job_id bigint not null references compliance_job on delete cascade,
  attempt int not null,
  first_byte bigint not null,
  bytes bytea not null,
  primary key (job_id, attempt, first_byte)
);

create table compliance_result (
  job_id bigint not null references compliance_job on delete cascade,
  part int not null,
  bytes bytea not null,
  primary key (job_id, part)
);

-- When posts were deleted, and since when users are protected or suspended; unknown for what happened before this migration.
create table deleted_post (
  id bigint primary key,
  deleted_at timestamptz not null
);
alter table user_account add column protected_at timestamptz, add column suspended_at timestamptz;
