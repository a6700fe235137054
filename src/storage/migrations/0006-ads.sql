-- Which apps may use the advertising interface, and which of its closed parts.
create table ads_enrolment (
  app_id bigint primary key references client_app on delete cascade,
  level text not null check (level in ('standard', 'conversion-only')),
  allowlists text[] not null default '{}'
);

create table ads_account (
  id bigint primary key,
  sandbox boolean not null,
  name text not null,
  business_id bigint,
  business_name text,
  timezone text not null,
  timezone_switch_at timestamptz,
  industry_type text,
  approval_status text not null default 'ACCEPTED',
  features text[] not null default '{}',
  campaign_cap int not null default 200,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false
);

create table ads_account_user (
  account_id bigint not null references ads_account,
  user_id bigint not null references user_account on delete cascade,
  permissions text[] not null,
  primary key (account_id, user_id)
);
create index ads_account_user_by_user on ads_account_user (user_id, account_id);

-- The accounts that each user reaches.
create view ads_account_reach as
  select a.id, a.sandbox, a.name, a.business_id, a.business_name, a.timezone, a.timezone_switch_at, a.industry_type, a.approval_status,
         a.created_at, a.updated_at, a.deleted, u.user_id
    from ads_account a join ads_account_user u on u.account_id = a.id;

-- Users whose posts an account may promote. Exactly one FULL user for each account.
create table ads_promotable_user (
  id bigint primary key,
  account_id bigint not null references ads_account,
  user_id bigint not null references user_account on delete cascade,
  promotable_user_type text not null check (promotable_user_type in ('FULL', 'REPOSTS_ONLY')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false
);
create index ads_promotable_user_page on ads_promotable_user (account_id, id);
create unique index ads_promotable_user_full on ads_promotable_user (account_id) where promotable_user_type = 'FULL' and not deleted;
create unique index ads_promotable_user_once on ads_promotable_user (account_id, user_id) where not deleted;

create table ads_funding_instrument (
  id bigint primary key,
  account_id bigint not null references ads_account,
  type text not null,
  description text,
  entity_status text not null,
  currency text not null,
  credit_limit_local_micro bigint,
  funded_amount_local_micro bigint,
  io_header text,
  start_time timestamptz not null,
  end_time timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false
);
create index ads_funding_instrument_page on ads_funding_instrument (account_id, id);

create table ads_campaign (
  id bigint primary key,
  account_id bigint not null references ads_account,
  funding_instrument_id bigint not null references ads_funding_instrument,
  name text not null,
  budget_optimization text not null,
  entity_status text not null,
  daily_budget_amount_local_micro bigint,
  total_budget_amount_local_micro bigint,
  purchase_order_number text,
  standard_delivery boolean,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false
);
create index ads_campaign_page on ads_campaign (account_id, id);
create index ads_campaign_name on ads_campaign (account_id, lower(name) text_pattern_ops);

create table ads_line_item (
  id bigint primary key,
  account_id bigint not null references ads_account,
  campaign_id bigint not null references ads_campaign,
  name text,
  objective text not null,
  goal text,
  product_type text not null,
  placements text[] not null,
  bid_strategy text,
  bid_amount_local_micro bigint,
  target_cpa_local_micro bigint,
  pay_by text,
  daily_budget_amount_local_micro bigint,
  total_budget_amount_local_micro bigint,
  standard_delivery boolean,
  start_time timestamptz,
  end_time timestamptz,
  duration_in_days int,
  frequency_cap int,
  primary_web_event_tag text,
  categories text[],
  advertiser_domain text,
  advertiser_user_id bigint,
  platform_a_app_store_identifier text,
  platform_b_app_store_identifier text,
  audience_expansion text,
  entity_status text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false
);
create index ads_line_item_page on ads_line_item (account_id, id);
create index ads_line_item_name on ads_line_item (account_id, lower(name) text_pattern_ops);
create index ads_line_item_of_campaign on ads_line_item (campaign_id) where not deleted;

-- What was changed by whom, with the record as it was afterwards.
create table ads_history (
  id bigint primary key,
  account_id bigint not null references ads_account,
  entity text not null,
  entity_id bigint not null,
  change_type text not null,
  user_id bigint not null,
  platform text not null,
  changes jsonb not null,
  entity_data jsonb not null,
  change_time timestamptz not null
);
create index ads_history_page on ads_history (account_id, entity, entity_id, id);
