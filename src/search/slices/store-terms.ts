/** How many posts a slice gets before the next one begins, and how many slices a coarse slice gets. */
export interface SliceSizes {
  posts: number
  slices: number
}

export const SLICE_SIZES: SliceSizes = { posts: 8_192, slices: 8 }

/** The slice that an id falls into, as a subquery with `no` and `coarse`. */
export const sliceOf = (id: string): string =>
  `(select no, coarse from search_slice where first_id <= ${id} order by first_id desc limit 1)`

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
     select p.*, s.no, s.coarse from (${posts}) p cross join lateral ${sliceOf('p.id')} s
   ), terms_stored as (
     insert into post_terms (id, author_id, repost, terms)
     select p.id, p.author_id, p.reposted_post_id is not null, p.search::tsvector || ${factsSql('p', 'p')} from sliced p
   ), terms_noted as (${changeNoted('select coarse from sliced')})`

/**
 * An expression of a WITH list that removes the terms of posts. `posts` is a query for their ids, none of which is in the list
 * twice.
 */
export const termsRemoved = (posts: string): string =>
  `terms_gone as (
     delete from post_terms where id in (${posts}) returning id
   ), terms_noted as (${changeNoted(`select s.coarse from terms_gone g cross join lateral ${sliceOf('g.id')} s`)})`

// Counts are kept only of coarse slices that have ended.
const changeNoted = (coarse: string): string =>
  `insert into search_change (coarse)
     select distinct c.no from (${coarse}) g join search_coarse c on c.no = g.coarse where c.ended_xid is not null`
