-- The table of nonces is not logged: PostgreSQL empties it after a crash. This row says that it was not; its time is the
-- one up to which nothing is known.
insert into oauth1_nonce (api_key, nonce, signed_at) values ('', '', 0);

-- App-only tokens that were invalidated or replaced, so that who still sends one is told so. Some for each app.
create table ended_bearer_token (
  token_hash bytea primary key,
  app_id bigint not null references client_app on delete cascade,
  ended_at timestamptz not null
);
create index ended_bearer_token_of_app on ended_bearer_token (app_id, ended_at desc);

-- New keys of an app end its grants.
create index oauth2_grant_of_app on oauth2_grant (app_id) where not revoked;
