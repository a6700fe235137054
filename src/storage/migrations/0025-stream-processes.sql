-- The process that serves a connection: the number of a lock that it holds as long as it lives.
alter table stream_connection add column process int;
