import { statement } from '../../storage/statement.ts'

export const muteAdd = statement(
  'mute_add',
  { id: 'int8' },
  `insert into mute (source_id, target_id, id) select $1, t.id, $3 from user_account t where t.id = $2 on conflict do nothing returning id`,
)
export const muteRemove = statement('mute_remove', {}, 'delete from mute where source_id = $1 and target_id = $2')

const keyed = { key: 'int8', id: 'int8' } as const

/** Whom a user mutes, newest first, behind a key; and the other way, nearest first. */
export const mutingOlder = statement(
  'muting_older',
  keyed,
  'select id as key, target_id as id from mute where source_id = $1 and id < $2 order by key desc limit $3',
)
export const mutingNewer = statement(
  'muting_newer',
  keyed,
  'select id as key, target_id as id from mute where source_id = $1 and id > $2 order by key limit $3',
)
