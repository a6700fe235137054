import { statement } from '../../storage/statement.ts'

/** The posts above a post, the first of the conversation first. */
export const ancestorsOf = statement(
  'page_ancestors',
  { id: 'int8' },
  `with recursive above (id, depth) as (
     select in_reply_to_post_id, 1 from post where id = $1
     union all
     select p.in_reply_to_post_id, a.depth + 1 from above a join post p on p.id = a.id where a.depth < $2::int
   )
   select id from above where id is not null order by depth desc`,
)

// What a list of replies never shows, whoever looks.
const SHOWN = 'not r.superseded and not r.nullcast and r.sandbox is null'

/** Direct replies to any version of a post after an id, the oldest first; those that its author has hidden, or the others. */
export const repliesTo = statement(
  'page_replies',
  { id: 'int8' },
  `select found.id from unnest($1::bigint[]) as v (id)
    cross join lateral (
      select r.id from post r where r.in_reply_to_post_id = v.id and r.id > $2 and r.hidden = $3::bool and ${SHOWN} order by r.id limit $4) found
    order by found.id limit $4`,
)

/** The first replies to each of some posts. */
export const nextReplies = statement(
  'page_next_replies',
  { parent_id: 'int8', id: 'int8' },
  `select v.id as parent_id, found.id from unnest($1::bigint[]) as v (id)
    cross join lateral (
      select r.id from post r where r.in_reply_to_post_id = v.id and not r.hidden and ${SHOWN} order by r.id limit $2) found
    order by found.id`,
)

/** Whether the author of a post has hidden replies to it. */
export const hasHiddenReplies = statement(
  'page_has_hidden_replies',
  { hidden: 'bool' },
  `select exists (select from post r where r.in_reply_to_post_id = any($1::bigint[]) and r.hidden and ${SHOWN}) as hidden`,
)
