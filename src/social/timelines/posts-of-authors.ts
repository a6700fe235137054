const DIRECTIONS = {
  older: { order: 'desc', beyond: '<', upTo: '>=', last: 'min' },
  newer: { order: 'asc', beyond: '>', upTo: '<=', last: 'max' },
} as const
export type Direction = keyof typeof DIRECTIONS

/** Which posts to read, as SQL. */
interface AuthorsPosts {
  direction: Direction
  /** A query for the `id` of each author. It is the subquery `circle`, which `where` may read. */
  authors: string
  /** Tables, with `post p` among them. */
  from?: string
  /** A condition on `p`. */
  where: string
  /** The id at which the posts end in this direction: older ones, or newer ones, are not read. */
  end: string
  limit: string
}

/**
 * A query for the ids of the newest posts of many authors, or of those that follow a post.
 *
 * A few posts of each author, together enough to fill the page, give an id that the page cannot go beyond. More posts are
 * read only of authors whose posts so far all lie within it. So the cost is one index look-up per author, whatever the
 * number of posts.
 */
export function postsOfAuthors({ direction, authors, from = 'post p', where, end, limit }: AuthorsPosts): string {
  const { order, beyond, upTo, last } = DIRECTIONS[direction]
  return `with circle as materialized (${authors}),
   share as materialized (select 2 * ${limit}::int / greatest(count(*), 1) + 1 as size from circle),
   first as materialized (
     select c.id as author_id, l.id from circle c cross join lateral (
       select p.id from ${from} where p.author_id = c.id and ${where} order by p.id ${order} limit (select size from share)
     ) l
   ), edge as materialized (select id from first order by id ${order} offset ${limit}::int - 1 limit 1),
   more as (
     select l.id from (
       select author_id, ${last}(id) as last_id from first group by author_id
       having count(*) = (select size from share) and coalesce(${last}(id) ${upTo} (select id from edge), true)
     ) a cross join lateral (
       select p.id from ${from} where p.author_id = a.author_id and p.id ${beyond} a.last_id
          and p.id ${upTo} coalesce((select id from edge), ${end}) and ${where}
        order by p.id ${order} limit ${limit}
     ) l
   )
   select id from (select id from first union all select id from more) found order by id ${order} limit ${limit}`
}
