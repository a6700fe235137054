-- Posts of an author are found through the index of timelines: another index on authors made every new post slower.
drop index post_terms_of_author;

-- New terms wait in a list, as is usual for these indexes, but writers do not sort it into the index: a background process does
-- several times a second. Every step of a search reads the list, so it must stay short; the limit is for times without that process.
alter index post_terms_words set (fastupdate = on, gin_pending_list_limit = 16384);
alter index user_terms_words set (fastupdate = on, gin_pending_list_limit = 16384);
