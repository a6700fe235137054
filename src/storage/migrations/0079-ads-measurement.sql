-- What advertisers measure: websites and apps report what people did there, and that is credited to ads.

-- The tag of a website, which the event tags of an account share: the pixel.
create table ads_website_tag (
  id bigint primary key,
  account_id bigint not null unique references ads_account
);

create table ads_web_event_tag (
  id bigint primary key,
  account_id bigint not null references ads_account,
  name text not null,
  type text not null,
  click_window int not null,
  view_through_window int not null,
  retargeting_enabled boolean not null,
  last_tracked_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false,
  check (view_through_window <= click_window)
);
create index ads_web_event_tag_page on ads_web_event_tag (account_id, id);

create table ads_app_event_tag (
  id bigint primary key,
  account_id bigint not null references ads_account,
  app_store_identifier text not null,
  os_type text not null check (os_type in ('PLATFORM_A', 'PLATFORM_B')),
  conversion_type text not null,
  provider_app_event_id text not null,
  provider_app_event_name text not null,
  deep_link_scheme text,
  post_engagement_attribution_window int not null,
  post_view_attribution_window int not null,
  retargeting_enabled boolean not null,
  last_tracked_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false,
  check (post_view_attribution_window <= post_engagement_attribution_window)
);
create index ads_app_event_tag_page on ads_app_event_tag (account_id, id);
create index ads_app_event_tag_updated on ads_app_event_tag (account_id, updated_at, id);
create index ads_app_event_tag_of_app on ads_app_event_tag (app_store_identifier, os_type, conversion_type) where not deleted;

create table ads_app_event_provider_configuration (
  id bigint primary key,
  account_id bigint not null references ads_account,
  provider_name text not null,
  provider_advertiser_id text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false
);
create index ads_app_event_provider_configuration_page on ads_app_event_provider_configuration (account_id, id);
create unique index ads_app_event_provider_configuration_one on ads_app_event_provider_configuration (account_id) where not deleted;

-- What measurement partners reported about apps. A repeated report is the same event.
create table ads_app_event (
  id bigint primary key,
  partner_app_id bigint not null,
  sandbox boolean not null,
  app_id text not null,
  os_type text not null,
  conversion_type text not null,
  device_hash text not null,
  converted_at timestamptz not null,
  -- Null where the device is not known, or must not be followed.
  viewer int,
  details jsonb not null
);
create unique index ads_app_event_once
  on ads_app_event (device_hash, app_id, conversion_type, converted_at, os_type, partner_app_id, sandbox);

-- Visitors of a website whom a click or a hashed address identified, by the cookie that the pixel sets there.
create table ads_pixel_visitor (
  website_tag_id bigint not null references ads_website_tag,
  visitor text not null,
  viewer int not null,
  seen_at timestamptz not null,
  primary key (website_tag_id, visitor)
);

-- Two reports are the same conversion only within some time of each other.
alter table ads_conversion add column received_at timestamptz;

-- No line item could have a tag before. It is a record of the account now.
alter table ads_line_item drop column primary_web_event_tag;
alter table ads_line_item add column primary_web_event_tag bigint references ads_web_event_tag;
create index ads_line_item_of_web_event_tag on ads_line_item (primary_web_event_tag) where primary_web_event_tag is not null;
