-- Copies of the world. The rows of a copy are tables in a schema of its own.
create table world_snapshot (
  name text primary key,
  schema_name text not null unique,
  -- The last migration when it was made: its tables have the columns of that time.
  migration text not null,
  -- One element per table that had rows: name, columns, key, number of rows.
  tables jsonb not null,
  facts jsonb not null,
  bytes bigint not null,
  created_at timestamptz not null
);
