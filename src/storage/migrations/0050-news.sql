-- Stories that several people wrote about, made from their posts.
create table news_story (
  id bigint primary key,
  name text not null,
  summary text not null,
  hook text not null,
  category text not null,
  contexts jsonb not null,
  keywords text[] not null,
  terms tsvector not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index news_story_terms on news_story using gin (terms);
create index news_story_updated on news_story (updated_at desc, id desc);
-- The posts of a story, the one that shows it best first.
create table news_story_post (
  story_id bigint not null references news_story (id) on delete cascade,
  post_id bigint not null references post (id) on delete cascade,
  rank int not null,
  primary key (story_id, post_id)
);
create index news_story_post_post on news_story_post (post_id);
