-- Funding instruments of several accounts can use one credit line. Those that do have the same number here, and under this number
-- ads_spend has what all of them spent together. Null for an instrument that shares with nobody.
alter table ads_funding_instrument add column credit_line_id bigint;
create index ads_funding_instrument_of_line on ads_funding_instrument (credit_line_id) where credit_line_id is not null;

-- Why a funding instrument cannot fund: a limit is also used up by what others spent of the same credit line.
create or replace view ads_funding_block as
  select f.id as funding_instrument_id, v.reason, v.since, v.until
    from ads_funding_instrument f
   cross join lateral (values
     ('BUDGET_EXHAUSTED',
      case when coalesce(f.credit_limit_local_micro, f.funded_amount_local_micro)
                <= coalesce((select s.spent from ads_spend s
                              where s.entity_id = coalesce(f.credit_line_id, f.id) and s.day = 'infinity'), 0)
           then '-infinity'::timestamptz end,
      'infinity'::timestamptz),
     ('DELETED', case when f.deleted then '-infinity'::timestamptz end, 'infinity'),
     ('EXPIRED', f.end_time, 'infinity'),
     ('PAUSED', case when f.entity_status = 'PAUSED' then '-infinity'::timestamptz end, 'infinity'),
     ('STARTS_IN_FUTURE', '-infinity', f.start_time)
   ) v (reason, since, until)
   where v.since < v.until;
