-- Browsers that are signed in to the console. Times are real: moving the clock of the world must not end a session.
create table console_session (
  token_hash bytea primary key,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
