/** What raters can say about a note, besides how helpful it is. */
export const HELPFUL_TAGS = [
  'addresses_claim',
  'clear',
  'good_sources',
  'important_context',
  'other_helpful',
  'unbiased_language',
] as const
export const NOT_HELPFUL_TAGS = [
  'argumentative_or_biased',
  'hard_to_understand',
  'incorrect',
  'irrelevant_sources',
  'missing_key_points',
  'note_not_needed',
  'opinion_speculation',
  'other_not_helpful',
  'sources_missing_or_unreliable',
  'spam_harassment_or_abuse',
] as const

export const RATING_TAGS = [...HELPFUL_TAGS, ...NOT_HELPFUL_TAGS] as const
export type RatingTag = (typeof RATING_TAGS)[number]

export const HELPFULNESS = ['helpful', 'somewhat_helpful', 'not_helpful'] as const
export type Helpfulness = (typeof HELPFULNESS)[number]

/** The tags that fit a rating; those in between fit both. */
export const tagsFor = (helpfulness: Helpfulness): readonly RatingTag[] =>
  helpfulness === 'helpful' ? HELPFUL_TAGS : helpfulness === 'not_helpful' ? NOT_HELPFUL_TAGS : RATING_TAGS
