/**
 * Up to this many matches, a coarse slice is read at once. In one with more matches, the page is likely to be full after some
 * of its slices.
 */
const FEW = 400

/** Which posts to find, as SQL expressions. */
interface Walk {
  /** A `tsquery` that requires a term. */
  terms: string
  /** Ids after this one. */
  after: string
  /** Ids before this one; without it there is no end. */
  before?: string
  /** A condition on `t`, the row of `post_terms`. */
  where?: string
  /** What follows the walk in the FROM clause: lateral joins that reduce the matches. */
  join?: string
  limit: string
}

/**
 * A query for `id`, `author_id` and `terms` of the newest posts with certain terms, newest first. It walks slices from the
 * newest, so its cost follows what is read until the limit is reached, however many posts there are.
 *
 * The joins are lateral, so there is only one order for them, and sorted subqueries are not merged into others. The slice is
 * the first of two conditions on terms, because the index reads their lists together in this form only. `id + 0` prevents a walk
 * along the primary key.
 */
export function walkSlices({ terms, after, before, where, join = '', limit }: Walk): string {
  const overlaps = `last_id > ${after}${before === undefined ? '' : ` and first_id < ${before}`}`
  const isBetween = `id + 0 > ${after}${before === undefined ? '' : ` and id + 0 < ${before}`}`
  return `select t.id, t.author_id, t.terms
      from (select no from search_coarse where ${overlaps} order by first_id desc) c
     cross join lateral (
       select count(*) as matches
         from (select from post_terms where terms @@ ('~c' || c.no)::tsquery and terms @@ ${terms} limit ${FEW}) few) probe
     cross join lateral (
       select '~c' || c.no as label where probe.matches > 0 and probe.matches < ${FEW}
       union all
       (select '~f' || no from search_slice where probe.matches = ${FEW} and coarse = c.no and ${overlaps} order by first_id desc)) s
     cross join lateral (
       select id, author_id, repost, terms from post_terms t
        where terms @@ s.label::tsquery and terms @@ ${terms} and ${isBetween} ${where === undefined ? '' : `and ${where}`}
        order by id + 0 desc) t
     ${join}
     limit ${limit}`
}
