-- More of what decides about ads is known to the ad server at once: who must not be reached, who is in an audience, A/B tests,
-- and whether an author is suspended or protected. Counting a list changes its row.
create trigger ads_inventory_change after insert or update or delete on ads_do_not_reach_list
  for each statement execute function note_ads_inventory_change();
create trigger ads_inventory_change after insert or update or delete on ads_custom_audience
  for each statement execute function note_ads_inventory_change();
create trigger ads_inventory_change after insert or update or delete on ads_ab_test
  for each statement execute function note_ads_inventory_change();
create trigger ads_inventory_change after update of suspended, protected on user_account
  for each row when (old.suspended is distinct from new.suspended or old.protected is distinct from new.protected)
  execute function note_ads_inventory_change();

-- A frequency cap also counts what people saw before it was set. The lock makes turns of the ad server that are under way come first:
-- they lock what the line item has spent before they read its cap.
create function count_ads_sightings() returns trigger language plpgsql as $$
begin
  perform from ads_spend s where s.entity_id = new.id order by s.day for update;
  insert into ads_sighting (viewer, line_item_id, day, count)
  select e.viewer, e.line_item_id, ((e.id >> 22) + 1288834974657) / 86400000, count(*)
    from ads_event e
   where e.campaign_id = new.campaign_id and e.line_item_id = new.id and e.impression_id is null
     and e.id >= ((extract(epoch from new.updated_at - interval '31 days') * 1000)::bigint - 1288834974657) << 22
   group by 1, 2, 3
  on conflict (viewer, line_item_id, day) do update set count = excluded.count;
  return null;
end $$;
create trigger ads_sightings_before_cap after update of frequency_cap on ads_line_item
  for each row when (old.frequency_cap is null and new.frequency_cap is not null) execute function count_ads_sightings();
