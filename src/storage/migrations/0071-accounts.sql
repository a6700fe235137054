-- What users see about their own sessions. Unknown for sessions from before this migration.
alter table web_session
  add column created_at timestamptz,
  add column last_seen_on date,
  add column agent text not null default '';
create index web_session_of_user on web_session (user_id);

-- Invitations to register. The code itself is shown once.
create table invitation (
  id bigint primary key,
  code_hash bytea not null unique,
  note text not null default '',
  most_uses int not null check (most_uses > 0),
  uses int not null default 0 check (uses <= most_uses),
  expires_at timestamptz,
  revoked boolean not null default false,
  created_at timestamptz not null
);

-- The connected apps of a user.
create index oauth1_access_token_of_user on oauth1_access_token (user_id);
