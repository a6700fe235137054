import { statement } from '../../storage/statement.ts'
import { keyedList } from '../keyed-list.ts'
import { octavesMoved } from '../users/user-terms.ts'

/** Blocks a user and ends the follows and requests between the two. Returns the users whose follows ended. */
export const blockAdd = statement(
  'block_add',
  { made: 'bool', unfollowed_by: 'int8[]' },
  `with made as (
     insert into block (source_id, target_id, id) select $1, t.id, $3 from user_account t where t.id = $2 on conflict do nothing returning id
   ), gone as (
     delete from follow where (source_id = $1 and target_id = $2) or (source_id = $2 and target_id = $1)
     returning source_id, target_id, pending
   ), changes as (
     select u.id, (count(*) filter (where g.source_id = u.id))::int as following, (count(*) filter (where g.target_id = u.id))::int as followers,
            (count(*) filter (where g.target_id = u.id and s.verified_type <> 'none'))::int as verified
       from gone g join user_account s on s.id = g.source_id cross join unnest(array[$1, $2]::bigint[]) as u (id)
      where not g.pending group by u.id
   ), counters as (
     update user_metrics m set following_count = m.following_count - c.following, followers_count = m.followers_count - c.followers,
       verified_followers_count = m.verified_followers_count - c.verified from changes c where m.user_id = c.id
     returning m.user_id, m.followers_count as followers, -c.followers as added
   ), octaves as (${octavesMoved('select user_id, followers, added from counters')})
   select exists (select from made) as made, array(select source_id from gone where not pending) as unfollowed_by`,
)
export const blockRemove = statement('block_remove', {}, 'delete from block where source_id = $1 and target_id = $2')

/** Whom a user blocks. */
export const blocking = keyedList('blocking', { key: 'id', id: 'target_id', from: 'block', where: 'source_id = $1' })
