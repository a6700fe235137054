-- Set while a restore has committed, but tables that it did not lock are not checked yet, and other processes not told. It is
-- real time: a process that finds it later decides by its age whether to finish the restore.
alter table world_snapshot add column unfinished_at timestamptz;
