import { statement } from '../../storage/statement.ts'

const POST_COLUMNS = {
  id: 'int8',
  author_id: 'int8',
  text: 'text',
  lang: 'text',
  reply_to: 'int8?',
  quoted_post_id: 'int8?',
  reposted_post_id: 'int8?',
  original_author_id: 'int8?',
  community_id: 'int8?',
  first_version_id: 'int8',
  has_media: 'bool',
  likes: 'int4',
  reposts: 'int4',
} as const

// What a home timeline can show: see timelines/timeline.statements.ts.
const SHOWN = 'not p.superseded and not p.nullcast and (p.community_id is null or p.share_with_followers)'
const NAMES = `p.id, p.author_id, case when p.reposted_post_id is null then p.text else '' end as text, p.lang, p.in_reply_to_user_id as reply_to,
  p.quoted_post_id, p.reposted_post_id, case when p.reposted_post_id is not null then p.mentioned_user_ids[1] end as original_author_id,
  p.community_id, p.first_version_id, cardinality(p.media_keys) > 0 as has_media, coalesce(m.like_count, 0) as likes, coalesce(m.repost_count, 0) as reposts`

/** Posts before an id, the newest first. */
export const postsBefore = statement(
  'mirror_posts_before',
  POST_COLUMNS,
  `select ${NAMES} from (select * from post p where p.id < $1 and ${SHOWN} order by p.id desc limit $2) p
     left join post_metrics m on m.post_id = p.id order by p.id desc`,
)
export const postsById = statement(
  'mirror_posts_by_id',
  POST_COLUMNS,
  `select ${NAMES} from post p left join post_metrics m on m.post_id = p.id where p.id = any($1::bigint[]) and ${SHOWN} order by p.id`,
)

/** Whom some personas follow. As text: the driver takes ten times as long to read an array. */
export const followsOf = statement(
  'mirror_follows_of',
  { source_id: 'int8', target_ids: 'text' },
  `select source_id, string_agg(target_id::text, ',') as target_ids from follow where source_id = any($1::bigint[]) and not pending group by 1`,
)
export const mutesOfPersonas = statement(
  'mirror_mutes',
  { source_id: 'int8', target_id: 'int8' },
  'select source_id, target_id from mute where source_id in (select user_id from persona where seed = $1 and position < $2)',
)
export const blocksOfPersonas = statement(
  'mirror_blocks',
  { source_id: 'int8', target_id: 'int8' },
  `select source_id, target_id from block where source_id in (select user_id from persona where seed = $1 and position < $2)
      or target_id in (select user_id from persona where seed = $1 and position < $2)`,
)
/** Users whom not everybody may see. */
export const hiddenUsers = statement(
  'mirror_hidden_users',
  { id: 'int8', protected: 'bool', suspended: 'bool' },
  'select id, protected, suspended from user_account where protected or suspended',
)

/** Communities whose posts only members see. */
export const closedCommunities = statement(
  'mirror_closed_communities',
  { id: 'int8' },
  `select id from community where access = 'Closed'`,
)

const eventColumns = {
  sequence: 'int8?',
  type: 'text',
  actor_id: 'int8?',
  target_id: 'int8?',
  post_id: 'int8?',
  payload: 'jsonb',
} as const
/**
 * Events after a sequence, and those that are committed and not in the log yet, as one snapshot: whoever applies all of them in this
 * order, and later the second ones again, has the state of the database.
 */
export const eventsSince = statement(
  'mirror_events_since',
  eventColumns,
  `(select place as sequence, type, actor_id, target_id, post_id, payload from event_log where place > $1 order by place limit $2)
   union all
   (select null, type, actor_id, target_id, post_id, payload from event_outbox order by id limit $2)`,
)
