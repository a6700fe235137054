/** How many posts a slice gets before the next one begins, and how many slices a coarse slice gets. */
export interface SliceSizes {
  posts: number
  slices: number
}

export const SLICE_SIZES: SliceSizes = { posts: 8_192, slices: 8 }

/** The slice that an id falls into, as a subquery. Changes to one that has ended are noted, because its counts may be kept. */
const sliceOf = (id: string): string =>
  `(select no, coarse, ended_xid is not null as ended from search_slice where first_id <= ${id} order by first_id desc limit 1)`

/** The terms that a post has besides those of its text: its slices, and facts that are columns of the post. */
const factsSql = (slice: string, post: string): string =>
  `array_to_tsvector(array_remove(array['~f' || ${slice}.no, '~c' || ${slice}.coarse, 'lang:' || ${post}.lang,
     case when ${post}.in_reply_to_post_id is not null then 'is:reply' end, case when ${post}.quoted_post_id is not null then 'is:quote' end,
     case when ${post}.reposted_post_id is not null then 'is:repost' end, case when ${post}.nullcast then 'is:nullcast' end], null))`

/**
 * Expressions of a WITH list that store the terms of new posts. `posts` is a query for their rows: the columns of `post`, and
 * `search` with the terms of the text.
 */
export const termsStored = (posts: string): string =>
  `sliced as materialized (
     select p.id, p.author_id, p.reposted_post_id is not null as repost, p.search::tsvector || ${factsSql('s', 'p')} as terms, s.coarse, s.no, s.ended
       from (${posts}) p cross join lateral ${sliceOf('p.id')} s
   ), terms_stored as (
     insert into post_terms (id, author_id, repost, terms) select id, author_id, repost, terms from sliced
   ), terms_noted as (
     insert into search_change (coarse, slice) select distinct coarse, no from sliced where ended
   )`

/** Expressions of a WITH list that remove the terms of posts. `posts` is a query for their ids. */
export const termsRemoved = (posts: string): string =>
  `terms_gone as (
     delete from post_terms where id in (${posts}) returning id
   ), terms_noted as (
     insert into search_change (coarse)
     select distinct s.coarse from terms_gone g cross join lateral ${sliceOf('g.id')} s where s.ended
   )`
