-- What personas will do on websites and in apps after they clicked an ad. A row is removed with the transaction that records it.
create table ads_expected_conversion (
  viewer int not null,
  impression_id bigint not null,
  tag_id bigint not null,
  account_id bigint not null,
  due_at timestamptz not null,
  -- Micros of the account's currency.
  amount bigint not null,
  currency text not null,
  primary key (viewer, impression_id, tag_id)
);
create index ads_expected_conversion_due on ads_expected_conversion (due_at);
