/** The streams that the interface names in its list of connections. The activity stream has no name there. */
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
] as const

const RECOVERY = '_recovery'

/** Recoveries are counted apart from the live streams, under a name of their own. */
export const recoveryName = (endpoint: string): string => `${endpoint}${RECOVERY}`

/** The endpoint of a connection, whether live or a recovery. */
export const endpointOf = (name: string): string => (name.endsWith(RECOVERY) ? name.slice(0, -RECOVERY.length) : name)

/** The names under which connections of endpoints are kept. */
export const namesOf = (endpoints: readonly string[]): string[] =>
  endpoints.flatMap((endpoint) => [endpoint, recoveryName(endpoint)])
