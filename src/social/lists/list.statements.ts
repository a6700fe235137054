import { statement } from '../../storage/statement.ts'
import { keyedList } from '../keyed-list.ts'

/** How many lists a user can have, how many members a list, and how many lists a user can pin. */
export const MOST_LISTS = 1_000
export const MOST_MEMBERS = 5_000
export const MOST_PINS = 5

/** Makes list `$1` of user `$2`, unless they have as many as a user can have. The caller holds the lock of the user. */
export const listAdd = statement(
  'list_add',
  { id: 'int8' },
  `with made as (
     insert into list (id, owner_id, name, description, private, created_at)
     select $1::bigint, $2::bigint, $3, $4, $5, $6 where (select count(*) from list where owner_id = $2) < ${MOST_LISTS} returning id
   )
   insert into list_metrics (list_id) select id from made returning list_id as id`,
)

const held = { owner_id: 'int8', private: 'bool' } as const

/** Holds a list until the transaction ends: changes to it and to its members come one after the other. */
export const listHold = statement(
  'list_hold',
  held,
  'select owner_id, private from list where id = $1 for no key update',
)
/** Holds a list as it is. Several users can follow it at the same time. */
export const listShare = statement('list_share', held, 'select owner_id, private from list where id = $1 for share')

export const listUpdate = statement(
  'list_update',
  {},
  `update list set name = coalesce($2, name), description = coalesce($3, description), private = coalesce($4, private) where id = $1`,
)
export const listRemove = statement('list_remove', {}, 'delete from list where id = $1')

// Remembers until when the public memberships of the subquery `gone` lasted.
const remembered = (moment: string) =>
  `former as (
     insert into list_former_member (list_id, user_id, since_id, until_id)
     select list_id, user_id, since_id, ${moment}::bigint from gone where not private
   )`

/** Makes the memberships of a list private or public from the moment `$3` on, and returns the members. */
export const membersShift = statement(
  'list_members_shift',
  { user_id: 'int8' },
  `with gone as materialized (select list_id, user_id, since_id, private from list_member where list_id = $1 and private <> $2::bool),
   ${remembered('$3')}
   update list_member m set private = $2, since_id = $3 from gone where m.list_id = gone.list_id and m.user_id = gone.user_id returning m.user_id`,
)
/** Ends what others than the owner have of a list: follows and pins. */
export const usesEnd = statement(
  'list_uses_end',
  {},
  `with pins as (delete from list_pin where list_id = $1 and user_id <> $2)
   delete from list_follow where list_id = $1 and user_id <> $2`,
)
export const membersEnd = statement(
  'list_members_end',
  { user_id: 'int8' },
  `with gone as (delete from list_member where list_id = $1 returning list_id, user_id, since_id, private), ${remembered('$2')}
   select user_id from gone`,
)

/**
 * Adds user `$2` to list `$1` of owner `$4`, unless one of them blocks the other or the list is full. The caller holds the list
 * and the lock of both users.
 */
export const memberAdd = statement(
  'list_member_add',
  { blocked: 'bool', is_full: 'bool', is_made: 'bool' },
  `with barrier as (
     select exists (select from block where source_id = $4 and target_id = $2)
         or exists (select from block where source_id = $2 and target_id = $4) as blocked,
       (select member_count from list_metrics where list_id = $1) >= ${MOST_MEMBERS}
         and not exists (select from list_member where list_id = $1 and user_id = $2) as is_full
   ), made as (
     insert into list_member (list_id, user_id, id, private, since_id)
     select $1::bigint, u.id, $3::bigint, $5::bool, $3::bigint from user_account u, barrier b where u.id = $2 and not b.blocked and not b.is_full
     on conflict do nothing returning user_id
   )
   select blocked, is_full, exists (select from made) as is_made from barrier`,
)
export const memberRemove = statement(
  'list_member_remove',
  { user_id: 'int8' },
  `with gone as (delete from list_member where list_id = $1 and user_id = $2 returning list_id, user_id, since_id, private),
   ${remembered('$3')}
   select user_id from gone`,
)

// The caller holds the list and the lock of follower and owner.
const BLOCKED = `exists (select from block where source_id = $4 and target_id = $1)
         or exists (select from block where source_id = $1 and target_id = $4)`

/** User `$1` follows list `$2` of owner `$4`, unless one of them blocks the other. */
export const followAdd = statement(
  'list_follow_add',
  { blocked: 'bool' },
  `with barrier as (select ${BLOCKED} as blocked), made as (
     insert into list_follow (user_id, list_id, id) select $1::bigint, $2::bigint, $3::bigint from barrier where not blocked
     on conflict do nothing
   )
   select blocked from barrier`,
)
export const followRemove = statement(
  'list_follow_remove',
  {},
  'delete from list_follow where user_id = $1 and list_id = $2',
)
/** User `$1` pins list `$2` of owner `$4`, unless one of them blocks the other or they have as many pins as a user can have. */
export const pinAdd = statement(
  'list_pin_add',
  { blocked: 'bool', is_full: 'bool' },
  `with barrier as (
     select ${BLOCKED} as blocked, (select count(*) from list_pin where user_id = $1 and list_id <> $2) >= ${MOST_PINS} as is_full
   ), made as (
     insert into list_pin (user_id, list_id, id) select $1::bigint, $2::bigint, $3::bigint from barrier where not blocked and not is_full
     on conflict do nothing
   )
   select blocked, is_full from barrier`,
)
export const pinRemove = statement('list_pin_remove', {}, 'delete from list_pin where user_id = $1 and list_id = $2')
export const pinnedLists = statement(
  'lists_pinned',
  { id: 'int8' },
  `select list_id as id from list_pin where user_id = $1 order by id desc limit ${MOST_PINS}`,
)

const ofEither = `(select l.id, $2::bigint from list l where l.owner_id = $1 union all select l.id, $1::bigint from list l where l.owner_id = $2)`

/** Takes each of two users out of the lists of the other. */
export const membershipsBetweenEnd = statement(
  'list_memberships_between_end',
  { list_id: 'int8', user_id: 'int8' },
  `with gone as (
     delete from list_member where (list_id, user_id) in ${ofEither} returning list_id, user_id, since_id, private
   ), ${remembered('$3')}
   select list_id, user_id from gone`,
)
/** Forgets memberships that ended before the moment `$1`. */
export const formerMembersPrune = statement(
  'list_former_members_prune',
  {},
  'delete from list_former_member where until_id < $1',
)
/** Ends the follows and pins that two users have of the lists of each other. */
export const usesBetweenEnd = statement(
  'list_uses_between_end',
  { list_id: 'int8' },
  `with pins as (delete from list_pin where (list_id, user_id) in ${ofEither})
   delete from list_follow where (list_id, user_id) in ${ofEither} returning list_id`,
)

/** Who is in a list. */
export const members = keyedList('list_members', {
  key: 'id',
  id: 'user_id',
  from: 'list_member',
  where: 'list_id = $1',
})
/** Who follows a list. */
export const followers = keyedList('list_followers', {
  key: 'id',
  id: 'user_id',
  from: 'list_follow',
  where: 'list_id = $1',
})

// `$4` is the viewer. Private lists are their owner's only, who can have at most a thousand.
const SHOWN = '(not l.private or l.owner_id = $4::bigint)'

/** The lists that a user made. */
export const ownedLists = keyedList('lists_owned', {
  key: 'l.id',
  id: 'l.id',
  from: 'list l',
  where: `l.owner_id = $1 and ${SHOWN}`,
})
/** The lists that a user follows. */
export const followedLists = keyedList('lists_followed', {
  key: 'f.id',
  id: 'f.list_id',
  from: 'list_follow f join list l on l.id = f.list_id',
  where: `f.user_id = $1 and ${SHOWN}`,
})

const memberships = (beyond: '<' | '>', order: 'asc' | 'desc') =>
  `select key, id from (
     (select m.id as key, m.list_id as id from list_member m
       where m.user_id = $1 and not m.private and m.id ${beyond} $2 order by m.id ${order} limit $3)
     union all
     (select m.id, m.list_id from list l join list_member m on m.list_id = l.id and m.user_id = $1
       where l.owner_id = $4::bigint and l.private and m.id ${beyond} $2 order by m.id ${order} limit $3)
   ) found order by key ${order} limit $3`

/** The lists that a user is in: all public ones, and the private ones of the viewer `$4`. */
export const listMemberships = {
  older: statement('list_memberships_older', { key: 'int8', id: 'int8' }, memberships('<', 'desc')),
  newer: statement('list_memberships_newer', { key: 'int8', id: 'int8' }, memberships('>', 'asc')),
}
