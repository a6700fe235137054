-- Encrypted files of conversations. Without an end they stay with their conversation.
create table chat_media (
  id bigint primary key,
  media_hash_key text not null unique,
  conversation_id bigint not null references chat_conversation on delete cascade,
  owner_user_id bigint not null references user_account on delete cascade,
  message_id text,
  is_complete boolean not null default false,
  total_bytes bigint not null,
  received_bytes bigint not null default 0,
  expires_at timestamptz,
  created_at timestamptz not null
);
create index chat_media_conversation on chat_media (conversation_id);
create index chat_media_owner on chat_media (owner_user_id);
create index chat_media_expiry on chat_media (expires_at) where expires_at is not null;

-- The bytes, as the client cut them.
create table chat_media_segment (
  media_id bigint not null references chat_media on delete cascade,
  segment int not null,
  -- Where it begins in the whole; known when the upload is finished.
  starts_at bigint,
  size int not null,
  bytes bytea not null,
  primary key (media_id, segment)
);
alter table chat_media_segment alter column bytes set storage external;
