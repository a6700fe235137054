-- The partners that an advertiser let manage an account. A partner that is not among them has to be allowed first.
create table ads_partner_link (
  account_id bigint not null references ads_account,
  app_id bigint not null references client_app on delete cascade,
  linked_at timestamptz not null,
  primary key (account_id, app_id)
);
create index ads_partner_link_of_app on ads_partner_link (app_id);
