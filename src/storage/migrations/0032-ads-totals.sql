-- How many records of a kind an account has, so a total does not count them. Triggers keep it, whoever writes.
create table ads_record_count (
  account_id bigint not null,
  kind text not null,
  deleted boolean not null,
  draft boolean not null,
  total bigint not null,
  primary key (account_id, kind, deleted, draft)
);

do $$
declare
  counted record;
  rows_of text;
begin
  for counted in
    select name, coalesce(kind, quote_literal(name)) as kind, coalesce(draft, 'false') as draft from (values
      ('ads_funding_instrument', null, null),
      ('ads_campaign', null, 'entity_status = ''DRAFT'''),
      ('ads_line_item', null, 'entity_status = ''DRAFT'''),
      ('ads_line_item_curated_category', null, null),
      ('ads_targeting_criterion', null, null),
      ('ads_app_list', null, null),
      ('ads_account_app', null, null),
      ('ads_scheduled_promoted_post', null, null),
      ('ads_promoted_account', null, null),
      ('ads_account_media', null, null),
      ('ads_media_creative', null, null),
      ('ads_tracking_tag', null, null),
      ('ads_preroll_call_to_action', null, null),
      ('ads_card', 'card_type', null)
    ) as t (name, kind, draft)
  loop
    rows_of := format('select account_id, %s as kind, deleted, coalesce(%s, false) as draft', counted.kind, counted.draft);
    execute format('insert into ads_record_count select account_id, kind, deleted, draft, count(*) from (%s from %I) r group by 1, 2, 3, 4', rows_of, counted.name);
    -- One function per table and event: their statements are then planned once per connection.
    execute format($f$
      create function %1$I_count_insert() returns trigger language plpgsql as $b$ begin
        insert into ads_record_count as c select account_id, kind, deleted, draft, count(*) from (%2$s from added) r group by 1, 2, 3, 4 order by 1, 2, 3, 4
          on conflict (account_id, kind, deleted, draft) do update set total = c.total + excluded.total;
        return null;
      end $b$;
      create function %1$I_count_delete() returns trigger language plpgsql as $b$ begin
        insert into ads_record_count as c select account_id, kind, deleted, draft, -count(*) from (%2$s from removed) r group by 1, 2, 3, 4 order by 1, 2, 3, 4
          on conflict (account_id, kind, deleted, draft) do update set total = c.total + excluded.total;
        return null;
      end $b$;
      create function %1$I_count_update() returns trigger language plpgsql as $b$ begin
        insert into ads_record_count as c select account_id, kind, deleted, draft, sum(step) from (
            select *, 1 as step from (%2$s from added) a union all select *, -1 from (%2$s from removed) o
          ) r group by 1, 2, 3, 4 having sum(step) <> 0 order by 1, 2, 3, 4
          on conflict (account_id, kind, deleted, draft) do update set total = c.total + excluded.total;
        return null;
      end $b$;
      create trigger count_insert after insert on %1$I referencing new table as added for each statement execute function %1$I_count_insert();
      create trigger count_delete after delete on %1$I referencing old table as removed for each statement execute function %1$I_count_delete();
      create trigger count_update after update on %1$I referencing old table as removed new table as added
        for each statement execute function %1$I_count_update();
    $f$, counted.name, rows_of);
  end loop;
end $$;

-- Lists by the time of the last change.
create index ads_funding_instrument_updated on ads_funding_instrument (account_id, updated_at, id);
create index ads_campaign_updated on ads_campaign (account_id, updated_at, id);
create index ads_line_item_updated on ads_line_item (account_id, updated_at, id);
create index ads_line_item_curated_category_updated on ads_line_item_curated_category (account_id, updated_at, id);
create index ads_targeting_criterion_updated on ads_targeting_criterion (account_id, updated_at, id);
create index ads_app_list_updated on ads_app_list (account_id, updated_at, id);
create index ads_account_app_updated on ads_account_app (account_id, updated_at, id);
create index ads_scheduled_promoted_post_updated on ads_scheduled_promoted_post (account_id, updated_at, id);
create index ads_promoted_post_updated on ads_promoted_post (account_id, updated_at, id);
create index ads_promoted_account_updated on ads_promoted_account (account_id, updated_at, id);
create index ads_account_media_updated on ads_account_media (account_id, updated_at, id);
create index ads_media_creative_updated on ads_media_creative (account_id, updated_at, id);
create index ads_tracking_tag_updated on ads_tracking_tag (account_id, updated_at, id);
create index ads_preroll_call_to_action_updated on ads_preroll_call_to_action (account_id, updated_at, id);
create index ads_card_updated on ads_card (account_id, updated_at, id);
create index ads_custom_audience_updated on ads_custom_audience (account_id, updated_at, id);
create index ads_audience_permission_updated on ads_audience_permission (audience_id, updated_at, id);
