-- Facts about this installation that are not settings: key fingerprint, clock offset, whether the first world was made.
create table instance_fact (
  name text primary key,
  value text not null
);

-- Users. What is shown to others; sign-in secrets live apart in user_sign_in.
create table user_account (
  id bigint primary key,
  username text not null,
  name text not null,
  description text not null default '',
  description_entities jsonb,
  location text not null default '',
  url text not null default '',
  url_entities jsonb,
  profile_image_url text,
  profile_banner_url text,
  protected boolean not null default false,
  suspended boolean not null default false,
  verified_type text not null default 'none' check (verified_type in ('none', 'blue', 'business', 'government')),
  subscription_type text not null default 'None' check (subscription_type in ('None', 'Basic', 'Premium', 'PremiumPlus')),
  identity_verified boolean not null default false,
  parody boolean not null default false,
  geo_enabled boolean not null default true,
  receives_messages_from_everyone boolean not null default true,
  affiliation jsonb,
  withheld_countries text[] not null default '{}',
  pinned_post_id bigint,
  created_at timestamptz not null
);
create unique index user_account_username on user_account (lower(username));

create table user_sign_in (
  user_id bigint primary key references user_account on delete cascade,
  password_hash text,
  email text,
  email_confirmed boolean not null default false
);

-- Counters apart from the wide row: small rows that are updated in place.
create table user_metrics (
  user_id bigint primary key references user_account on delete cascade,
  followers_count int not null default 0,
  following_count int not null default 0,
  verified_followers_count int not null default 0,
  post_count int not null default 0,
  listed_count int not null default 0,
  like_count int not null default 0,
  media_count int not null default 0,
  most_recent_post_id bigint
) with (fillfactor = 60);

create table follow (
  source_id bigint not null references user_account on delete cascade,
  target_id bigint not null references user_account on delete cascade,
  id bigint not null,
  pending boolean not null default false,
  primary key (source_id, target_id)
);
create index follow_of_source on follow (source_id, id desc);
create index follow_of_target on follow (target_id, id desc);

create table block (
  source_id bigint not null references user_account on delete cascade,
  target_id bigint not null references user_account on delete cascade,
  id bigint not null,
  primary key (source_id, target_id)
);
create index block_of_source on block (source_id, id desc);
create index block_of_target on block (target_id);

create table mute (
  source_id bigint not null references user_account on delete cascade,
  target_id bigint not null references user_account on delete cascade,
  id bigint not null,
  primary key (source_id, target_id)
);
create index mute_of_source on mute (source_id, id desc);

-- Developers: account, project, app.
create table developer_account (
  id bigint primary key,
  user_id bigint not null unique references user_account on delete cascade,
  name text not null,
  created_at timestamptz not null
);

create table project (
  id bigint primary key,
  developer_account_id bigint not null references developer_account on delete cascade,
  name text not null,
  created_at timestamptz not null
);

create table client_app (
  id bigint primary key,
  project_id bigint not null references project on delete cascade,
  owner_user_id bigint not null references user_account on delete cascade,
  name text not null,
  description text not null default '',
  website_url text not null default '',
  api_key text not null unique,
  api_key_secret_sealed bytea not null,
  client_id text not null unique,
  client_secret_hash bytea not null,
  bearer_token_hash bytea unique,
  bearer_token_sealed bytea,
  callback_urls text[] not null default '{}',
  permission_level text not null check (permission_level in ('read', 'read-write', 'read-write-messages')),
  sign_in_enabled boolean not null default true,
  client_type text not null check (client_type in ('confidential', 'public')),
  tier text not null check (tier in ('free', 'self-serve', 'enterprise', 'partner')),
  naming text not null default 'auto' check (naming in ('auto', 'legacy')),
  suspended boolean not null default false,
  created_at timestamptz not null
);
create index client_app_of_project on client_app (project_id);

create table oauth1_request_token (
  token_hash bytea primary key,
  secret_sealed bytea not null,
  app_id bigint not null references client_app on delete cascade,
  callback text not null,
  access_level text not null,
  user_id bigint references user_account on delete cascade,
  verifier_hash bytea,
  expires_at timestamptz not null
);
create index oauth1_request_token_expiry on oauth1_request_token (expires_at);

create table oauth1_access_token (
  token_hash bytea primary key,
  token_sealed bytea not null,
  secret_sealed bytea not null,
  app_id bigint not null references client_app on delete cascade,
  user_id bigint not null references user_account on delete cascade,
  access_level text not null,
  created_at timestamptz not null
);
create unique index oauth1_access_token_of_grant on oauth1_access_token (app_id, user_id);

create table oauth2_grant (
  id bigint primary key,
  app_id bigint not null references client_app on delete cascade,
  user_id bigint not null references user_account on delete cascade,
  scopes text[] not null,
  naming text not null default 'neutral',
  revoked boolean not null default false,
  created_at timestamptz not null
);
create index oauth2_grant_of_user on oauth2_grant (user_id, app_id);

create table oauth2_code (
  code_hash bytea primary key,
  grant_id bigint not null references oauth2_grant on delete cascade,
  redirect_uri text not null,
  challenge text not null,
  used boolean not null default false,
  expires_at timestamptz not null
);
create index oauth2_code_expiry on oauth2_code (expires_at);

create table oauth2_access_token (
  token_hash bytea primary key,
  grant_id bigint not null references oauth2_grant on delete cascade,
  expires_at timestamptz not null
);
create index oauth2_access_token_of_grant on oauth2_access_token (grant_id);
create index oauth2_access_token_expiry on oauth2_access_token (expires_at);

create table oauth2_refresh_token (
  token_hash bytea primary key,
  grant_id bigint not null references oauth2_grant on delete cascade,
  used boolean not null default false,
  expires_at timestamptz not null
);
create index oauth2_refresh_token_of_grant on oauth2_refresh_token (grant_id);
create index oauth2_refresh_token_expiry on oauth2_refresh_token (expires_at);

create table web_session (
  token_hash bytea primary key,
  user_id bigint not null references user_account on delete cascade,
  expires_at timestamptz not null
);
create index web_session_expiry on web_session (expires_at);

-- Short-lived facts that may be lost in a crash: not logged, so they cost no disk flush.
create unlogged table oauth1_nonce (
  api_key text not null,
  nonce text not null,
  signed_at bigint not null,
  primary key (api_key, signed_at, nonce)
);
create unlogged table rate_counter (
  name text primary key,
  used int not null,
  resets_at bigint not null
) with (fillfactor = 50);

-- Posts. The time of a post is in its id.
create table post (
  id bigint primary key,
  author_id bigint not null references user_account on delete cascade,
  text text not null,
  entities jsonb,
  note_text text,
  note_entities jsonb,
  display_start int not null default 0,
  display_end int not null,
  lang text not null,
  conversation_id bigint not null,
  in_reply_to_post_id bigint,
  in_reply_to_user_id bigint,
  quoted_post_id bigint,
  reposted_post_id bigint,
  first_version_id bigint not null,
  superseded boolean not null default false,
  reply_settings text not null default 'everyone',
  community_id bigint,
  share_with_followers boolean not null default false,
  place_id text,
  poll_id bigint,
  media_keys text[] not null default '{}',
  card_uri text,
  nullcast boolean not null default false,
  made_with_ai boolean not null default false,
  paid_partnership boolean not null default false,
  possibly_sensitive boolean not null default false,
  hidden boolean not null default false,
  mentioned_user_ids bigint[] not null default '{}',
  source_app_id bigint,
  source text not null default ''
);
create index post_of_author on post (author_id, id desc);
create index post_of_conversation on post (conversation_id, id desc);
create index post_reply on post (in_reply_to_post_id, id desc) where in_reply_to_post_id is not null;
create index post_quote on post (quoted_post_id, id desc) where quoted_post_id is not null;
create unique index post_repost on post (reposted_post_id, author_id) where reposted_post_id is not null;
create index post_version on post (first_version_id) where first_version_id <> id;

create table post_metrics (
  post_id bigint primary key,
  repost_count int not null default 0,
  reply_count int not null default 0,
  like_count int not null default 0,
  quote_count int not null default 0,
  bookmark_count int not null default 0,
  impression_count int not null default 0,
  url_link_clicks int not null default 0,
  user_profile_clicks int not null default 0
) with (fillfactor = 60);

-- One row per author and text of the last day: a second post with the same text loses the race for the row.
create table post_recent_text (
  author_id bigint not null,
  digest bytea not null,
  post_id bigint not null,
  primary key (author_id, digest)
);
create index post_recent_text_age on post_recent_text (post_id);

create table media (
  media_key text primary key,
  owner_user_id bigint not null references user_account on delete cascade,
  type text not null check (type in ('photo', 'video', 'animated_gif')),
  url text,
  preview_image_url text,
  width int not null,
  height int not null,
  duration_ms int,
  alt_text text,
  variants jsonb,
  view_count int not null default 0
);

create table short_link (
  code text primary key,
  url text not null
);

create table poll (
  id bigint primary key,
  post_id bigint not null,
  duration_minutes int not null,
  ends_at timestamptz not null
);
create index poll_of_post on poll (post_id);
create table poll_option (
  poll_id bigint not null references poll on delete cascade,
  position int not null,
  label text not null,
  votes int not null default 0,
  primary key (poll_id, position)
);

create table place (
  id text primary key,
  full_name text not null,
  name text not null,
  country text not null,
  country_code text not null,
  place_type text not null check (place_type in ('poi', 'neighborhood', 'city', 'admin', 'country', 'unknown')),
  bbox float8[] not null,
  contained_within text[] not null default '{}'
);

create table community (
  id bigint primary key,
  name text not null,
  description text not null default '',
  access text not null default 'Public' check (access in ('Public', 'Closed')),
  join_policy text not null default 'Open',
  created_at timestamptz not null
);
create table community_member (
  community_id bigint not null references community on delete cascade,
  user_id bigint not null references user_account on delete cascade,
  role text not null default 'Member',
  primary key (community_id, user_id)
);
create index community_member_of_user on community_member (user_id);

create table webhook (
  id bigint primary key,
  app_id bigint not null references client_app on delete cascade,
  url text not null,
  valid boolean not null,
  created_at timestamptz not null,
  last_success_at timestamptz,
  last_failure text
);
create unique index webhook_of_app on webhook (app_id, url);
