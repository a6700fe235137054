import { adsOperations } from '../../src/ads/operations.ts'
import { added, type ListedDifference, missing } from '../contract/list-differences.ts'

const conversationCards = ['Image', 'Video'].flatMap((kind) => [
  `list${kind}ConversationCards`,
  ...['get', 'create', 'update'].map((verb) => `${verb}${kind}ConversationCard`),
])

/** What the reference shows of a deleted typed card. */
const SHORT_CARD = ['id', 'name', 'start_time', 'card_type', 'created_at', 'updated_at', 'deleted']

/**
 * Where the advertising interface differs from the reference on purpose. What is added beyond the reference is listed with
 * `added`: an operation by its id, else as `<id> parameter <name>`, `<id> parameter <name> word <word>`, `<id> member <name>`.
 */
export const differences = (): ListedDifference[] => [
  ...missing('it is an endpoint, since it answers with messages of another protocol (tests/mcp)', ['mcpMessage']),
  ...missing('it is a page for people in browsers (tests/ads/partner-onboarding)', ['linkManagedAccount']),
  ...added(
    'replies give the address of the unlocked image (x-rules), yet no source names its member',
    [...conversationCards, 'fetchCardById'].map((id) => `${id} member unlocked_image_url`),
  ),
  ...added(
    'line items can be shown there, and what they cost must be found (x-analytics has it as a former placement)',
    [
      'getStats parameter placement word PUBLISHER_NETWORK',
      'createStatsJob parameter placement word PUBLISHER_NETWORK',
    ],
  ),
  ...missing('operator_type is marked as required, yet every sample leaves it out and gets EQ (x-rules)', [
    'createTargetingCriterion parameter operator_type required',
  ]),
  ...missing(
    'event_types is marked as required, yet its text calls it optional and the sample leaves it out (x-rules)',
    ['listEvents parameter event_types required'],
  ),
  ...missing(
    'as_user_id is marked as required, yet by the prose it defaults to the FULL promotable user, and a sample leaves it out (x-rules)',
    ['createDraftPost parameter as_user_id required', 'createScheduledPost parameter as_user_id required'],
  ),
  ...missing('both are marked as required, yet the samples leave them out and get null back (x-rules)', [
    'createLineItem parameter start_time required',
    'createLineItem parameter end_time required',
  ]),
  ...added(
    "the reference's record has no deleted, yet by the seed a deletion answers with deleted true, and the seed names catalogs",
    ['deleteProductCatalog member deleted'],
  ),
  ...added(
    "the reference's deletion answers with a short record, yet by the seed it returns the removed record, which with_deleted shows",
    ['deletePollCard', 'deleteImageConversationCard', 'deleteVideoConversationCard', 'deleteLegacyCard'].flatMap((id) =>
      Object.keys(adsOperations.find((operation) => operation.id === id)!.data!.properties as object)
        .filter((name) => !SHORT_CARD.includes(name))
        .map((name) => `${id} member ${name}`),
    ),
  ),
  ...added('the lists of typed cards have the plural, so clients send it here too', ['listCards parameter card_ids']),
  ...added(
    'the seed and the reference name these features elsewhere; an account of the sandbox can lose and get back every one',
    ['addSandboxFeatures', 'removeSandboxFeatures'].flatMap((id) =>
      ['CITY_TARGETING', 'PROMOTED_MEDIA_POLLS', 'SHARE_AUDIENCE_OUTSIDE_BUSINESS', 'WEBSITE_CLICKS_CPM_BILLING'].map(
        (key) => `${id} parameter feature_keys word ${key}`,
      ),
    ),
  ),
  ...missing('replies hold keys outside the documented enumeration (x-rules): a filter takes any key', [
    'listFeatures parameter feature_keys words',
  ]),
]

/** Parts of replies that do not fit the reference's schema, by operation: pieces of JSON pointers, with the reason. */
export const REPLY_DIFFERENCES: Record<string, { pointer: string; reason: string }[]> = {}
