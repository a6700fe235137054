-- The entities of the dictionary that a post is about, found when it is written. Null for none, and for posts from before.
alter table post add column context_entity_ids bigint[];
