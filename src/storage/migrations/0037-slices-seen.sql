-- Whether every statement in progress sees the change that `begun_xid` or `ended_xid` names. The number alone does not tell: a
-- statement that took its snapshot before the change may get a number of its own after it.
alter table search_slice add column begun_seen boolean not null default false;
alter table search_coarse add column ended_seen boolean not null default false;
