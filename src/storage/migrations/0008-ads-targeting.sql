-- Whom a line item reaches: criteria of one type are alternatives.
create table ads_targeting_criterion (
  id bigint primary key,
  account_id bigint not null references ads_account,
  line_item_id bigint not null references ads_line_item,
  targeting_type text not null,
  targeting_value text not null,
  -- The value where it is the id of a user, campaign, audience or app list.
  value_id bigint,
  operator_type text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false
);
create index ads_targeting_criterion_page on ads_targeting_criterion (account_id, id);
create index ads_targeting_criterion_of_line_item on ads_targeting_criterion (line_item_id, targeting_type, targeting_value);
-- Which campaigns use an audience.
create index ads_targeting_criterion_of_value on ads_targeting_criterion (value_id, targeting_type) where value_id is not null;

-- Apps whose users are left out.
create table ads_app_list (
  id bigint primary key,
  account_id bigint not null references ads_account,
  name text not null,
  app_store_identifiers text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false
);
create index ads_app_list_page on ads_app_list (account_id, id);

-- Users of a place are found by the words of their location.
create index user_account_location_words on user_account using gin (to_tsvector('simple', location)) where location <> '';
