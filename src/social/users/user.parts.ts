import { definePart, keyedBy } from '../../api-kit/declaring/part.ts'
import { type RowOf, statement } from '../../storage/statement.ts'

const userColumns = {
  id: 'int8',
  username: 'text',
  name: 'text',
  description: 'text',
  description_entities: 'jsonb?',
  location: 'text',
  url: 'text',
  url_entities: 'jsonb?',
  profile_image_url: 'text?',
  profile_banner_url: 'text?',
  protected: 'bool',
  suspended: 'bool',
  verified_type: 'text',
  subscription_type: 'text',
  identity_verified: 'bool',
  parody: 'bool',
  geo_enabled: 'bool',
  receives_messages_from_everyone: 'bool',
  affiliation: 'jsonb?',
  withheld_countries: 'text[]',
  pinned_post_id: 'int8?',
  created_at: 'timestamptz',
} as const

/** What is stored of a user. */
export type UserRow = RowOf<typeof userColumns>

const usersById = statement(
  'users_by_id',
  userColumns,
  `select id, username, name, description, description_entities, location, url, url_entities, profile_image_url, profile_banner_url,
          protected, suspended, verified_type, subscription_type, identity_verified, parody, geo_enabled, receives_messages_from_everyone,
          affiliation, withheld_countries, pinned_post_id, created_at
     from user_account where id = any($1::bigint[]) and deactivated_at is null`,
)

/** Users by id, without deleted accounts. Every change to a user invalidates kind `user`. */
export const userRow = definePart('user', 'row', async (db, ids) =>
  keyedBy((row) => row.id, await usersById.all(db, ids)),
)

const userMetricsColumns = {
  user_id: 'int8',
  followers_count: 'int4',
  following_count: 'int4',
  verified_followers_count: 'int4',
  post_count: 'int4',
  listed_count: 'int4',
  like_count: 'int4',
  media_count: 'int4',
  most_recent_post_id: 'int8?',
} as const

/** The stored counters of a user. */
export type UserMetricsRow = RowOf<typeof userMetricsColumns>

const userMetricsById = statement(
  'user_metrics_by_id',
  userMetricsColumns,
  `select user_id, followers_count, following_count, verified_followers_count, post_count, listed_count, like_count, media_count, most_recent_post_id
     from user_metrics where user_id = any($1::bigint[])`,
)

/** The counters of a user. They change often, so they have a kind of their own: `user_metrics`. */
export const userMetrics = definePart('user_metrics', 'row', async (db, ids) =>
  keyedBy((row) => row.user_id, await userMetricsById.all(db, ids)),
)

const confirmedEmails = statement(
  'confirmed_emails_by_user',
  { user_id: 'int8', email: 'text?' },
  `select u.id as user_id, s.email
     from user_account u left join user_sign_in s on s.user_id = u.id and s.email_confirmed where u.id = any($1::bigint[]) and u.deactivated_at is null`,
)

/** The confirmed email address of a user, shown only to that user. */
export const userEmail = definePart('user', 'email', async (db, ids) =>
  keyedBy((row) => row.user_id, await confirmedEmails.all(db, ids)),
)

const userIdsByName = statement(
  'user_ids_by_name',
  { name: 'text', id: 'int8' },
  'select lower(username) as name, id from user_account where lower(username) = any($1::text[]) and deactivated_at is null',
)

/** User id by name in lower case. A new or changed name invalidates kind `username`. */
export const usernamePart = definePart(
  'username',
  'user',
  async (db, names) => new Map((await userIdsByName.all(db, names)).map((row) => [row.name, row.id])),
)

const relationColumns = {
  pair: 'text',
  follows: 'bool',
  follow_pending: 'bool',
  followed_by: 'bool',
  follower_pending: 'bool',
  blocks: 'bool',
  blocked_by: 'bool',
  mutes: 'bool',
} as const

/** The relation of one user to another. */
export type RelationRow = RowOf<typeof relationColumns>

const relationsByPair = statement(
  'relations_by_pair',
  relationColumns,
  `select q.viewer || ':' || q.target as pair,
          coalesce(not f.pending, false) as follows, coalesce(f.pending, false) as follow_pending,
          coalesce(not g.pending, false) as followed_by, coalesce(g.pending, false) as follower_pending,
          b.id is not null as blocks, c.id is not null as blocked_by, m.id is not null as mutes
     from unnest($1::bigint[], $2::bigint[]) as q (viewer, target)
     left join follow f on f.source_id = q.viewer and f.target_id = q.target
     left join follow g on g.source_id = q.target and g.target_id = q.viewer
     left join block b on b.source_id = q.viewer and b.target_id = q.target
     left join block c on c.source_id = q.target and c.target_id = q.viewer
     left join mute m on m.source_id = q.viewer and m.target_id = q.target`,
)

/** The relation of one user to another, keyed `viewer:target`. A change invalidates kind `relation` for the pair in both orders. */
export const relation = definePart('relation', 'row', async (db, pairs) => {
  const split = pairs.map((pair) => pair.split(':') as [string, string])
  const rows = await relationsByPair.all(
    db,
    split.map(([viewer]) => viewer),
    split.map(([, target]) => target),
  )
  return keyedBy((row) => row.pair, rows)
})
