-- A row for each statement that changed what the ad server may show, visible when the change is: the ad server reads its inventory
-- again when there are other rows than before.
create table ads_inventory_change (
  id bigint generated always as identity primary key
);

create function note_ads_inventory_change() returns trigger language plpgsql as $$
begin
  insert into ads_inventory_change default values;
  return null;
end $$;

create trigger ads_inventory_change after insert or update or delete on ads_account
  for each statement execute function note_ads_inventory_change();
create trigger ads_inventory_change after insert or update or delete on ads_funding_instrument
  for each statement execute function note_ads_inventory_change();
create trigger ads_inventory_change after insert or update or delete on ads_campaign
  for each statement execute function note_ads_inventory_change();
create trigger ads_inventory_change after insert or update or delete on ads_line_item
  for each statement execute function note_ads_inventory_change();
create trigger ads_inventory_change after insert or update or delete on ads_targeting_criterion
  for each statement execute function note_ads_inventory_change();
create trigger ads_inventory_change after insert or update or delete on ads_promoted_post
  for each statement execute function note_ads_inventory_change();
create trigger ads_inventory_change after insert or update or delete on ads_promoted_account
  for each statement execute function note_ads_inventory_change();
