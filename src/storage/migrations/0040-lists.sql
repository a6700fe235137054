-- Lists of users. A private list is seen by its owner only.
create table list (
  id bigint primary key,
  owner_id bigint not null references user_account on delete cascade,
  name text not null,
  description text not null default '',
  private boolean not null default false,
  created_at timestamptz not null
);
create index list_of_owner on list (owner_id, id desc);

-- Counters apart from the list. Triggers keep them, whoever writes.
create table list_metrics (
  list_id bigint primary key references list on delete cascade,
  member_count int not null default 0,
  follower_count int not null default 0
) with (fillfactor = 60);

-- `private` is that of the list: what others see of a user's memberships is found without reading each list. `since_id` is an id
-- of the moment since which the user is in the list and the list is private, or public.
create table list_member (
  list_id bigint not null references list on delete cascade,
  user_id bigint not null references user_account on delete cascade,
  id bigint not null,
  private boolean not null,
  since_id bigint not null,
  primary key (list_id, user_id)
);
create index list_member_of_list on list_member (list_id, id desc);
create index list_member_of_user on list_member (user_id, private, id desc);

-- Public memberships that have ended, kept as long as the event log: rules match a post by the members of its time.
create table list_former_member (
  list_id bigint not null,
  user_id bigint not null,
  since_id bigint not null,
  until_id bigint not null
);
create index list_former_member_of_list on list_former_member (list_id, user_id);
create index list_former_member_until on list_former_member (until_id);

create table list_follow (
  user_id bigint not null references user_account on delete cascade,
  list_id bigint not null references list on delete cascade,
  id bigint not null,
  primary key (user_id, list_id)
);
create index list_follow_of_user on list_follow (user_id, id desc);
create index list_follow_of_list on list_follow (list_id, id desc);

create table list_pin (
  user_id bigint not null references user_account on delete cascade,
  list_id bigint not null references list on delete cascade,
  id bigint not null,
  primary key (user_id, list_id)
);
create index list_pin_of_list on list_pin (list_id);

-- A list timeline leaves out the few members whose posts the viewer may not see.
create index user_account_hidden on user_account (id) where protected or suspended;

-- Users count the public lists that they are in. Their rows are locked in one order, so two lists with the same members can
-- change at the same time.
create function list_member_insert() returns trigger language plpgsql as $$ begin
  update list_metrics m set member_count = m.member_count + c.members
    from (select list_id, count(*)::int as members from added group by list_id) c where m.list_id = c.list_id;
  perform from user_metrics where user_id in (select user_id from added where not private) order by user_id for no key update;
  update user_metrics m set listed_count = m.listed_count + c.lists
    from (select user_id, count(*)::int as lists from added where not private group by user_id) c where m.user_id = c.user_id;
  return null;
end $$;
create function list_member_delete() returns trigger language plpgsql as $$ begin
  update list_metrics m set member_count = m.member_count - c.members
    from (select list_id, count(*)::int as members from removed group by list_id) c where m.list_id = c.list_id;
  perform from user_metrics where user_id in (select user_id from removed where not private) order by user_id for no key update;
  update user_metrics m set listed_count = m.listed_count - c.lists
    from (select user_id, count(*)::int as lists from removed where not private group by user_id) c where m.user_id = c.user_id;
  return null;
end $$;
-- A list became private or public.
create function list_member_update() returns trigger language plpgsql as $$ begin
  perform from user_metrics where user_id in (select user_id from added) order by user_id for no key update;
  update user_metrics m set listed_count = m.listed_count + c.lists
    from (select user_id, sum(step)::int as lists from (
            select user_id, 1 as step from added where not private union all select user_id, -1 from removed where not private) s
           group by user_id having sum(step) <> 0) c
   where m.user_id = c.user_id;
  return null;
end $$;
create function list_follow_insert() returns trigger language plpgsql as $$ begin
  update list_metrics m set follower_count = m.follower_count + c.followers
    from (select list_id, count(*)::int as followers from added group by list_id) c where m.list_id = c.list_id;
  return null;
end $$;
create function list_follow_delete() returns trigger language plpgsql as $$ begin
  update list_metrics m set follower_count = m.follower_count - c.followers
    from (select list_id, count(*)::int as followers from removed group by list_id) c where m.list_id = c.list_id;
  return null;
end $$;

create trigger list_member_insert after insert on list_member
  referencing new table as added for each statement execute function list_member_insert();
create trigger list_member_delete after delete on list_member
  referencing old table as removed for each statement execute function list_member_delete();
create trigger list_member_update after update on list_member
  referencing old table as removed new table as added for each statement execute function list_member_update();
create trigger list_follow_insert after insert on list_follow
  referencing new table as added for each statement execute function list_follow_insert();
create trigger list_follow_delete after delete on list_follow
  referencing old table as removed for each statement execute function list_follow_delete();
