import { statement } from '../../storage/statement.ts'
import { keyedList } from '../keyed-list.ts'
import { octavesMoved } from '../users/user-terms.ts'

// Counts for both users in one update: $1 follows one more or fewer, $2 has one follower more or fewer.
const counted = (made: string, sign: '+' | '-', condition = 'true') =>
  `counters as (update user_metrics m set following_count = m.following_count ${sign} (m.user_id = $1)::int,
     followers_count = m.followers_count ${sign} (m.user_id = $2)::int,
     verified_followers_count = m.verified_followers_count ${sign} (m.user_id = $2 and s.verified_type <> 'none')::int
     from ${made}, user_account s where s.id = $1 and m.user_id in ($1, $2) and ${condition}
     returning m.user_id, m.followers_count
   ), octaves as (${octavesMoved(`select user_id, followers_count as followers, ${sign}1 as added from counters where user_id = $2`)})`

/** Follows a user, or requests it of a protected account unless $4 approves at once. A block prevents both. Returns the state now. */
export const followAdd = statement(
  'follow_add',
  { blocks: 'bool', blocked_by: 'bool', changed: 'bool', pending: 'bool' },
  `with barrier as (
     select exists (select from block where source_id = $1 and target_id = $2) as blocks,
            exists (select from block where source_id = $2 and target_id = $1) as blocked_by
   ), made as (
     insert into follow (source_id, target_id, id, pending)
     select $1::bigint, t.id, $3::bigint, t.protected and not $4::bool from user_account t, barrier b
      where t.id = $2 and not b.blocks and not b.blocked_by
     on conflict (source_id, target_id) do update set pending = false, id = excluded.id where follow.pending and not excluded.pending
     returning pending
   ), ${counted('made', '+', 'not made.pending')}
   select b.blocks, b.blocked_by, exists (select from made) as changed,
          coalesce((select pending from made), (select f.pending from follow f where f.source_id = $1 and f.target_id = $2), false) as pending
     from barrier b`,
)
/** Ends a follow or withdraws a request; `pending` says which it was. */
export const followRemove = statement(
  'follow_remove',
  { pending: 'bool' },
  `with gone as (delete from follow where source_id = $1 and target_id = $2 returning pending),
   ${counted('gone', '-', 'not gone.pending')}
   select pending from gone`,
)
/** Turns a request into a follow, which lists order by the time of the approval. */
export const followApprove = statement(
  'follow_approve',
  { id: 'int8' },
  `with made as (update follow set pending = false, id = $3 where source_id = $1 and target_id = $2 and pending returning id),
   ${counted('made', '+')}
   select id from made`,
)
export const followRefuse = statement(
  'follow_refuse',
  {},
  'delete from follow where source_id = $1 and target_id = $2 and pending',
)

/** Whom a user follows. Pending requests do not count. */
export const following = keyedList('following', {
  key: 'id',
  id: 'target_id',
  from: 'follow',
  where: 'source_id = $1 and not pending',
})
/** Who follows a user. */
export const followers = keyedList('followers', {
  key: 'id',
  id: 'source_id',
  from: 'follow',
  where: 'target_id = $1 and not pending',
})
