import { statement } from '../../storage/statement.ts'
import { keyedList } from '../keyed-list.ts'

export const muteAdd = statement(
  'mute_add',
  { id: 'int8' },
  `insert into mute (source_id, target_id, id) select $1, t.id, $3 from user_account t where t.id = $2 on conflict do nothing returning id`,
)
export const muteRemove = statement('mute_remove', {}, 'delete from mute where source_id = $1 and target_id = $2')

/** Whom a user mutes. */
export const muting = keyedList('muting', { key: 'id', id: 'target_id', from: 'mute', where: 'source_id = $1' })
