import type { Db } from '../../src/storage/database.ts'

/** How many counters of seeded users and their posts differ from the rows. */
export async function inexactMetrics(db: Db, prefix: string): Promise<{ users: number; posts: number }> {
  const users = await db.query<{ count: number }>({
    text: `select count(*)::int as count from user_account u left join user_metrics m on m.user_id = u.id
      where u.username like $1 || '%' and (m.user_id is null or m.listed_count <> 0
         or m.like_count <> (select count(*) from post_like l where l.user_id = u.id)
         or m.media_count <> (select count(*) from post p where p.author_id = u.id and p.media_keys <> '{}' and p.reposted_post_id is null)
         or m.post_count <> (select count(*) from post p where p.author_id = u.id)
         or m.most_recent_post_id is distinct from (select max(p.id) from post p where p.author_id = u.id)
         or m.following_count <> (select count(*) from follow f where f.source_id = u.id and not f.pending)
         or m.followers_count <> (select count(*) from follow f where f.target_id = u.id and not f.pending)
         or m.verified_followers_count <> (select count(*) from follow f join user_account s on s.id = f.source_id
              where f.target_id = u.id and not f.pending and s.verified_type <> 'none'))`,
    values: [prefix],
  })
  const posts = await db.query<{ count: number }>({
    text: `select count(*)::int as count from post p join user_account u on u.id = p.author_id left join post_metrics m on m.post_id = p.id
      where u.username like $1 || '%'
        and (coalesce(m.reply_count, 0) <> (select count(*) from post r where r.in_reply_to_post_id = p.id)
          or coalesce(m.quote_count, 0) <> (select count(*) from post q where q.quoted_post_id = p.id)
          or coalesce(m.repost_count, 0) <> (select count(*) from post r where r.reposted_post_id = p.id)
          or coalesce(m.like_count, 0) <> (select count(*) from post_like l where l.post_id = p.id)
          or coalesce(m.bookmark_count, 0) <> 0)`,
    values: [prefix],
  })
  return { users: users.rows[0]!.count, posts: posts.rows[0]!.count }
}

const TABLES = ['user_account', 'user_metrics', 'follow', 'post', 'post_metrics', 'post_like', 'media', 'short_link']

// The posts of the first world depend on the moment of its creation: only seeded users are compared.
const OF_SEED: Record<string, string> = {
  user_account: `username like 'seed%'`,
  user_metrics: `user_id in (select id from user_account where username like 'seed%')`,
  follow: `source_id in (select id from user_account where username like 'seed%')`,
  post: `author_id in (select id from user_account where username like 'seed%')`,
  post_metrics: `post_id in (select p.id from post p join user_account u on u.id = p.author_id where u.username like 'seed%')`,
  post_like: `user_id in (select id from user_account where username like 'seed%')`,
  media: `owner_user_id in (select id from user_account where username like 'seed%')`,
  short_link: 'true',
}

// The post of a link in the first world depends on that moment too.
const shown = (table: string) => (table === 'short_link' ? '(t.code, t.url)' : 't')

/** A checksum of each table's seeded rows: every column of every row, in any order of storage. */
export async function worldChecksum(db: Db): Promise<Record<string, string>> {
  const sums: Record<string, string> = {}
  for (const table of TABLES) {
    const { rows } = await db.query<{ sum: string }>({
      text: `select count(*) || ' ' || coalesce(md5(string_agg(line, '' order by line)), '') as sum
               from (select md5(${shown(table)}::text) as line from ${table} t where ${OF_SEED[table]}) lines`,
    })
    sums[table] = rows[0]!.sum
  }
  return sums
}
