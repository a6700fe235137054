-- Reach is counted from an index: it has everything that decides who was reached, so events themselves are not read.
create index ads_event_reach on ads_event (campaign_id, id) include (viewer, outcomes);
drop index ads_event_of_campaign;

-- Whether a record was shown in the network of publishers is asked for each active record, and hardly ever the case.
create index ads_hour_in_network on ads_hour (entity_id, hour) where placement = 4;
