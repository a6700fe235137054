import { change, type House } from '../api-kit/house.ts'
import { invalidParameter } from '../api-kit/problems.ts'
import { closed, type Static, words } from '../api-kit/schema.ts'
import { statement } from '../storage/statement.ts'
import { defineCommand, findUser, Who } from './command.ts'

const RELATIONS = {
  follow: {
    add: statement(
      'control_follow_add',
      {},
      `with made as (
         insert into follow (source_id, target_id, id) values ($1, $2, $3)
         on conflict (source_id, target_id) do update set pending = false where follow.pending
         returning (select u.verified_type <> 'none' from user_account u where u.id = source_id)::int as verified
       ), up as (update user_metrics set following_count = following_count + 1 where user_id = $1 and exists (select from made))
       update user_metrics set followers_count = followers_count + 1, verified_followers_count = verified_followers_count + made.verified
         from made where user_id = $2`,
    ),
    remove: statement(
      'control_follow_remove',
      {},
      `with gone as (
         delete from follow where source_id = $1 and target_id = $2
         returning pending, (select u.verified_type <> 'none' from user_account u where u.id = source_id)::int as verified
       ), down as (update user_metrics set following_count = following_count - 1 where user_id = $1 and exists (select from gone where not pending))
       update user_metrics set followers_count = followers_count - 1, verified_followers_count = verified_followers_count - gone.verified
         from gone where user_id = $2 and not gone.pending`,
    ),
  },
  block: {
    add: statement(
      'control_block_add',
      {},
      'insert into block (source_id, target_id, id) values ($1, $2, $3) on conflict do nothing',
    ),
    remove: statement('control_block_remove', {}, 'delete from block where source_id = $1 and target_id = $2'),
  },
  mute: {
    add: statement(
      'control_mute_add',
      {},
      'insert into mute (source_id, target_id, id) values ($1, $2, $3) on conflict do nothing',
    ),
    remove: statement('control_mute_remove', {}, 'delete from mute where source_id = $1 and target_id = $2'),
  },
}

const RelationArgs = closed({ kind: words(['follow', 'block', 'mute']), source: Who, target: Who })

async function relate(house: House, args: Static<typeof RelationArgs>, verb: 'add' | 'remove') {
  const source = await findUser(house, args.source, 'source')
  const target = await findUser(house, args.target, 'target')
  if (source.id === target.id) throw invalidParameter('target', args.target, `A user can not ${args.kind} themselves.`)
  await change(house, async (tx, touch) => {
    if (verb === 'add') await RELATIONS[args.kind].add.count(tx, source.id, target.id, house.ids.next())
    else await RELATIONS[args.kind].remove.count(tx, source.id, target.id)
    // Who blocks no longer follows, and is no longer followed.
    if (args.kind === 'block' && verb === 'add') {
      await RELATIONS.follow.remove.count(tx, source.id, target.id)
      await RELATIONS.follow.remove.count(tx, target.id, source.id)
    }
    touch('relation', `${source.id}:${target.id}`, `${target.id}:${source.id}`)
    touch('user_metrics', source.id, target.id)
  })
  return { source: source.username, target: target.username, kind: args.kind, exists: verb === 'add' }
}

export const relationAdd = defineCommand('relation.add', RelationArgs, (house, args) => relate(house, args, 'add'))
export const relationRemove = defineCommand('relation.remove', RelationArgs, (house, args) =>
  relate(house, args, 'remove'),
)
