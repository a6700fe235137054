/** A finding that is as it should be, or that waits for a change. */
export interface Exception {
  finding: RegExp
  reason: string
}

const SEARCH = 'A search reads the matches of one slice at a time, which has some thousand posts, and sorts them by id.'
const COUNT = 'A count reads each match once; those of slices that have ended are kept.'

export const EXCEPTIONS: readonly Exception[] = [
  {
    finding: /^sort of \(+coalesce\(.* in list of ads_/i,
    reason:
      'A list in another order than that of creation sorts the records of one account. An index for each attribute of each kind of record would cost every write more than the sort costs a read.',
  },
  {
    finding: /^scan of ads_line_item in (?:list|count) of ads_promoted_post$/,
    reason:
      'Whether a promoted post is shown depends on its line item. For thousands of them one pass over the line items is cheaper than as many look-ups.',
  },
  {
    finding: /^scan of media in ads_media_library_list$/,
    reason: 'The type of a media item is in another table than the library. One pass is cheaper than 2,000 look-ups.',
  },
  {
    finding: /^scan of ads_line_item in ads_active_entities$/,
    reason: 'It looks at all line items of the account, which has a fifth of them here.',
  },
  {
    finding: / in ads_recommendation_line_items$/,
    reason: 'A recommendation is made from all line items of the account that can run.',
  },
  {
    finding: /^sort of first\S*\.id (?:DESC )?in (?:home|list)_posts_\w+$/,
    reason: 'One row for each account that the user follows, or that is in the list: the newest post of each.',
  },
  { finding: /^sort of .* in (?:search_posts|search_phrases|search: find posts)$/, reason: SEARCH },
  { finding: / in (?:search_counts|search: count posts)$/, reason: COUNT },
  { finding: / in ads_related_terms$/, reason: SEARCH },
  {
    finding: / in audience estimate$/,
    reason: `An estimate counts users among all of them. ${SEARCH}`,
  },
  {
    finding: / in (?:news_recent_posts|topic_rising|notes_unscored)$/,
    reason:
      'Not of a request: the jobs that make news, trends and the scores of notes read what is new. The examples run them by control commands.',
  },
]
