-- Kept counts are read as they are sent on: a week has ten thousand minutes, and arrays are written one number at a time.
drop table search_count;
create unlogged table search_count (
  query bytea not null,
  grain_ms bigint not null,
  label text not null,
  epoch bigint not null,
  -- The numbers of the periods, and the counts of posts in them, with commas between them.
  periods text not null,
  posts text not null,
  made_at timestamptz not null,
  primary key (query, grain_ms, label)
);
create index search_count_age on search_count (made_at);
