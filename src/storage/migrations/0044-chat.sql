-- The public keys of a user's chat clients. All versions stay: older messages were signed with older ones.
create table chat_public_key (
  user_id bigint not null references user_account on delete cascade,
  version bigint not null,
  -- The texts as the client sent them: other clients check signatures over their bytes.
  public_key text not null,
  signing_public_key text not null,
  identity_public_key_signature text not null,
  -- SHA-256 of the identity key. A key that is registered again gets no second version.
  fingerprint text not null,
  registration_method text,
  created_at timestamptz not null,
  primary key (user_id, version),
  unique (user_id, fingerprint)
);

-- The ids of groups that a user may create.
create table chat_group_reservation (
  id bigint primary key,
  user_id bigint not null references user_account on delete cascade,
  created_at timestamptz not null
);
create index chat_group_reservation_user on chat_group_reservation (user_id);

create table chat_conversation (
  -- The id of a group follows a g on the wire. Direct conversations are named by their two users.
  id bigint primary key,
  type text not null check (type in ('direct', 'group')),
  low_user_id bigint references user_account on delete cascade,
  high_user_id bigint references user_account on delete cascade,
  group_name text,
  group_avatar_url text,
  group_description text,
  ttl_msec bigint,
  -- The newest conversation key, and whether a former member knows it.
  key_version bigint not null,
  key_is_stale boolean not null default false,
  last_sequence bigint not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((type = 'direct') = (low_user_id is not null and high_user_id is not null)),
  check (low_user_id <= high_user_id)
);
create unique index chat_conversation_pair on chat_conversation (low_user_id, high_user_id) where type = 'direct';
create index chat_conversation_high on chat_conversation (high_user_id);

create table chat_member (
  conversation_id bigint not null references chat_conversation on delete cascade,
  user_id bigint not null references user_account on delete cascade,
  -- The order in which the client listed the members.
  position int not null,
  is_admin boolean not null default false,
  -- Members see events from the first to the last of these.
  first_sequence bigint not null,
  left_sequence bigint,
  -- False until a user has answered somebody whom they do not follow: a message request.
  accepted boolean not null,
  seen_until bigint,
  -- A copy of the conversation's, by which the list of a user's conversations is ordered.
  last_sequence bigint not null,
  primary key (conversation_id, user_id)
);
create index chat_member_list on chat_member (user_id, last_sequence desc) where left_sequence is null;
create index chat_member_user on chat_member (user_id);
create index chat_member_requests on chat_member (user_id) where not accepted and left_sequence is null;

create table chat_event (
  conversation_id bigint not null references chat_conversation on delete cascade,
  sequence bigint not null,
  previous_sequence bigint,
  -- The client's name for what it signed.
  message_id text not null,
  sender_id bigint not null references user_account on delete cascade,
  kind text not null check (kind in ('message', 'key_change', 'group_create', 'member_add', 'message_delete')),
  -- The conversation key that a message is encrypted with, or that a key change introduces.
  key_version bigint,
  signer_version bigint not null,
  -- The bytes that the client signed and encrypted, in the binary form of the wire; null once a message is deleted.
  detail bytea,
  signature bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  primary key (conversation_id, sequence),
  unique (conversation_id, message_id)
);
alter table chat_event alter column detail set storage external;
create index chat_event_keys on chat_event (conversation_id, key_version) where kind = 'key_change';
create index chat_event_sender on chat_event (sender_id);
create index chat_event_expiry on chat_event (expires_at) where expires_at is not null and detail is not null;

-- Messages that a user has deleted from their own view.
create table chat_hidden_event (
  user_id bigint not null references user_account on delete cascade,
  conversation_id bigint not null,
  sequence bigint not null,
  primary key (conversation_id, user_id, sequence),
  foreign key (conversation_id, sequence) references chat_event on delete cascade
);
create index chat_hidden_event_event on chat_hidden_event (conversation_id, sequence);
create index chat_hidden_event_user on chat_hidden_event (user_id);
