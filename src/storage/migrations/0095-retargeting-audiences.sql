-- An event tag that is enabled for retargeting has an audience: those who did on the website or in the app what it stands for.
alter table ads_custom_audience drop constraint ads_custom_audience_audience_type_check;
alter table ads_custom_audience add constraint ads_custom_audience_audience_type_check
  check (audience_type in ('CRM', 'FLEXIBLE', 'MOBILE_AUDIENCE', 'WEB'));
-- The web or app event tag whose visitors are its members; null where users are added to it.
alter table ads_custom_audience add column tag_id bigint;
create unique index ads_custom_audience_of_tag on ads_custom_audience (tag_id) where tag_id is not null and not deleted;

create or replace view ads_audience_reach as
  select a.id, a.account_id, a.name, a.description, a.audience_type, a.segments, a.audience_size, a.targetable,
         a.reasons_not_targetable, a.created_at, a.updated_at, a.deleted, a.account_id as owner_account_id, 'READ_WRITE' as permission_level,
         a.tag_id
    from ads_custom_audience a
  union all
  select a.id, p.granted_account_id, a.name, a.description, a.audience_type, a.segments, a.audience_size, a.targetable,
         a.reasons_not_targetable, a.created_at, a.updated_at, a.deleted, a.account_id, p.permission_level, a.tag_id
    from ads_audience_permission p join ads_custom_audience a on a.id = p.audience_id
   where not p.deleted;

-- Viewers whom an event tag was hit by while it was enabled for retargeting, and when they last did it.
create table ads_tag_visitor (
  tag_id bigint not null,
  viewer int not null,
  seen_at timestamptz not null,
  primary key (tag_id, viewer)
);
