import { mayHavePairs } from '../../search/slices/word-pairs.ts'

/** Numbers of posts that decide how slices are read. */
interface WalkSizes {
  /**
   * Up to this many matches, a coarse slice is read at once. In one with more matches, the page is likely to be full after some
   * of its slices.
   */
  few: number
  /** So many of the newest posts are looked at, to learn how frequent matches are. */
  sample: number
  /** When as many of them match, so many of the newest are read one by one: slices would have thousands of matches. */
  many: number
  read: number
  /** When as many match, the newest two coarse slices have more than a few matches, and are not looked at. */
  some: number
}

const SIZES: WalkSizes = { few: 400, sample: 200, many: 40, read: 600, some: 5 }

/** Which posts to find, as SQL expressions. */
interface Walk {
  /** A `tsquery` that requires a term. */
  terms: string
  /** Ids after this one. */
  after: string
  /** Ids before this one; without it there is no end. */
  before?: string
  /** An array of pairs of words that the terms require side by side. */
  pairs?: string
  /** A condition on `t`, the row of `post_terms`. */
  where?: string
  /** What follows the walk in the FROM clause: lateral joins that reduce the matches. */
  join?: string
  limit: string
  /** Others than usual, for tests. */
  sizes?: WalkSizes
}

/**
 * A query for `id`, `author_id` and `terms` of the newest posts with certain terms, newest first. It walks slices from the
 * newest, so its cost follows what is read until the limit is reached, however many posts there are.
 *
 * The joins are lateral, so there is only one order for them, and sorted subqueries are not merged into others. The slice is
 * the first of two conditions on terms, because the index reads their lists together in this form only. `id + 0` prevents a walk
 * along the primary key.
 */
export function walkSlices(walk: Walk): string {
  const { terms, after, before, where, join = '', limit } = walk
  const columns = 'id, author_id, repost, terms'
  const inSlice = `select ${columns} from post_terms where terms @@ s.label::tsquery and terms @@ ${terms}`
  const found =
    walk.pairs === undefined
      ? `${inSlice} and s.ids is null union all select ${columns} from post_terms where id = any(s.ids)`
      : inSlice
  const conditions = [
    `id + 0 > ${after}`,
    ...(before === undefined ? [] : [`id + 0 < ${before}`]),
    ...(walk.pairs === undefined ? ['(s.before is null or id + 0 < s.before)'] : []),
    ...(where === undefined ? [] : [where]),
  ]
  return `select t.id, t.author_id, t.terms
      from ${walk.pairs === undefined ? slicesWithTerms(walk) : slicesWithPairs(walk, walk.pairs)}
     cross join lateral (
       select ${columns} from (${found}) t where ${conditions.join(' and ')} order by id + 0 desc) t
     ${join}
     limit ${limit}`
}

const overlapsRange = ({ after, before }: Walk): string =>
  `last_id > ${after}${before === undefined ? '' : ` and first_id < ${before}`}`

/**
 * What to read, newest first, as `s`: slices by label, or matches by id. If many of the newest posts match, these come first, and
 * only posts before them are read otherwise. Of a coarse slice with few matches these are read, of others the slices.
 */
function slicesWithTerms(walk: Walk): string {
  const { terms, after, before, sizes = SIZES } = walk
  const overlaps = overlapsRange(walk)
  const newest = (columns: string, most: number, when = 'true') =>
    `select ${columns} from post_terms where ${when} and id > ${after}${before === undefined ? '' : ` and id < ${before}`}
      order by id desc limit ${most}`
  const isKnown = `(sample.matches >= ${sizes.some} and c.position <= 2)`
  return `(select count(*) filter (where terms @@ ${terms}) as matches from (${newest('terms', sizes.sample)}) n) sample
     cross join lateral (
       select min(id) as first_id, array_agg(id) filter (where terms @@ ${terms}) as ids
         from (${newest('id, terms', sizes.read, `sample.matches >= ${sizes.many}`)}) n) recent
     cross join lateral (
       select recent.ids, null as label, null::bigint as before where recent.ids is not null
       union all
       select s.ids, s.label, recent.first_id
         from (select no, first_id, last_id, row_number() over (order by first_id desc) as position from search_coarse
                where ${overlaps} and (recent.first_id is null or first_id < recent.first_id) order by first_id desc) c
        cross join lateral (
          select count(*) as matches, array_agg(id) as ids
            from (select id from post_terms where not ${isKnown} and terms @@ ('~c' || c.no)::tsquery and terms @@ ${terms} limit ${sizes.few}) few) whole
        cross join lateral (
          select null as label, whole.ids where whole.matches > 0 and whole.matches < ${sizes.few}
          union all
          (select '~f' || no, null from search_slice
            where (whole.matches = ${sizes.few} or ${isKnown}) and first_id >= c.first_id and first_id <= c.last_id and ${overlaps}
            order by first_id desc)) s) s`
}

/** The labels `s` of slices that may have pairs of words, newest first. */
const slicesWithPairs = (walk: Walk, pairs: string): string =>
  `(select no from search_slice where ${overlapsRange(walk)} order by first_id desc) n
     cross join lateral (select '~f' || n.no as label where ${mayHavePairs('n.no', pairs)} offset 0) s`
