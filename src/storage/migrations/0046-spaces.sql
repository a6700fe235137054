-- Live audio conversations. Ids have a fixed length and sort by the time of creation.
create table space (
  id text collate "C" primary key check (id ~ '^[0-9A-Za-z]{1,13}$'),
  creator_id bigint not null references user_account on delete cascade,
  state text not null check (state in ('scheduled', 'live', 'ended', 'cancelled')),
  title text not null,
  title_words text[] not null,
  lang text not null,
  is_ticketed boolean not null default false,
  -- The creator is the first host.
  host_ids bigint[] not null,
  -- Everybody who spoke at any time, and those who can speak now.
  speaker_ids bigint[] not null default '{}',
  speaking_ids bigint[] not null default '{}',
  invited_user_ids bigint[] not null default '{}',
  topic_ids text[] not null default '{}',
  participant_count int not null default 0 check (participant_count >= 0),
  subscriber_count int not null default 0 check (subscriber_count >= 0),
  scheduled_start timestamptz,
  started_at timestamptz,
  ended_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
) with (fillfactor = 70);
create index space_of_creator on space (creator_id, id desc);
-- Searches find only spaces that can still be joined.
create index space_title on space using gin (title_words) where state in ('scheduled', 'live');

-- Who is in a space.
create table space_participant (
  space_id text collate "C" not null references space on delete cascade,
  user_id bigint not null references user_account on delete cascade,
  primary key (space_id, user_id)
);
create index space_participant_of_user on space_participant (user_id);

-- Who set a reminder or bought a ticket. The number of a ticket orders the buyers; 0 means none.
create table space_subscriber (
  space_id text collate "C" not null references space on delete cascade,
  user_id bigint not null references user_account on delete cascade,
  has_reminder boolean not null,
  ticket_id bigint not null default 0,
  primary key (space_id, user_id),
  check (has_reminder or ticket_id > 0)
);
create index space_subscriber_of_user on space_subscriber (user_id);
create index space_buyer on space_subscriber (space_id, ticket_id) where ticket_id > 0;

-- Posts that were shared in a space, or that have a link to it.
create table space_post (
  space_id text collate "C" not null references space on delete cascade,
  post_id bigint not null references post on delete cascade,
  primary key (space_id, post_id)
);
create index space_post_of_post on space_post (post_id);
