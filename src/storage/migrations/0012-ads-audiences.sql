create table ads_custom_audience (
  id bigint primary key,
  account_id bigint not null references ads_account,
  name text not null,
  description text,
  audience_type text not null check (audience_type in ('CRM', 'FLEXIBLE', 'MOBILE_AUDIENCE')),
  -- A flexible audience: how it is made of others, and the ids of these in the order of the leaves.
  segments jsonb,
  leaf_ids bigint[],
  audience_size int,
  targetable boolean not null default false,
  reasons_not_targetable text[] not null default '{PROCESSING,TOO_SMALL}',
  -- When it is to be matched and counted next, until when changes wait for that, and how often what it is made of has changed.
  due_at timestamptz,
  rest_until timestamptz,
  revision int not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false
);
create index ads_custom_audience_page on ads_custom_audience (account_id, id);
create unique index ads_custom_audience_named on ads_custom_audience (account_id, name) where not deleted;
create index ads_custom_audience_due on ads_custom_audience (due_at) where due_at is not null;
create index ads_custom_audience_leaves on ads_custom_audience using gin (leaf_ids) where leaf_ids is not null;

-- Other accounts that may use an audience. account_id is the owner.
create table ads_audience_permission (
  id bigint primary key,
  account_id bigint not null references ads_account,
  audience_id bigint not null references ads_custom_audience,
  granted_account_id bigint not null references ads_account,
  permission_level text not null check (permission_level in ('READ_ONLY', 'READ_WRITE')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false
);
create index ads_audience_permission_page on ads_audience_permission (audience_id, id);
create unique index ads_audience_permission_once on ads_audience_permission (audience_id, granted_account_id) where not deleted;
create index ads_audience_permission_of_granted on ads_audience_permission (granted_account_id, audience_id) where not deleted;

-- The same rows under the names of the two versions of the interface; both are read and written.
create view ads_custom_audience_permission as
  select id, account_id, audience_id as custom_audience_id, granted_account_id, permission_level, created_at, updated_at, deleted
    from ads_audience_permission;
create view ads_tailored_audience_permission as
  select id, account_id, audience_id as tailored_audience_id, granted_account_id, permission_level, created_at, updated_at, deleted
    from ads_audience_permission;

-- The audiences that each account sees: its own, and those shared with it.
create view ads_audience_reach as
  select a.id, a.account_id, a.name, a.description, a.audience_type, a.segments, a.audience_size, a.targetable,
         a.reasons_not_targetable, a.created_at, a.updated_at, a.deleted, a.account_id as owner_account_id, 'READ_WRITE' as permission_level
    from ads_custom_audience a
  union all
  select a.id, p.granted_account_id, a.name, a.description, a.audience_type, a.segments, a.audience_size, a.targetable,
         a.reasons_not_targetable, a.created_at, a.updated_at, a.deleted, a.account_id, p.permission_level
    from ads_audience_permission p join ads_custom_audience a on a.id = p.audience_id
   where not p.deleted;

-- People whom an account's campaigns leave out.
create table ads_do_not_reach_list (
  id bigint primary key,
  account_id bigint not null references ads_account,
  name text not null,
  description text,
  list_size int,
  targetable boolean not null default false,
  reasons_not_targetable text[] not null default '{PROCESSING,TOO_SMALL}',
  due_at timestamptz,
  rest_until timestamptz,
  revision int not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false
);
create index ads_do_not_reach_list_page on ads_do_not_reach_list (account_id, id);
create unique index ads_do_not_reach_list_once on ads_do_not_reach_list (account_id) where not deleted;
create index ads_do_not_reach_list_due on ads_do_not_reach_list (due_at) where due_at is not null;

-- Hashed identifiers of people in a custom audience or a Do Not Reach list. The keys that were given for one person share a
-- member, made from these keys; a person with one key alone has 0.
create table ads_audience_key (
  audience_id bigint not null,
  kind smallint not null,
  hash bytea not null check (octet_length(hash) = 32),
  member bigint not null,
  effective_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (audience_id, kind, hash, member)
);
create index ads_audience_key_of_member on ads_audience_key (audience_id, member) where member <> 0;

-- Who was found behind the keys, or in the segments of a flexible audience, when it was counted last.
create table ads_audience_match (
  audience_id bigint not null,
  user_id bigint not null,
  since timestamptz not null,
  primary key (audience_id, user_id)
);

-- What people are found by; PostgreSQL keeps it in step with every change of a user. A cast to bytea takes the UTF-8 bytes of
-- text, and reads a backslash as an escape: the casts can stand in an index, convert_to can not.
create index user_account_ads_handle on user_account (sha256(lower(username)::bytea));
create index user_account_ads_id on user_account (sha256(id::text::bytea));
create index user_sign_in_ads_email on user_sign_in (sha256(replace(lower(btrim(email)), '\', '\\')::bytea))
  where email_confirmed and email is not null;
