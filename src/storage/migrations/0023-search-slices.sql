-- The terms of posts, in a narrow table of their own. They include the number of the slice of ids that the post is in, so one
-- index answers "this query in this slice", and a search walks slices from the newest until its page is full.
-- A version that was superseded has no row here.
create table post_terms (
  id bigint not null,
  author_id bigint not null,
  repost boolean not null,
  terms tsvector not null
);

-- Slices cover all ids without gaps. Each belongs to one coarse slice. `begun_xid` is set until the terms of late writers
-- were checked.
create table search_slice (
  no int primary key,
  coarse int not null,
  first_id bigint not null unique,
  last_id bigint not null,
  begun_xid xid8
);

-- A coarse slice has ended when no new ids fall into it. It is settled when nobody can write to it without a row in
-- `search_change`; only then are its counts kept. Changes raise the epoch.
create table search_coarse (
  no int primary key,
  first_id bigint not null unique,
  last_id bigint not null,
  ended_xid xid8,
  ended_at timestamptz,
  settled boolean not null default false,
  epoch bigint not null default 0
);

-- Changes to ended coarse slices: deleted and edited posts, late posts. -1 is a change to all of them: of who is public.
create table search_change (
  id bigint generated always as identity primary key,
  coarse int not null
);
create index search_change_of_coarse on search_change (coarse);

-- Counts of a query in a coarse slice, by minute, hour or day. They can be lost.
create unlogged table search_count (
  query bytea not null,
  grain_ms bigint not null,
  coarse int not null,
  epoch bigint not null,
  starts int[] not null,
  posts int[] not null,
  made_at timestamptz not null,
  primary key (query, grain_ms, coarse)
);
create index search_count_age on search_count (made_at);

set local maintenance_work_mem = '256MB';
set local work_mem = '64MB';

insert into search_slice (no, coarse, first_id, last_id)
select no, no / 8, case when no = 0 then 0 else first_id end,
       coalesce(lead(first_id) over (order by no) - 1, 9223372036854775807)
  from (
    select (number / 8192)::int as no, min(id) as first_id
      from (select id, row_number() over (order by id) - 1 as number from post) numbered group by 1
  ) cut;
insert into search_slice (no, coarse, first_id, last_id)
select 0, 0, 0, 9223372036854775807 where not exists (select from search_slice);
insert into search_coarse (no, first_id, last_id) select coarse, min(first_id), max(last_id) from search_slice group by 1;
update search_coarse set ended_xid = pg_current_xact_id(), ended_at = to_timestamp(0), settled = true where last_id <> 9223372036854775807;

insert into post_terms (id, author_id, repost, terms)
select p.id, p.author_id, p.reposted_post_id is not null,
       coalesce(p.search, '') || array_to_tsvector(array_remove(array[
         '~f' || s.no, '~c' || s.coarse, 'lang:' || p.lang,
         case when p.in_reply_to_post_id is not null then 'is:reply' end,
         case when p.quoted_post_id is not null then 'is:quote' end,
         case when p.reposted_post_id is not null then 'is:repost' end,
         case when p.nullcast then 'is:nullcast' end], null))
  from search_slice s
 cross join lateral (select * from post where id between s.first_id and s.last_id and not superseded order by id) p;
alter table post_terms add primary key (id);
-- Every step of a search would read a pending list, so there is none.
create index post_terms_words on post_terms using gin (terms) with (fastupdate = off);
create index post_terms_of_author on post_terms (author_id, id desc);
drop index post_search;
alter table post drop column search;

-- The beginnings of the words by which a user is found (up to 12 letters), those of the username after `^`, and `~o` with the
-- octave of the number of followers: a search for users walks octaves from the highest.
create table user_terms (
  id bigint not null,
  terms tsvector not null
);
insert into user_terms (id, terms)
select u.id, (
  select array_to_tsvector(array_agg(distinct t.term)) from (
    select left(w.word, n) from unnest(tsvector_to_array(u.search)) as w (word), generate_series(1, least(length(w.word), 12)) as n
    union all select '^' || left(lower(u.username), n) from generate_series(1, length(u.username)) as n
    union all select '~o' || (32 - position(b'1' in (coalesce(m.followers_count, 0) + 1)::bit(32)))
  ) as t (term))
  from user_account u left join user_metrics m on m.user_id = u.id;
alter table user_terms add primary key (id);
create index user_terms_words on user_terms using gin (terms) with (fastupdate = off);

analyze post_terms, user_terms, search_slice, search_coarse;
