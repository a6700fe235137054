-- Tests that split people into groups, each of which sees the ads of some campaigns or line items only.
create table ads_ab_test (
  id bigint primary key,
  account_id bigint not null references ads_account (id) on delete cascade,
  name text,
  description text,
  entity_type text not null check (entity_type in ('CAMPAIGN', 'LINE_ITEM')),
  start_time timestamptz not null,
  end_time timestamptz not null check (end_time > start_time),
  -- Objects with id, name, description, size (hundredths of a percent) and entity_ids, in order.
  user_groups jsonb not null,
  -- The entities of all groups.
  entity_ids bigint[] not null,
  -- Users stay named after their accounts have gone.
  created_by bigint not null,
  updated_by bigint not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false
);
create index ads_ab_test_of_account on ads_ab_test (account_id, id);
create index ads_ab_test_updated on ads_ab_test (account_id, updated_at, id);
create index ads_ab_test_of_entity on ads_ab_test using gin (entity_ids) where not deleted;
create index ads_ab_test_by_end on ads_ab_test (end_time) where not deleted;
