-- What an account calls posts, and for when it had scheduled those that it scheduled.
create table ads_post (
  post_id bigint not null references post on delete cascade,
  account_id bigint not null references ads_account,
  name text,
  scheduled_at timestamptz,
  primary key (post_id, account_id)
);
create index ads_post_page on ads_post (account_id, post_id desc);

-- Promoted-only posts are few among an author's posts.
create index post_promoted_only on post (author_id, id desc) where nullcast;

create table ads_draft_post (
  id bigint primary key,
  account_id bigint not null references ads_account,
  user_id bigint not null references user_account on delete cascade,
  name text,
  text text,
  card_uri text,
  media_keys text[],
  nullcast boolean not null,
  has_mentions boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false
);
create index ads_draft_post_page on ads_draft_post (account_id, user_id, id);

create table ads_scheduled_post (
  id bigint primary key,
  account_id bigint not null references ads_account,
  user_id bigint not null references user_account on delete cascade,
  name text,
  text text,
  card_uri text,
  media_keys text[],
  nullcast boolean not null,
  has_mentions boolean not null,
  scheduled_at timestamptz not null,
  scheduled_status text not null check (scheduled_status in ('SCHEDULED', 'SUCCESS', 'FAILED')),
  completed_at timestamptz,
  post_id bigint,
  -- The app that the post will say it came from.
  app_id bigint not null,
  app_name text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false
);
create index ads_scheduled_post_page on ads_scheduled_post (account_id, user_id, id);
create index ads_scheduled_post_due on ads_scheduled_post (scheduled_at, id) where scheduled_status = 'SCHEDULED';
create index ads_scheduled_post_window on ads_scheduled_post (account_id, scheduled_at) where scheduled_status = 'SCHEDULED';

create table ads_scheduled_promoted_post (
  id bigint primary key,
  account_id bigint not null references ads_account,
  line_item_id bigint not null references ads_line_item,
  scheduled_post_id bigint not null,
  post_id bigint,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false
);
create index ads_scheduled_promoted_post_page on ads_scheduled_promoted_post (account_id, id);
create index ads_scheduled_promoted_post_of_post on ads_scheduled_promoted_post (scheduled_post_id);
