-- What happened to posts and to the media in them, counted. One row for each hour in which something happened; old hours become
-- days. A column is null where nothing was counted, so a row that has only views is short.

-- The sums of all time: what the metrics of a post show. What a promotion caused has rows of its own.
create table post_total (
  post_id bigint not null,
  promoted boolean not null,
  impressions bigint,
  likes bigint,
  unlikes bigint,
  replies bigint,
  reposts bigint,
  quote_posts bigint,
  bookmarks bigint,
  follows bigint,
  unfollows bigint,
  shares bigint,
  detail_expands bigint,
  url_clicks bigint,
  cta_url_clicks bigint,
  hashtag_clicks bigint,
  permalink_clicks bigint,
  user_profile_clicks bigint,
  email_post bigint,
  app_opens bigint,
  app_install_attempts bigint,
  media_views bigint,
  media_engagements bigint,
  video_views bigint,
  unique_video_views bigint,
  video_starts bigint,
  video_played25 bigint,
  video_played50 bigint,
  video_played75 bigint,
  video_completions bigint,
  primary key (post_id, promoted)
) with (fillfactor = 80);

create table post_hour (like post_total, period timestamptz not null, primary key (post_id, period, promoted)) with (fillfactor = 80);
create table post_day (like post_total, period timestamptz not null, primary key (post_id, period, promoted));
-- Finds the hours that are to become days.
create index post_hour_age on post_hour using brin (period) with (pages_per_range = 32, autosummarize = on);

create table media_total (
  media_id bigint not null references media on delete cascade,
  promoted boolean not null,
  video_views bigint,
  playback_start bigint,
  playback25 bigint,
  playback50 bigint,
  playback75 bigint,
  playback_complete bigint,
  play_from_tap bigint,
  cta_url_clicks bigint,
  cta_watch_clicks bigint,
  watch_time_ms bigint,
  primary key (media_id, promoted)
) with (fillfactor = 80);

create table media_hour (
  like media_total, period timestamptz not null, primary key (media_id, period, promoted),
  foreign key (media_id) references media on delete cascade
) with (fillfactor = 80);
create table media_day (
  like media_total, period timestamptz not null, primary key (media_id, period, promoted),
  foreign key (media_id) references media on delete cascade
);
create index media_hour_age on media_hour using brin (period) with (pages_per_range = 32, autosummarize = on);

-- Who saw a post, where that decides something: a viewer of its video counts once, and what a viewer of its promotion does
-- within a day is counted as promoted.
create table post_viewer (
  post_id bigint not null,
  kind text not null check (kind in ('video', 'promotion')),
  viewer_id bigint not null,
  seen_at timestamptz not null,
  primary key (post_id, kind, viewer_id)
);
create index post_viewer_age on post_viewer using brin (seen_at) with (pages_per_range = 32, autosummarize = on);

-- The post from which somebody last came to a profile. A follow within a day is counted for it, and later the end of that follow.
create table post_profile_visit (
  viewer_id bigint not null,
  author_id bigint not null,
  post_id bigint not null,
  promoted boolean not null,
  visited_at timestamptz not null,
  followed boolean not null default false,
  primary key (viewer_id, author_id)
);
create index post_profile_visit_post on post_profile_visit (post_id);
create index post_profile_visit_age on post_profile_visit (visited_at) where not followed;

-- Replaced by the sums above.
alter table post_metrics drop column impression_count, drop column url_link_clicks, drop column user_profile_clicks;
alter table media drop column view_count;
