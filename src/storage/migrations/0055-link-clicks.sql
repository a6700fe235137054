-- The only post that has a short link, by its first version: clicks count for it. Null where several have it, or none.
alter table short_link add column post_id bigint;
