-- What happened, written in the transaction that made it happen. The sequencer moves committed rows into the log.
create table event_outbox (
  id bigint generated always as identity primary key,
  type text not null,
  -- Whose action it is, whom it concerns, and which post it is about.
  actor_id bigint,
  target_id bigint,
  post_id bigint,
  payload jsonb not null default '{}',
  happened_at timestamptz not null
);

-- The last place that was given out: one row, so that places have no gaps.
create table event_head (
  only_row boolean primary key default true check (only_row),
  place bigint not null
);
insert into event_head (place) values (0);

-- The log: places grow without gaps in the order in which readers may see them. A partition a day, dropped when old.
create table event_log (
  place bigint not null,
  type text not null,
  actor_id bigint,
  target_id bigint,
  post_id bigint,
  payload jsonb not null,
  happened_at timestamptz not null,
  logged_on date not null,
  primary key (place, logged_on)
) partition by range (logged_on);
create table event_log_other partition of event_log default;

-- How far a named reader has come.
create table event_reader (
  name text primary key,
  place bigint not null
);

create table post_like (
  user_id bigint not null references user_account on delete cascade,
  post_id bigint not null,
  id bigint not null,
  primary key (user_id, post_id)
);
create index post_like_of_post on post_like (post_id, id desc);
create index post_like_of_user on post_like (user_id, id desc);

create table bookmark_folder (
  id bigint primary key,
  user_id bigint not null references user_account on delete cascade,
  name text not null
);
create index bookmark_folder_of_user on bookmark_folder (user_id, id desc);

create table bookmark (
  user_id bigint not null references user_account on delete cascade,
  post_id bigint not null,
  id bigint not null,
  folder_id bigint references bookmark_folder on delete set null,
  primary key (user_id, post_id)
);
create index bookmark_of_user on bookmark (user_id, id desc);
create index bookmark_of_folder on bookmark (folder_id, id desc) where folder_id is not null;
create index bookmark_of_post on bookmark (post_id);

-- Mentions of a user, newest first.
create table post_mention (
  user_id bigint not null,
  post_id bigint not null references post on delete cascade,
  primary key (user_id, post_id)
);

-- What a query can ask of a post: its words with positions, and its facts as terms of their own.
alter table post add column search tsvector;
create index post_search on post using gin (search) with (fastupdate = on);

-- Reposts of a post, newest first; and what a deleted post takes with it is found without reading every mention.
create index post_repost_newest on post (reposted_post_id, id desc) where reposted_post_id is not null;
create index post_mention_of_post on post_mention (post_id);

-- Timelines look at the newest posts of many authors: what decides whether a post is listed is in the index itself.
create index post_listed on post (author_id, id desc)
  include (superseded, nullcast, share_with_followers, in_reply_to_user_id, reposted_post_id, community_id);
drop index post_of_author;

-- Mentions of posts that were written before this table was.
insert into post_mention (user_id, post_id)
select m.user_id, p.id from post p cross join unnest(p.mentioned_user_ids) as m (user_id) on conflict do nothing;

-- The words by which a user is found: of name, username and bio without its links, and the username as a whole.
alter table user_account add column search tsvector generated always as (
  array_to_tsvector(array_append(array_remove(regexp_split_to_array(
    lower(username || ' ' || name || ' ' || regexp_replace(description, 'https?://\S+', ' ', 'g')), '[^a-z0-9]+'), ''), lower(username)))
) stored;
create index user_account_search on user_account using gin (search);
-- The users of an organisation.
create index user_account_affiliation on user_account using gin ((affiliation -> 'user_id') jsonb_path_ops) where affiliation is not null;
