-- Communities get a count of their members, words to be found by, and what their join policies need.
alter table community
  add column member_count int not null default 0 check (member_count >= 0),
  add column words text[] not null default '{}',
  add constraint community_join_policy check (join_policy in ('Open', 'RestrictedJoinRequestsDisabled',
    'RestrictedJoinRequestsRequireAdminApproval', 'RestrictedJoinRequestsRequireModeratorApproval', 'SuperFollowRequired'));
update community c set
  member_count = (select count(*) from community_member m where m.community_id = c.id),
  words = array_remove(regexp_split_to_array(lower(name || ' ' || description), '[^[:alnum:]_]+'), '');
create index community_words on community using gin (words);

alter table community_member alter column role set default 'member';
update community_member set role = lower(role);
alter table community_member add constraint community_member_role check (role in ('member', 'moderator', 'admin'));
-- The first member of a community that has no admin becomes one.
update community_member m set role = 'admin'
 where m.user_id = (select min(o.user_id) from community_member o where o.community_id = m.community_id)
   and not exists (select from community_member a where a.community_id = m.community_id and a.role = 'admin');

-- Who asked to join, and who may join because a member invited them.
create table community_request (
  community_id bigint not null references community on delete cascade,
  user_id bigint not null references user_account on delete cascade,
  primary key (community_id, user_id)
);
create index community_request_of_user on community_request (user_id);
create table community_invitation (
  community_id bigint not null references community on delete cascade,
  user_id bigint not null references user_account on delete cascade,
  primary key (community_id, user_id)
);
create index community_invitation_of_user on community_invitation (user_id);
