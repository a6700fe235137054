-- Direct messages. The id of a conversation of two users names both, `<smaller id>-<larger id>`; the id of a group is a number.
create table dm_conversation (
  id text primary key,
  is_group boolean not null,
  created_at timestamptz not null
);

-- Who is in a conversation. Users who left have no row.
create table dm_participant (
  conversation_id text not null references dm_conversation on delete cascade,
  user_id bigint not null references user_account on delete cascade,
  -- In a conversation of two: whoever has written can be answered.
  has_written boolean not null default false,
  last_read_event_id bigint,
  primary key (conversation_id, user_id)
);
create index dm_participant_user on dm_participant (user_id);

-- What happened in a conversation. A message stays when its sender deletes it: the others still see it.
create table dm_event (
  id bigint primary key,
  conversation_id text not null references dm_conversation on delete cascade,
  type text not null check (type in ('MessageCreate', 'ParticipantsJoin', 'ParticipantsLeave')),
  -- Who wrote, or who invited; nobody when somebody left.
  sender_id bigint,
  -- Only of joins and leaves: who joined or left.
  participant_ids bigint[] not null default '{}',
  text text,
  entities jsonb,
  media_key text,
  referenced_post_ids bigint[] not null default '{}',
  source_app_id bigint,
  created_at timestamptz not null
);
create index dm_event_conversation on dm_event (conversation_id);
create index dm_event_media on dm_event (media_key, id) where media_key is not null;

-- What each user sees: one row for each event and each user who was in the conversation when it happened. Deleting a message
-- removes the row of one user. Types are part of the keys, so a page of one type costs what it shows.
create table dm_view (
  user_id bigint not null references user_account on delete cascade,
  event_id bigint not null references dm_event on delete cascade,
  conversation_id text not null,
  type text not null,
  media_key text,
  primary key (user_id, event_id)
);
create index dm_view_event on dm_view (event_id);
create index dm_view_types on dm_view (user_id, type, event_id);
create index dm_view_conversation on dm_view (user_id, conversation_id, type, event_id);
create index dm_view_media on dm_view (user_id, media_key) where media_key is not null;

-- Users who do not want messages of another user. Unlike a block it changes nothing else.
create table dm_block (
  source_id bigint not null references user_account on delete cascade,
  target_id bigint not null references user_account on delete cascade,
  created_at timestamptz not null,
  primary key (source_id, target_id)
);
create index dm_block_target on dm_block (target_id);
