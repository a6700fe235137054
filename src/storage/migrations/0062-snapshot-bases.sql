-- The server and the transaction in which the world was last equal to the snapshot: rows of later transactions differ from it.
alter table world_snapshot add column base text;
