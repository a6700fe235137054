-- References that requests follow, or that a deletion follows.
create index project_of_developer on project (developer_account_id);
create index stream_webhook_link_of_app on stream_webhook_link (app_id);
create index webhook_replay_of_webhook on webhook_replay (webhook_id);
