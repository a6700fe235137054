-- The page of a community lists its posts, newest first.
create index post_of_community on post (community_id, id desc) where community_id is not null;
