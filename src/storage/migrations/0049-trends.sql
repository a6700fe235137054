-- What public posts talk about, by hour and place. An hour that is over keeps its most frequent terms.
create table topic_count (
  hour int not null,
  woeid int not null,
  -- `#tag`, `=name` or `-word`, folded.
  term text not null,
  shown text not null,
  entity_id bigint,
  posts int not null,
  authors int not null,
  last_author_id bigint not null,
  primary key (hour, woeid, term)
);
-- How far posts were read, and when trends and news were made.
create table topic_state (
  only_row bool primary key default true check (only_row),
  last_post_id bigint not null,
  pruned_hour int not null,
  trends_made_at timestamptz,
  news_made_at timestamptz
);
create table trend (
  woeid int not null,
  rank int not null,
  term text not null,
  name text not null,
  category text not null,
  post_count int not null,
  trending_since timestamptz not null,
  primary key (woeid, rank)
);
