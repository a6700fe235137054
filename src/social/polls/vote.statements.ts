import { statement } from '../../storage/statement.ts'

/**
 * Votes in a poll and counts it. Returns no row for a poll that does not exist, and the earlier vote of a user who has one. The poll
 * is locked, so a concurrent deletion waits and removes the vote too.
 */
export const voteAdd = statement(
  'poll_vote_add',
  { is_open: 'bool', has_option: 'bool', is_new: 'bool', earlier: 'int4?' },
  `with source as (
     select p.id, p.ends_at > $5::timestamptz as is_open,
            exists (select from poll_option o where o.poll_id = p.id and o.position = $3::int) as has_option
       from poll p where p.id = $1::bigint for key share
   ), made as (
     insert into poll_vote (poll_id, user_id, position, id)
     select id, $2::bigint, $3::int, $4::bigint from source where is_open and has_option
     on conflict do nothing returning position
   ), counted as (
     update poll_option o set votes = o.votes + 1 from made where o.poll_id = $1 and o.position = made.position
   )
   select source.is_open, source.has_option, exists (select from made) as is_new,
          (select v.position from poll_vote v where v.poll_id = $1 and v.user_id = $2) as earlier
     from source`,
)

/** The vote of a user, for whoever voted in the same moment and did not see it. */
export const voteOf = statement(
  'poll_vote_of_user',
  { position: 'int4' },
  'select position from poll_vote where poll_id = $1 and user_id = $2',
)
