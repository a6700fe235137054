-- Media as they are uploaded. The table of the first migration was never written to: nothing could be uploaded.
drop table media;
create table media (
  id bigint primary key,
  media_key text not null unique,
  owner_user_id bigint not null references user_account on delete cascade,
  -- Who may use it besides the owner.
  additional_owner_ids bigint[] not null default '{}',
  shared boolean not null default false,
  category text not null check (category in ('post_image', 'post_gif', 'post_video', 'amplify_video', 'dm_image', 'dm_gif', 'dm_video', 'subtitles')),
  type text not null check (type in ('photo', 'video', 'animated_gif', 'subtitles')),
  -- A waiting row is taken up by a process, which says so and until when; one that is overdue is taken up again.
  status text not null check (status in ('uploading', 'waiting', 'processing', 'ready', 'failed')),
  progress_percent int not null default 0,
  taken_until timestamptz,
  failure jsonb,
  -- As the client said, and as it is.
  media_type text,
  total_bytes bigint not null,
  received_bytes bigint not null default 0,
  content_type text,
  width int,
  height int,
  duration_ms int,
  bit_rate int,
  -- How many bytes of a moving picture are its first frame.
  first_frame_bytes int,
  -- A part of the address of the bytes that nobody can guess.
  address_key text not null,
  url text,
  preview_image_url text,
  variants jsonb,
  alt_text text,
  metadata jsonb not null default '{}',
  view_count int not null default 0,
  -- How many posts show it, and whether something else holds on to it. Without either it ends with its time.
  post_uses int not null default 0,
  kept boolean not null default false,
  expires_at timestamptz not null,
  created_at timestamptz not null
);
create index media_to_process on media (id) where status in ('waiting', 'processing');
create index media_unused on media (expires_at) where post_uses = 0 and not kept;
create index media_of_owner on media (owner_user_id, id desc);

-- The bytes, as the client cut them. They are compressed already: stored as they are, a part of a segment is read alone.
create table media_segment (
  media_id bigint not null references media on delete cascade,
  segment int not null,
  -- Where it begins in the whole; known when the upload is finished.
  starts_at bigint,
  size int not null,
  bytes bytea not null,
  primary key (media_id, segment)
);
alter table media_segment alter column bytes set storage external;

create table media_subtitle (
  media_id bigint not null references media on delete cascade,
  language_code text not null,
  subtitles_id bigint not null references media on delete cascade,
  display_name text,
  primary key (media_id, language_code)
);
create index media_subtitle_file on media_subtitle (subtitles_id);

-- What the author said about the media of a post: who is on them, and the words beside a video.
create table post_media (
  post_id bigint primary key,
  tagged_user_ids bigint[] not null default '{}',
  details jsonb not null default '{}'
);

-- Which posts show a media: most posts have none and are not in it.
create index post_media_keys on post using gin (media_keys) where media_keys <> '{}';
