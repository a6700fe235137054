-- The post that a delivery shows: it counts as usage when the receiver accepted it. Null where it shows none, and for older deliveries.
alter table webhook_delivery add column post_id bigint;
