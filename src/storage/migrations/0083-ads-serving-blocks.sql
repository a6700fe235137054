-- Why advertising records do not serve, and from when until when: every condition stands here and nowhere else. A reason holds at a
-- moment that is in one of its periods, so readers need not tell the database the time.

-- When the budgets of a line item or campaign are used up: for ever, or until the end of a day in the account's time zone.
create function ads_exhaustion(entity bigint, zone text, daily bigint, total bigint)
returns table (since timestamptz, until timestamptz) language sql stable as $$
  select '-infinity'::timestamptz, 'infinity'::timestamptz
   where daily = 0 or total <= coalesce((select s.spent from ads_spend s where s.entity_id = entity and s.day = 'infinity'), 0)
  union all
  select d.day::timestamp at time zone zone, (d.day + 1)::timestamp at time zone zone
    from (select s.day, s.spent from ads_spend s where s.entity_id = entity and s.day < 'infinity' order by s.day desc limit 1) d
   where d.spent >= daily
$$;

-- Why a funding instrument cannot fund.
create view ads_funding_block as
  select f.id as funding_instrument_id, v.reason, v.since, v.until
    from ads_funding_instrument f
   cross join lateral (values
     ('BUDGET_EXHAUSTED',
      case when coalesce(f.credit_limit_local_micro, f.funded_amount_local_micro)
                <= coalesce((select s.spent from ads_spend s where s.entity_id = f.id and s.day = 'infinity'), 0)
           then '-infinity'::timestamptz end,
      'infinity'::timestamptz),
     ('DELETED', case when f.deleted then '-infinity'::timestamptz end, 'infinity'),
     ('EXPIRED', f.end_time, 'infinity'),
     ('PAUSED', case when f.entity_status = 'PAUSED' then '-infinity'::timestamptz end, 'infinity'),
     ('STARTS_IN_FUTURE', '-infinity', f.start_time)
   ) v (reason, since, until)
   where v.since < v.until;

-- Why a line item does not serve.
create view ads_line_item_block as
  select l.id as line_item_id, v.reason, v.since, v.until
    from ads_line_item l
    join ads_campaign c on c.id = l.campaign_id
    join ads_account a on a.id = l.account_id
   cross join lateral (
     values
       ('ACCOUNT_REJECTED', case when a.approval_status = 'REJECTED' then '-infinity'::timestamptz end, 'infinity'::timestamptz),
       ('ACCOUNT_UNDER_REVIEW', case when a.approval_status = 'UNDER_REVIEW' then '-infinity'::timestamptz end, 'infinity'),
       ('CAMPAIGN_NOT_ACTIVE', case when c.entity_status <> 'ACTIVE' or c.deleted then '-infinity'::timestamptz end, 'infinity'),
       ('DELETED', case when l.deleted or a.deleted then '-infinity'::timestamptz end, 'infinity'),
       ('EXPIRED', l.end_time, 'infinity'),
       ('INCOMPLETE', case when l.entity_status = 'DRAFT' then '-infinity'::timestamptz end, 'infinity'),
       ('NO_ACTIVE_CREATIVE',
        case when not exists (select from ads_promoted_post s where s.line_item_id = l.id and s.entity_status = 'ACTIVE'
                                 and s.approval_status = 'ACCEPTED' and not s.deleted)
              and not exists (select from ads_promoted_account s where s.line_item_id = l.id and s.entity_status = 'ACTIVE'
                                 and s.approval_status = 'ACCEPTED' and not s.deleted)
              and not exists (select from ads_media_creative s where s.line_item_id = l.id and s.entity_status = 'ACTIVE'
                                 and s.approval_status = 'ACCEPTED' and not s.deleted)
             then '-infinity'::timestamptz end,
        'infinity'),
       ('PAUSED_BY_ADVERTISER', case when l.entity_status = 'PAUSED' then '-infinity'::timestamptz end, 'infinity'),
       ('STARTS_IN_FUTURE', '-infinity', l.start_time)
     union all
     select 'FUNDING_PROBLEM', b.since, b.until from ads_funding_block b where b.funding_instrument_id = c.funding_instrument_id
     union all
     select 'BUDGET_EXHAUSTED', e.since, e.until
       from ads_exhaustion(l.id, a.timezone, l.daily_budget_amount_local_micro, l.total_budget_amount_local_micro) e
     union all
     select 'BUDGET_EXHAUSTED', e.since, e.until
       from ads_exhaustion(c.id, a.timezone, c.daily_budget_amount_local_micro, c.total_budget_amount_local_micro) e
   ) v (reason, since, until)
   where v.since < v.until;

-- Why a campaign does not serve. Line items that are drafts do not count yet, and only active ones can serve.
create view ads_campaign_block as
  select c.id as campaign_id, v.reason, v.since, v.until
    from ads_campaign c
    join ads_account a on a.id = c.account_id
    left join lateral (
      select count(*) filter (where l.entity_status <> 'DRAFT') as line_items,
             count(*) filter (where l.entity_status = 'ACTIVE') as active_items,
             case when bool_and(l.end_time is not null) filter (where l.entity_status = 'ACTIVE')
                  then max(l.end_time) filter (where l.entity_status = 'ACTIVE') end as ended_at,
             case when bool_and(l.start_time is not null) filter (where l.entity_status = 'ACTIVE')
                  then min(l.start_time) filter (where l.entity_status = 'ACTIVE') end as starts_at
        from ads_line_item l where l.campaign_id = c.id and not l.deleted
    ) i on true
   cross join lateral (
     values
       ('ACCOUNT_REJECTED', case when a.approval_status = 'REJECTED' then '-infinity'::timestamptz end, 'infinity'::timestamptz),
       ('ACCOUNT_UNDER_REVIEW', case when a.approval_status = 'UNDER_REVIEW' then '-infinity'::timestamptz end, 'infinity'),
       ('EXPIRED', i.ended_at, 'infinity'),
       ('INCOMPLETE', case when i.line_items = 0 or c.entity_status = 'DRAFT' then '-infinity'::timestamptz end, 'infinity'),
       ('PAUSED_BY_ADVERTISER',
        case when c.entity_status = 'PAUSED' or (i.line_items > 0 and i.active_items = 0) then '-infinity'::timestamptz end, 'infinity'),
       ('STARTS_IN_FUTURE', '-infinity', i.starts_at)
     union all
     select 'FUNDING_PROBLEM', b.since, b.until from ads_funding_block b where b.funding_instrument_id = c.funding_instrument_id
     union all
     select 'BUDGET_EXHAUSTED', e.since, e.until
       from ads_exhaustion(c.id, a.timezone, c.daily_budget_amount_local_micro, c.total_budget_amount_local_micro) e
     union all
     -- All active line items have used up their budgets; some may have ended instead.
     select 'BUDGET_EXHAUSTED', max(coalesce(e.since, l.end_time)),
            min(case when e.since is null or l.end_time <= e.until then 'infinity' else e.until end)
       from ads_line_item l
       left join lateral (
         select x.since, x.until
           from ads_exhaustion(l.id, a.timezone, l.daily_budget_amount_local_micro, l.total_budget_amount_local_micro) x
          order by x.until desc limit 1
       ) e on true
      where l.campaign_id = c.id and not l.deleted and l.entity_status = 'ACTIVE'
     having bool_and(coalesce(e.since, l.end_time) is not null) and bool_or(e.since is not null)
   ) v (reason, since, until)
   where v.since < v.until;
