-- The limit of connections counts for each part of a stream.
alter table stream_connection add column partition smallint;
