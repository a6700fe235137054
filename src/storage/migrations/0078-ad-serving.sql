-- What the ad server remembers: whom it showed what, what followed, what was spent, and how fast.

-- Somebody who looks at timelines, numbered densely: sets of people are sets of small numbers. The values are those of targeting.
create table ads_viewer (
  number int generated always as identity primary key,
  -- The counts stay when the user goes.
  user_id bigint unique references user_account (id) on delete set null,
  language text,
  -- From the country to the city, those that are known.
  locations text[] not null default '{}',
  metro text,
  age smallint,
  gender smallint check (gender in (1, 2)),
  platform text,
  platform_version text,
  device text,
  network_operator text,
  network_months smallint,
  wifi_only boolean not null default false,
  interests text[] not null default '{}',
  app_categories text[] not null default '{}',
  -- SHA-256 of the identifier of the device, in lower-case hex, as conversion calls send it.
  device_hash text
);
create index ads_viewer_of_device on ads_viewer (device_hash) where device_hash is not null;

-- What happened at one moment between a viewer and a promoted record: an impression with all that followed at once, or something
-- that followed later. The id has the time. `outcomes` is a set of bits, see ads/serving/outcomes.ts.
create table ads_event (
  viewer int not null,
  id bigint not null,
  campaign_id bigint not null,
  line_item_id bigint not null,
  promoted_id bigint not null,
  -- The impression that this followed; null for the impression itself.
  impression_id bigint,
  outcomes int not null,
  placement smallint not null,
  -- What the paid event costs, while it has not happened.
  price bigint,
  charge bigint check (charge >= 0),
  primary key (viewer, id)
);
create index ads_event_of_campaign on ads_event (campaign_id, id);

-- A look that was answered. A repeated one gets the same.
create table ads_look (
  id bigint primary key,
  viewer int not null,
  shown jsonb not null
);

-- Counts of an hour (UTC) for a promoted record, its line item, its campaign, its funding instrument and its account: a row each.
-- Written in the transaction of the events.
create table ads_hour (
  entity_id bigint not null,
  hour timestamptz not null,
  placement smallint not null,
  impressions int not null default 0,
  engagements int not null default 0,
  reposts int not null default 0,
  replies int not null default 0,
  likes int not null default 0,
  follows int not null default 0,
  card_engagements int not null default 0,
  clicks int not null default 0,
  app_clicks int not null default 0,
  url_clicks int not null default 0,
  qualified_impressions int not null default 0,
  carousel_swipes int not null default 0,
  billed_engagements int not null default 0,
  billed_charge bigint not null default 0,
  video_total_views int not null default 0,
  video_views_25 int not null default 0,
  video_views_50 int not null default 0,
  video_views_75 int not null default 0,
  video_views_100 int not null default 0,
  video_cta_clicks int not null default 0,
  video_content_starts int not null default 0,
  video_3s100pct_views int not null default 0,
  video_6s_views int not null default 0,
  video_15s_views int not null default 0,
  -- Between these, counts of this hour changed within it; null when they only changed later.
  first_at timestamptz,
  last_at timestamptz,
  primary key (entity_id, hour, placement)
) with (fillfactor = 70);

-- Counts that changed in another hour than that of what is counted: conversions that are told later.
create table ads_late_change (
  entity_id bigint not null,
  bucket timestamptz not null,
  placement smallint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (entity_id, bucket, placement)
);

-- What line items, campaigns and funding instruments have spent on a day of the account's time zone, and ('infinity') in all.
create table ads_spend (
  entity_id bigint not null,
  day date not null,
  spent bigint not null default 0 check (spent >= 0),
  primary key (entity_id, day)
);

-- How often viewers saw line items that have a frequency cap. `day` counts from 1970 in UTC.
create table ads_sighting (
  viewer int not null,
  line_item_id bigint not null,
  day int not null,
  count int not null,
  primary key (viewer, line_item_id, day)
);

-- The state of pacing, kept for the next process.
create table ads_pace (
  line_item_id bigint primary key,
  day date not null,
  lambda double precision not null,
  theta double precision not null,
  open double precision not null,
  results int not null default 0,
  kappa double precision not null default 1
);

-- Looks by hour of the week (UTC), from which the plan of a day is made.
create table ads_traffic (
  hour_of_week smallint primary key check (hour_of_week between 0 and 167),
  looks double precision not null
);

-- A conversion on a website or in an app, and the impression that it is credited to. The id has the time of the conversion.
create table ads_conversion (
  id bigint primary key,
  account_id bigint not null,
  -- The web or app event tag.
  tag_id bigint not null,
  -- The member of statistics that counts it, such as conversion_purchases or mobile_conversion_installs.
  metric text not null,
  -- Tells the same conversion from two sources apart from two conversions.
  duplicate_key text,
  viewer int,
  -- Null where no ad led to it.
  impression_id bigint,
  -- After a click or other engagement, or only after a view.
  credited_to text check (credited_to in ('engagement', 'view')),
  -- Both happened before it.
  assisted boolean not null default false,
  campaign_id bigint,
  line_item_id bigint,
  promoted_id bigint,
  placement smallint,
  quantity int not null default 1,
  -- Micros of the account's currency.
  amount bigint not null default 0,
  details jsonb
);
create unique index ads_conversion_once on ads_conversion (tag_id, duplicate_key) where duplicate_key is not null;
create index ads_conversion_of_campaign on ads_conversion (campaign_id, id) where campaign_id is not null;

-- Counts of credited conversions by hour, for the same five records as ads_hour.
create table ads_conversion_hour (
  entity_id bigint not null,
  metric text not null,
  hour timestamptz not null,
  placement smallint not null,
  post_view int not null default 0,
  post_engagement int not null default 0,
  assisted int not null default 0,
  order_quantity_view int not null default 0,
  order_quantity_engagement int not null default 0,
  sale_amount_view bigint not null default 0,
  sale_amount_engagement bigint not null default 0,
  primary key (entity_id, metric, hour, placement)
);
