-- What world files made: the id behind each key, so a file that is applied again finds what it made before.
create table world_item (
  kind text not null,
  key text not null,
  id bigint not null,
  -- Secrets that are stored only as digests elsewhere, for credentials.json and for the export of a world.
  sealed bytea,
  primary key (kind, key)
);
create index world_item_of_id on world_item (kind, id);
