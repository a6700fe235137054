-- The installs that ads led to, by who installed: what they do in the app later is the value that the ad brought.
create index ads_conversion_installs on ads_conversion (viewer, id)
  where metric = 'mobile_conversion_installs' and campaign_id is not null;
