-- What merchants said to the shopping terms; who is not here has accepted them.
create table ads_shopping_terms (
  user_id bigint primary key references user_account on delete cascade,
  accepted boolean not null
);

-- One catalog for each user in each environment.
create table ads_product_catalog (
  id bigint primary key,
  user_id bigint not null references user_account on delete cascade,
  sandbox boolean not null,
  name text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (user_id, sandbox)
);

-- Variants of one product. The key stays the same for an item_group_id, even when its last variant is gone.
create table ads_product_group (
  key bigint primary key,
  catalog_id bigint not null references ads_product_catalog on delete cascade,
  item_group_id text not null,
  unique (catalog_id, item_group_id)
);

create table ads_product (
  product_key bigint primary key,
  catalog_id bigint not null references ads_product_catalog on delete cascade,
  id text not null,
  title text not null,
  description text not null,
  availability text not null,
  condition text not null,
  price text not null,
  link text not null,
  image_link text not null,
  brand text,
  gtin text,
  mpn text,
  mobile_link text,
  additional_image_link text,
  taxonomy_product_category text,
  product_type text,
  inventory int,
  sale_price text,
  sale_price_effective_date text,
  item_group_id text,
  item_group_key bigint references ads_product_group on delete cascade,
  gender text,
  color text,
  size text,
  age_group text,
  custom_label_0 text,
  custom_label_1 text,
  custom_label_2 text,
  custom_label_3 text,
  custom_label_4 text,
  -- Prices are kept as they were written; these are what filters compare.
  price_amount numeric generated always as (split_part(price, ' ', 1)::numeric) stored,
  price_currency text generated always as (split_part(price, ' ', 2)) stored,
  sale_price_amount numeric generated always as (split_part(sale_price, ' ', 1)::numeric) stored,
  sale_price_currency text generated always as (split_part(sale_price, ' ', 2)) stored,
  -- Stands for its group in lists: the variant that was submitted first. Products without a group stand for themselves.
  leads boolean not null,
  -- Whether the pictures were looked at, and what was wrong with them.
  images_checked boolean not null,
  image_faults jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (catalog_id, id)
);
create index ads_product_page on ads_product (catalog_id, product_key) where leads;
create index ads_product_walk on ads_product (catalog_id, product_key);
create index ads_product_of_group on ads_product (item_group_key, product_key) where item_group_key is not null;
create index ads_product_unchecked on ads_product (product_key) where not images_checked;

create table ads_product_set (
  id bigint primary key,
  catalog_id bigint not null references ads_product_catalog on delete cascade,
  name text not null,
  description text,
  type text not null check (type in ('MANUAL', 'FILTERED')),
  filters jsonb not null,
  processing_status text not null check (processing_status in ('PROCESSING', 'DONE', 'FAILED')),
  -- How far the first evaluation of the filters has come.
  evaluated_to bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index ads_product_set_of_catalog on ads_product_set (catalog_id);
create index ads_product_set_processing on ads_product_set (id) where processing_status = 'PROCESSING';

create table ads_product_set_member (
  set_id bigint not null references ads_product_set on delete cascade,
  product_key bigint not null references ads_product on delete cascade,
  -- Place in a list that was given by hand.
  position int not null default 0,
  primary key (set_id, product_key)
);
create index ads_product_set_member_of on ads_product_set_member (product_key);

-- Whether a product fits every filter of a set.
create function ads_product_fits(p ads_product, filters jsonb) returns boolean language sql immutable as $$
  select coalesce(bool_and(coalesce(
    case
      when f.attribute in ('price', 'sale_price') then
        case when f.attribute = 'price' then p.price_currency else p.sale_price_currency end = split_part(f.value, ' ', 2)
        and case f.operator
              when 'GREATER_THAN' then case when f.attribute = 'price' then p.price_amount else p.sale_price_amount end > split_part(f.value, ' ', 1)::numeric
              when 'LESS_THAN' then case when f.attribute = 'price' then p.price_amount else p.sale_price_amount end < split_part(f.value, ' ', 1)::numeric
              else case when f.attribute = 'price' then p.price_amount else p.sale_price_amount end = split_part(f.value, ' ', 1)::numeric
            end
      when f.attribute = 'inventory' then
        case f.operator
          when 'GREATER_THAN' then p.inventory > f.value::int
          when 'LESS_THAN' then p.inventory < f.value::int
          else p.inventory = f.value::int
        end
      else
        case f.operator
          when 'MATCH' then f.own = lower(f.value)
          when 'CONTAINS' then strpos(f.own, lower(f.value)) > 0
          else strpos(coalesce(f.own, ''), lower(f.value)) = 0
        end
    end, false)), true)
  from (
    select item->>'attribute' as attribute, item->>'operator' as operator, item->>'value' as value,
           lower(case item->>'attribute'
             when 'product_type' then p.product_type
             when 'taxonomy_product_category' then p.taxonomy_product_category
             when 'custom_label_0' then p.custom_label_0
             when 'custom_label_1' then p.custom_label_1
             when 'custom_label_2' then p.custom_label_2
             when 'custom_label_3' then p.custom_label_3
             when 'custom_label_4' then p.custom_label_4
           end) as own
      from jsonb_array_elements(filters) as item
  ) f
$$;

create table ads_scheduled_feed (
  id bigint primary key,
  catalog_id bigint not null unique references ads_product_catalog on delete cascade,
  feed_url text not null,
  feed_format text not null,
  frequency text not null,
  repeat text,
  start_time text not null,
  time_zone text not null,
  next_fetch_at timestamptz not null,
  -- Who fetches it now: a run whose time is over has died, and another may begin.
  run_id bigint,
  claimed_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index ads_scheduled_feed_due on ads_scheduled_feed (next_fetch_at);

-- What became of each fetch; the newest of every feed are kept.
create table ads_feed_run (
  id bigint primary key,
  feed_id bigint not null references ads_scheduled_feed on delete cascade,
  started_at timestamptz not null,
  finished_at timestamptz,
  outcome text check (outcome in ('IMPORTED', 'FAILED')),
  problem text,
  created int not null default 0,
  updated int not null default 0,
  unchanged int not null default 0,
  failed int not null default 0,
  -- The first faulty products, by their place in the file.
  faults jsonb not null default '[]'
);
create index ads_feed_run_of_feed on ads_feed_run (feed_id, id);
