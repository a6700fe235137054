-- Posts only for promotion are not the most recent ones of their authors.
update user_metrics m set most_recent_post_id = (select max(p.id) from post p where p.author_id = m.user_id and not p.nullcast)
 where exists (select from post p where p.id = m.most_recent_post_id and p.nullcast);
