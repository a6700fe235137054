-- What users reported to the operator.
create table report (
  id bigint primary key,
  reporter_id bigint not null references user_account on delete cascade,
  kind text not null check (kind in ('post', 'user', 'message', 'space', 'community', 'list')),
  -- The id of what was reported. It may be gone by now, so it refers to nothing.
  subject_id text not null,
  -- The author, sender, creator or owner; null for a community.
  owner_id bigint,
  reason text not null,
  comment text not null default '',
  -- The text as the reporter saw it: it may be changed or deleted later.
  excerpt text not null default '',
  state text not null default 'open' check (state in ('open', 'resolved')),
  action text check (action in ('none', 'remove_post', 'suspend_user', 'mark_sensitive')),
  resolution text,
  created_at timestamptz not null,
  resolved_at timestamptz,
  check ((state = 'open') = (action is null))
);
create unique index report_open_of_reporter on report (reporter_id, kind, subject_id) where state = 'open';
create index report_of_reporter on report (reporter_id);
create index report_of_subject on report (kind, subject_id);
create index report_of_owner on report (owner_id, id desc);
create index report_of_state on report (state, id desc);

-- What was done through the control interface and the command line. It belongs to the installation, so it survives a reset.
create table audit_entry (
  id bigint generated always as identity primary key,
  -- Product time and real time: the clock can be moved, and that is a command too.
  happened_at timestamptz not null,
  recorded_at timestamptz not null,
  actor text not null check (actor in ('admin key', 'console session', 'command line')),
  name text not null,
  -- Without secrets, and cut.
  arguments jsonb not null,
  -- Started until it is known how it ended: a process may die meanwhile.
  outcome text not null default 'started' check (outcome in ('started', 'done', 'refused', 'failed')),
  status int,
  result jsonb
);
create index audit_entry_of_name on audit_entry (name, id desc);

-- Operators page through the messages of a conversation.
create index dm_event_of_conversation on dm_event (conversation_id, id);
drop index dm_event_conversation;
