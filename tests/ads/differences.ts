/** Tags of the reference that are not built yet, and why. */
export const NOT_BUILT: Record<string, string> = Object.fromEntries(
  [
    'AB Tests',
    'Active Entities',
    'Analytics (asynchronous)',
    'Analytics (synchronous)',
    'App Event Provider Configurations',
    'App Event Tags',
    'Conversion Attribution',
    'Conversion Event',
    'MCP',
    'Partner Onboarding',
    'Reach and Average Frequency',
    'Web Conversions',
    'Web Event Tags',
  ].map((tag) => [tag, 'analytics and measurement come later']),
)

/** Where an operation differs from the reference on purpose; `why` says so. */
export interface Difference {
  why: string
  /** Parameters that only we have, or only the reference. */
  extra?: string[]
  missing?: string[]
  /** Parameters that the reference marks as required and we do not. */
  optional?: string[]
  /** Parameters whose words differ. */
  words?: string[]
  /** Members of records that only we have. */
  members?: string[]
  /** Places of the reply that do not fit the reference's schema. */
  reply?: string[]
}

const unlockedImage: Difference = {
  why: 'replies give the address of the unlocked image (x-rules), yet no source names its member',
  members: ['unlocked_image_url'],
}

export const DIFFERENCES: Record<string, Difference> = {
  ...Object.fromEntries(
    ['Image', 'Video'].flatMap((kind) =>
      [
        `list${kind}ConversationCards`,
        ...['get', 'create', 'update'].map((verb) => `${verb}${kind}ConversationCard`),
      ].map((id) => [id, unlockedImage]),
    ),
  ),
  fetchCardById: unlockedImage,
  createTargetingCriterion: {
    why: 'operator_type is marked as required, yet every sample leaves it out and gets EQ (x-rules)',
    optional: ['operator_type'],
  },
  listEvents: {
    why: 'event_types is marked as required, yet its text calls it optional and the sample leaves it out (x-rules)',
    optional: ['event_types'],
  },
  createDraftPost: {
    why: 'as_user_id is marked as required, yet by the prose it defaults to the FULL promotable user (x-rules)',
    optional: ['as_user_id'],
  },
  createScheduledPost: {
    why: 'as_user_id is marked as required, yet by the prose it defaults to the FULL promotable user, and a sample leaves it out (x-rules)',
    optional: ['as_user_id'],
  },
  createLineItem: {
    why: 'start_time and end_time are marked as required, yet the samples leave them out and get null back (x-rules)',
    optional: ['start_time', 'end_time'],
  },
  deleteProductCatalog: {
    why: "the reference's record has no deleted, yet by the seed a deletion answers with deleted true, and the seed names catalogs",
    members: ['deleted'],
  },
  listFeatures: {
    why: 'replies hold keys outside the documented enumeration (x-rules), so that a filter takes any key',
    words: ['feature_keys'],
  },
}
