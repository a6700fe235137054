-- Posts of sandbox accounts stay in the sandbox. All lists of version 2 leave promoted-only posts out, so they are stored as
-- such; this column keeps what they are in the sandbox.
alter table post add column sandbox text;
update post p set sandbox = case when p.nullcast then 'promoted' else 'organic' end, nullcast = true
  from ads_post s join ads_account a on a.id = s.account_id
 where a.sandbox and p.id = s.post_id and p.superseded = false;
alter table post add constraint post_sandbox_kind check (sandbox is null or (nullcast and sandbox in ('promoted', 'organic'))) not valid;
delete from post_terms t using post p where p.id = t.id and p.sandbox is not null;
update user_metrics m set post_count = greatest(0, m.post_count - n.posts)
  from (select author_id, count(*)::int as posts from post where sandbox is not null group by 1) n where m.user_id = n.author_id;

-- A promoted-only repost of production is not the one of the sandbox.
drop index post_promoted_repost;
create unique index post_promoted_repost on post (reposted_post_id, author_id)
  where reposted_post_id is not null and nullcast and sandbox is null;
create unique index post_sandbox_repost on post (reposted_post_id, author_id)
  where reposted_post_id is not null and nullcast and sandbox is not null;
