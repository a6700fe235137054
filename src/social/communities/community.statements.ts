import { type RowOf, statement } from '../../storage/statement.ts'

const communityColumns = {
  id: 'int8',
  name: 'text',
  description: 'text',
  access: 'text',
  join_policy: 'text',
  member_count: 'int4',
  created_at: 'timestamptz',
} as const
const names = Object.keys(communityColumns).join(', ')

/** What is stored of a community. */
export type CommunityRow = RowOf<typeof communityColumns>

export const communitiesById = statement(
  'communities_by_id',
  communityColumns,
  `select ${names} from community where id = any($1::bigint[])`,
)
/** Locks a community: whatever changes it or its members waits for the others, so its count is exact. */
export const communityLock = statement(
  'community_lock',
  communityColumns,
  `select ${names} from community where id = $1 for no key update`,
)
export const communityAdd = statement(
  'community_add',
  {},
  `insert into community (id, name, description, access, join_policy, words, created_at) values ($1, $2, $3, $4, $5, $6, $7)`,
)
export const communityUpdate = statement(
  'community_update',
  {},
  'update community set name = $2, description = $3, join_policy = $4, words = $5 where id = $1',
)
/** Communities that have all words of `$1`, before the id `$2` or after it. */
const found = (beyond: '<' | '>', order: 'asc' | 'desc') =>
  `select id from community where words @> $1::text[] and id ${beyond} $2 order by id ${order} limit $3`
export const communitiesOlder = statement('communities_found_older', { id: 'int8' }, found('<', 'desc'))
export const communitiesNewer = statement('communities_found_newer', { id: 'int8' }, found('>', 'asc'))

/** The roles of users `$1` in communities `$2`, pair by pair; no row for who is not a member. */
export const rolesOf = statement(
  'community_roles',
  { user_id: 'int8', community_id: 'int8', role: 'text' },
  `select m.user_id, m.community_id, m.role from unnest($1::bigint[], $2::bigint[]) as k (user_id, community_id)
     join community_member m on m.community_id = k.community_id and m.user_id = k.user_id`,
)
export const otherAdmins = statement(
  'community_other_admins',
  { exists: 'bool' },
  `select exists (select from community_member where community_id = $1 and role = 'admin' and user_id <> $2) as exists`,
)
/** Adds members who are new, counts them, and ends their requests and invitations. */
export const membersAdd = statement(
  'community_members_add',
  {},
  `with added as (
     insert into community_member (community_id, user_id, role) select $1, m.id, $3 from unnest($2::bigint[]) as m (id)
     on conflict do nothing returning user_id
   ), asked as (
     delete from community_request where community_id = $1 and user_id = any($2::bigint[])
   ), invited as (
     delete from community_invitation where community_id = $1 and user_id = any($2::bigint[])
   )
   update community set member_count = member_count + (select count(*) from added) where id = $1`,
)
export const memberRemove = statement(
  'community_member_remove',
  {},
  `with removed as (delete from community_member where community_id = $1 and user_id = $2 returning community_id)
   update community c set member_count = member_count - 1 from removed where c.id = removed.community_id`,
)
export const memberRole = statement(
  'community_member_role',
  {},
  'update community_member set role = $3 where community_id = $1 and user_id = $2',
)
export const membersAfter = statement(
  'community_members_after',
  { id: 'int8', username: 'text', role: 'text' },
  `select u.id, u.username, m.role from community_member m join user_account u on u.id = m.user_id
    where m.community_id = $1 and m.user_id > $2 order by m.user_id limit $3`,
)

export const requestAdd = statement(
  'community_request_add',
  {},
  'insert into community_request (community_id, user_id) values ($1, $2) on conflict do nothing',
)
export const requestRemove = statement(
  'community_request_remove',
  {},
  'delete from community_request where community_id = $1 and user_id = $2',
)
/** Who asked to join a community `$1`, in the order of their accounts. */
export const requestsOf = statement(
  'community_requests_of',
  { user_id: 'int8' },
  'select user_id from community_request where community_id = $1 order by user_id limit $2',
)
export const invitationRemove = statement(
  'community_invitation_remove',
  {},
  'delete from community_invitation where community_id = $1 and user_id = $2',
)
export const invitationAdd = statement(
  'community_invitation_add',
  {},
  'insert into community_invitation (community_id, user_id) values ($1, $2) on conflict do nothing',
)
export const invitationFind = statement(
  'community_invitation_find',
  { user_id: 'int8' },
  'select user_id from community_invitation where community_id = $1 and user_id = $2',
)

/** What a user `$1` is to a community `$2`: a member by role, invited, or with a request to join. */
export const stateInCommunity = statement(
  'community_state_of_user',
  { state: 'text' },
  `select role as state from community_member where community_id = $2 and user_id = $1
   union all select 'invited' from community_invitation where community_id = $2 and user_id = $1
   union all select 'requested' from community_request where community_id = $2 and user_id = $1 limit 1`,
)

/** The communities of a user: as a member by role, invited, or with a request to join. */
export const communitiesOfUser = statement(
  'communities_of_user',
  { id: 'int8', state: 'text' },
  `select community_id as id, min(state) as state from (
     select m.community_id, m.role as state from community_member m where m.user_id = $1
     union all select i.community_id, 'invited' from community_invitation i where i.user_id = $1
     union all select r.community_id, 'requested' from community_request r where r.user_id = $1) c
   group by 1 order by 1 desc limit $2`,
)
