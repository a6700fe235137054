/** The stream names in the list of connections. The reference has no name for the activity stream; its clients need one to end it. */
export const ENDPOINT_NAMES = [
  'filtered_stream',
  'sample_stream',
  'sample10_stream',
  'firehose_stream',
  'posts_compliance_stream',
  'users_compliance_stream',
  'post_label_stream',
  'firehose_stream_lang_en',
  'firehose_stream_lang_ja',
  'firehose_stream_lang_ko',
  'firehose_stream_lang_pt',
  'likes_firehose_stream',
  'likes_sample10_stream',
  'likes_compliance_stream',
  'activity_stream',
] as const

const RECOVERY = '_recovery'

/** The name for recoveries, which are counted separately from live streams. */
export const recoveryName = (endpoint: string): string => `${endpoint}${RECOVERY}`

/** The endpoint of a live connection or a recovery. */
export const endpointOf = (name: string): string => (name.endsWith(RECOVERY) ? name.slice(0, -RECOVERY.length) : name)

/** The names under which connections to endpoints are stored. */
export const namesOf = (endpoints: readonly string[]): string[] =>
  endpoints.flatMap((endpoint) => [endpoint, recoveryName(endpoint)])
