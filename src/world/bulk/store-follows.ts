import { octavesMoved } from '../../social/users/user-terms.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

// A request becomes a follow: whoever stores follows in bulk acts for both users.
const followsAdd = statement(
  'follows_add',
  { source_id: 'int8', target_id: 'int8' },
  `with made as (
     insert into follow as f (source_id, target_id, id) select * from unnest($1::bigint[], $2::bigint[], $3::bigint[])
     on conflict (source_id, target_id) do update set pending = false, id = excluded.id where f.pending
     returning source_id, target_id
   ), sides as (
     select source_id as user_id, 1 as following, 0 as followers, 0 as verified from made
     union all
     select m.target_id, 0, 1, (u.verified_type <> 'none')::int from made m join user_account u on u.id = m.source_id
   ), counted as (
     update user_metrics m set following_count = m.following_count + c.following, followers_count = m.followers_count + c.followers,
       verified_followers_count = m.verified_followers_count + c.verified
       from (select user_id, sum(following)::int as following, sum(followers)::int as followers, sum(verified)::int as verified from sides group by 1) c
      where m.user_id = c.user_id
     returning m.user_id, m.followers_count as followers, c.followers as added
   ), octaves as (${octavesMoved('select * from counted')})
   select source_id, target_id from made`,
)

/** A relation between two users, to be stored under an id of its own. */
export interface NewRelation {
  sourceId: string
  targetId: string
  id: string
}

/** Stores follows that do not exist yet, with exact counters, and returns them. */
export function storeFollows(
  tx: Tx,
  follows: readonly NewRelation[],
): Promise<{ source_id: string; target_id: string }[]> {
  return followsAdd.all(
    tx,
    follows.map((follow) => follow.sourceId),
    follows.map((follow) => follow.targetId),
    follows.map((follow) => follow.id),
  )
}
