-- A post is the row that is written most. Its foreign keys locked the author's row, and the post's own row once more for
-- each mention, with every insert: the code that removes posts and users removes what hangs on them itself.
alter table post drop constraint post_author_id_fkey;
alter table post_mention drop constraint post_mention_post_id_fkey;
-- Mentions of a post are found through the ids that the post holds.
drop index post_mention_of_post;
