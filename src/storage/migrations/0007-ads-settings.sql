-- Mobile apps that line items of an account name.
create table ads_account_app (
  id bigint primary key,
  account_id bigint not null references ads_account,
  app_store_identifier text not null,
  os_type text not null check (os_type in ('Platform_A', 'Platform_B')),
  conversion_tracking_enabled boolean not null default false,
  deep_link_pattern text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false
);
create index ads_account_app_page on ads_account_app (account_id, id);
create unique index ads_account_app_once on ads_account_app (account_id, os_type, app_store_identifier);

-- Who pays and is taxed: one row for an account that has said something about it.
create table ads_tax_settings (
  account_id bigint primary key references ads_account,
  address_city text,
  address_company text,
  address_country text,
  address_email text,
  address_first_name text,
  address_last_name text,
  address_postal_code text,
  address_region text,
  address_street1 text,
  address_street2 text,
  client_address_city text,
  client_address_company text,
  client_address_country text,
  client_address_email text,
  client_address_first_name text,
  client_address_last_name text,
  client_address_postal_code text,
  client_address_region text,
  client_address_street1 text,
  client_address_street2 text,
  bill_to text not null,
  business_relationship text not null,
  invoice_jurisdiction text not null,
  tax_category text not null,
  tax_exemption_id text,
  tax_id text,
  updated_at timestamptz not null
);

-- How a user wants to be reached about an account.
create table ads_user_settings (
  account_id bigint not null references ads_account,
  user_id bigint not null references user_account on delete cascade,
  notification_email text not null default '',
  contact_phone text not null default '',
  contact_phone_extension text not null default '',
  subscribed_email_types text[] not null default '{}',
  updated_at timestamptz not null,
  primary key (account_id, user_id)
);
create index ads_user_settings_of_user on ads_user_settings (user_id);

-- Users whose videos advertisements run in front of.
create table ads_publisher (
  user_id bigint primary key references user_account on delete cascade,
  monetization_restricted boolean not null default false,
  monetizable_country_codes text[] not null,
  promotion_eligible_country_codes text[] not null,
  content_category_ids text[] not null
);

create table ads_line_item_curated_category (
  id bigint primary key,
  account_id bigint not null references ads_account,
  line_item_id bigint not null references ads_line_item,
  curated_category_id bigint not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false
);
create index ads_line_item_curated_category_page on ads_line_item_curated_category (account_id, id);
create unique index ads_line_item_curated_category_once on ads_line_item_curated_category (line_item_id) where not deleted;
