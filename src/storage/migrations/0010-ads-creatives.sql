-- A post that a line item shows.
create table ads_promoted_post (
  id bigint primary key,
  account_id bigint not null references ads_account,
  line_item_id bigint not null references ads_line_item,
  post_id bigint not null,
  entity_status text not null,
  approval_status text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false
);
create index ads_promoted_post_page on ads_promoted_post (account_id, id);
create index ads_promoted_post_of_line_item on ads_promoted_post (line_item_id, post_id);
create index ads_promoted_post_of_post on ads_promoted_post (post_id);

-- What an account knows by name among the media that were uploaded. One row for each media, also after it was taken out.
create table ads_media_library (
  id bigint not null,
  account_id bigint not null references ads_account,
  media_key text not null references media (media_key) on delete cascade,
  name text,
  file_name text,
  title text,
  description text,
  poster_media_key text references media (media_key) on delete set null,
  -- The words of its four texts, folded, which searches ask for.
  terms text[] not null default '{}',
  -- Whether a post has shown it.
  posted boolean not null default false,
  -- It came in by a post, and nobody has looked yet whether it can be shown elsewhere too.
  unsorted boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false,
  primary key (account_id, media_key)
);
create index ads_media_library_page on ads_media_library (account_id, id) where not deleted;
create index ads_media_library_of_media on ads_media_library (media_key);
create index ads_media_library_of_poster on ads_media_library (poster_media_key) where poster_media_key is not null;
create index ads_media_library_unsorted on ads_media_library (account_id, id) where unsorted;

create index ads_promotable_user_by_user on ads_promotable_user (user_id) where not deleted;

-- What a user posts enters the libraries of the accounts that promote the user: in the change that posts it, which knows
-- nothing of advertising.
create function ads_media_posted() returns trigger language plpgsql as $$
begin
  update ads_media_library set posted = true where media_key = new.media_key and not posted;
  insert into ads_media_library (id, account_id, media_key, posted, unsorted, created_at, updated_at)
  select new.id, p.account_id, new.media_key, true, true, date_trunc('second', new.created_at), date_trunc('second', new.created_at)
    from ads_promotable_user p
   where p.user_id = new.owner_user_id and p.promotable_user_type = 'FULL' and not p.deleted
  on conflict (account_id, media_key) do nothing;
  return null;
end $$;
create trigger ads_media_posted after update of post_uses on media for each row
  when (old.post_uses = 0 and new.post_uses > 0) execute function ads_media_posted();

-- Media that can be shown beside posts: before videos, and as pictures on the publisher network.
create table ads_account_media (
  id bigint primary key,
  account_id bigint not null references ads_account,
  media_key text not null,
  video_id text,
  media_url text,
  creative_type text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false
);
create index ads_account_media_page on ads_account_media (account_id, id);
create unique index ads_account_media_once on ads_account_media (account_id, media_key) where not deleted;

create table ads_promoted_account (
  id bigint primary key,
  account_id bigint not null references ads_account,
  line_item_id bigint not null references ads_line_item,
  user_id bigint not null,
  entity_status text not null,
  approval_status text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false
);
create index ads_promoted_account_page on ads_promoted_account (account_id, id);
create index ads_promoted_account_of_line_item on ads_promoted_account (line_item_id, user_id);

create table ads_media_creative (
  id bigint primary key,
  account_id bigint not null references ads_account,
  line_item_id bigint not null references ads_line_item,
  account_media_id bigint not null references ads_account_media,
  landing_url text,
  entity_status text not null,
  approval_status text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false
);
create index ads_media_creative_page on ads_media_creative (account_id, id);
create index ads_media_creative_of_line_item on ads_media_creative (line_item_id);

create table ads_tracking_tag (
  id bigint primary key,
  account_id bigint not null references ads_account,
  line_item_id bigint not null references ads_line_item,
  tracking_tag_type text not null,
  tracking_tag_url text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false
);
create index ads_tracking_tag_page on ads_tracking_tag (account_id, id);
create index ads_tracking_tag_of_line_item on ads_tracking_tag (line_item_id);

create table ads_preroll_call_to_action (
  id bigint primary key,
  account_id bigint not null references ads_account,
  line_item_id bigint not null references ads_line_item,
  call_to_action text not null,
  call_to_action_url text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false
);
create index ads_preroll_call_to_action_page on ads_preroll_call_to_action (account_id, id);
create index ads_preroll_call_to_action_of_line_item on ads_preroll_call_to_action (line_item_id);

-- A promoted-only repost is not what its author reposted: there may be one of either kind.
drop index post_repost;
create unique index post_repost on post (reposted_post_id, author_id) where reposted_post_id is not null and not nullcast;
create unique index post_promoted_repost on post (reposted_post_id, author_id) where reposted_post_id is not null and nullcast;
