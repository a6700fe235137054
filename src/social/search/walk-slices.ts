import { mayHavePairs } from '../../search/slices/word-pairs.ts'

/**
 * Up to this many matches, a coarse slice is read at once. In one with more matches, the page is likely to be full after some
 * of its slices.
 */
const FEW = 400
/** As many matches in one of its slices say the same, and are found sooner. */
const FEW_IN_SLICE = 50

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
  const isBetween = `id + 0 > ${after}${before === undefined ? '' : ` and id + 0 < ${before}`}`
  const columns = 'id, author_id, repost, terms'
  const inSlice = `select ${columns} from post_terms where terms @@ s.label::tsquery and terms @@ ${terms}`
  const found =
    walk.pairs === undefined
      ? `${inSlice} and s.ids is null union all select ${columns} from post_terms where id = any(s.ids)`
      : inSlice
  return `select t.id, t.author_id, t.terms
      from ${walk.pairs === undefined ? slicesWithTerms(walk) : slicesWithPairs(walk, walk.pairs)}
     cross join lateral (
       select ${columns} from (${found}) t where ${isBetween} ${where === undefined ? '' : `and ${where}`} order by id + 0 desc) t
     ${join}
     limit ${limit}`
}

const overlapsRange = ({ after, before }: Walk): string =>
  `last_id > ${after}${before === undefined ? '' : ` and first_id < ${before}`}`

/**
 * What to read, newest first, as `s`: slices by label, or the matches of a coarse slice by id. Of words that nearly all posts have,
 * even a look at a coarse slice takes long. They fill the page from one or two coarse slices, so one slice of these is looked at
 * before. The newest slice of all is not full yet, so it is the second one.
 */
function slicesWithTerms(walk: Walk): string {
  const overlaps = overlapsRange(walk)
  const ofCoarse = `search_slice where first_id >= c.first_id and first_id <= c.last_id and ${overlaps}`
  const second = `(select no from (select no, first_id from ${ofCoarse} order by first_id desc limit 2) two order by first_id limit 1)`
  const matches = (label: string) => `terms @@ (${label})::tsquery and terms @@ ${walk.terms}`
  return `(select no, first_id, last_id, row_number() over (order by first_id desc) as position
        from search_coarse where ${overlaps} order by first_id desc) c
     cross join lateral (
       select count(*) as matches
         from (select from post_terms where c.position <= 2 and ${matches(`'~f' || ${second}`)} limit ${FEW_IN_SLICE}) few) one
     cross join lateral (
       select count(*) as matches, array_agg(id) as ids
         from (select id from post_terms where one.matches < ${FEW_IN_SLICE} and ${matches(`'~c' || c.no`)} limit ${FEW}) few) whole
     cross join lateral (
       select null as label, whole.ids where whole.matches > 0 and whole.matches < ${FEW}
       union all
       (select '~f' || no, null from ${ofCoarse} and (one.matches = ${FEW_IN_SLICE} or whole.matches = ${FEW}) order by first_id desc)) s`
}

/** The labels `s` of slices that may have pairs of words, newest first. */
const slicesWithPairs = (walk: Walk, pairs: string): string =>
  `(select no from search_slice where ${overlapsRange(walk)} order by first_id desc) n
     cross join lateral (select '~f' || n.no as label where ${mayHavePairs('n.no', pairs)} offset 0) s`
