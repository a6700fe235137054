-- A grant of a sign-in with scopes of advertising: the next sign-in of the same app and user ends it.
alter table oauth2_grant add column is_ads_sign_in boolean not null default false;

-- Secrets that a partner and this server share. Several are valid at once, so they can be rotated.
create table ads_partner_key (
  id bigint primary key,
  app_id bigint not null references client_app on delete cascade,
  secret_sealed bytea not null,
  created_at timestamptz not null
);
create index ads_partner_key_of_app on ads_partner_key (app_id, id);

-- What a partner says about an account that it makes for an advertiser.
alter table ads_account add column country text check (country ~ '^[A-Z]{2}$');
alter table ads_account add column currency text check (currency ~ '^[A-Z]{3}$');
