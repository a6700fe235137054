-- Counts are kept for slices too, not only for coarse ones: a range of time mostly begins and ends within a coarse slice. So
-- slices end and settle, and a coarse slice is settled when all of its slices are.
alter table search_slice
  add column ended_xid xid8,
  add column ended_seen boolean not null default false,
  add column ended_at timestamptz,
  add column settled boolean not null default false;
create index search_slice_unsettled on search_slice (coarse) where not settled;
alter table search_coarse drop column ended_xid, drop column ended_seen, drop column ended_at, drop column settled;

-- Counts of a query in the posts with a label, that of a slice or coarse slice. They can be lost.
drop table search_count;
create unlogged table search_count (
  query bytea not null,
  grain_ms bigint not null,
  label text not null,
  epoch bigint not null,
  starts int[] not null,
  posts int[] not null,
  made_at timestamptz not null,
  primary key (query, grain_ms, label)
);
create index search_count_age on search_count (made_at);
