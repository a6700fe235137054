-- Lists by their last change.
create index ads_web_event_tag_updated on ads_web_event_tag (account_id, updated_at, id);
create index ads_app_event_provider_configuration_updated on ads_app_event_provider_configuration (account_id, updated_at, id);
