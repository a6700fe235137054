-- The address of account media is that of the media: a copy stayed behind when the server's address changed.
alter table ads_account_media drop column media_url;
