import { blockUser } from '../../../social/blocks/block.ts'
import { statement } from '../../../storage/statement.ts'
import { type NewRelation, storeFollows } from '../../bulk/store-follows.ts'
import type { Applying } from './applying.ts'

const relationsAdd = (table: 'block' | 'mute') =>
  `insert into ${table} (source_id, target_id, id) select * from unnest($1::bigint[], $2::bigint[], $3::bigint[]) on conflict do nothing
   returning source_id, target_id`
const blocksAdd = statement('world_blocks_add', { source_id: 'int8', target_id: 'int8' }, relationsAdd('block'))
const mutesAdd = statement('world_mutes_add', { source_id: 'int8', target_id: 'int8' }, relationsAdd('mute'))
/** Pairs of users who have something that a block ends. */
const pairsInTouch = statement(
  'world_pairs_in_touch',
  { source_id: 'int8', target_id: 'int8' },
  `select k.source_id, k.target_id from unnest($1::bigint[], $2::bigint[]) as k (source_id, target_id)
    where exists (select from follow f where (f.source_id, f.target_id) in ((k.source_id, k.target_id), (k.target_id, k.source_id)))
       or exists (select from list l join list_member m on m.list_id = l.id where (l.owner_id, m.user_id) in ((k.source_id, k.target_id), (k.target_id, k.source_id)))
       or exists (select from list l join list_follow m on m.list_id = l.id where (l.owner_id, m.user_id) in ((k.source_id, k.target_id), (k.target_id, k.source_id)))`,
)

/** Pairs of users of whom one blocks the other. */
const pairsBlocked = statement(
  'world_pairs_blocked',
  { source_id: 'int8', target_id: 'int8' },
  `select k.source_id, k.target_id from unnest($1::bigint[], $2::bigint[]) as k (source_id, target_id)
    where exists (select from block b where (b.source_id, b.target_id) in ((k.source_id, k.target_id), (k.target_id, k.source_id)))`,
)

type Kind = 'follows' | 'blocks' | 'mutes'

/** Creates the follows, blocks and mutes of a file. */
export async function applyRelations(run: Applying): Promise<void> {
  const [blocks, follows, mutes] = (['blocks', 'follows', 'mutes'] as const).map((kind) => relationsOf(run, kind))
  run.stopOnFaults()
  await applyBlocks(run, blocks!)
  await refuseBlockedFollows(run, follows!)
  report(run, 'follow', follows!, await storeFollows(run.tx, follows!))
  report(run, 'mute', mutes!, await mutesAdd.all(run.tx, ...columns(mutes!)))
}

function relationsOf(run: Applying, kind: Kind): NewRelation[] {
  const relations: NewRelation[] = []
  for (const [at, user] of (run.world.users ?? []).entries()) {
    const source = run.users.get(user.username.toLowerCase())!
    const targets = new Set<string>()
    for (const [index, name] of (user[kind] ?? []).entries()) {
      const where = `users[${at}].${kind}[${index}]`
      const target = run.user(name, where)
      if (!target) continue
      if (target.id === source.id) run.fault(where, name, 'is the user themselves')
      if (targets.has(target.id)) run.fault(where, name, 'is named twice')
      targets.add(target.id)
      relations.push({ sourceId: source.id, targetId: target.id, id: run.runtime.ids.next() })
    }
  }
  return relations
}

/** A block ends the follows between two users, in both directions. */
async function refuseBlockedFollows(run: Applying, follows: readonly NewRelation[]): Promise<void> {
  const [sources, targets] = columns(follows)
  const blocked = await pairsBlocked.all(run.tx, sources, targets)
  if (blocked.length === 0) return
  const pairs = new Set(blocked.map((row) => `${row.source_id} ${row.target_id}`))
  for (const [at, user] of (run.world.users ?? []).entries())
    for (const [index, name] of (user.follows ?? []).entries()) {
      const [source, target] = [run.users.get(user.username.toLowerCase()), run.user(name, '')]
      if (pairs.has(`${source?.id} ${target?.id}`))
        run.fault(`users[${at}].follows[${index}]`, name, 'one of the two blocks the other')
    }
  run.stopOnFaults()
}

async function applyBlocks(run: Applying, blocks: readonly NewRelation[]): Promise<void> {
  const made = await blocksAdd.all(run.tx, ...columns(blocks))
  const inTouch = await pairsInTouch.all(
    run.tx,
    made.map((row) => row.source_id),
    made.map((row) => row.target_id),
  )
  // Few: a file that blocks whom a user followed before.
  for (const { source_id, target_id } of inTouch)
    await blockUser(run.tx, run.invalidate, run.runtime, { sourceId: source_id, targetId: target_id })
  report(run, 'block', blocks, made)
}

const columns = (relations: readonly NewRelation[]) =>
  [
    relations.map((relation) => relation.sourceId),
    relations.map((relation) => relation.targetId),
    relations.map((relation) => relation.id),
  ] as const

function report(
  run: Applying,
  kind: string,
  all: readonly NewRelation[],
  made: readonly { source_id: string; target_id: string }[],
): void {
  for (const { source_id, target_id } of made)
    run.report.add('created', kind, `@${run.users.get(source_id)?.username} @${run.users.get(target_id)?.username}`)
  run.report.add('unchanged', kind, '', all.length - made.length)
}
