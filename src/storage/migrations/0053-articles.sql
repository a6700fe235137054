-- Articles: drafts of their owner, until they are published as a post.
create table article (
  id bigint primary key,
  owner_user_id bigint not null references user_account on delete cascade,
  title text not null,
  -- Blocks and entities as they were sent.
  content jsonb not null,
  plain_text text not null,
  preview_text text not null,
  cover_media_key text,
  media_keys text[] not null,
  -- Null while it is a draft. A deleted post takes its article with it.
  post_id bigint unique references post on delete cascade,
  created_at timestamptz not null
);
-- Which published articles show a media item.
create index article_cover on article (cover_media_key) where post_id is not null and cover_media_key is not null;
create index article_media on article using gin (media_keys) where post_id is not null;
create index article_drafts on article (owner_user_id) where post_id is null;
