import { updateList } from '../../../social/lists/change-list.ts'
import { listAdd } from '../../../social/lists/list.statements.ts'
import { statement } from '../../../storage/statement.ts'
import type { WorldList } from '../things.schema.ts'
import { type Applying, KeyedIds } from './applying.ts'

const listsRead = statement(
  'world_lists_read',
  { id: 'int8', owner_id: 'int8', name: 'text', description: 'text', private: 'bool' },
  `select id, owner_id, name, description, private from list
    where id = any($1::bigint[]) or (owner_id, name) in (select * from unnest($2::bigint[], $3::text[])) order by id`,
)
type Row = NonNullable<Awaited<ReturnType<typeof listsRead.first>>>
const membersAdd = statement(
  'world_list_members_add',
  { user_id: 'int8' },
  `insert into list_member (list_id, user_id, id, private, since_id)
   select m.list_id, m.user_id, m.id, l.private, m.id
     from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as m (list_id, user_id, id) join list l on l.id = m.list_id
   on conflict do nothing returning user_id`,
)
const followersAdd = statement(
  'world_list_followers_add',
  { user_id: 'int8' },
  `insert into list_follow (list_id, user_id, id) select * from unnest($1::bigint[], $2::bigint[], $3::bigint[])
   on conflict do nothing returning user_id`,
)
const pairsBlocked = statement(
  'world_list_pairs_blocked',
  { list_id: 'int8', user_id: 'int8' },
  `select m.list_id, m.user_id from unnest($1::bigint[], $2::bigint[]) as m (list_id, user_id) join list l on l.id = m.list_id
    where exists (select from block b where (b.source_id, b.target_id) in ((l.owner_id, m.user_id), (m.user_id, l.owner_id)))`,
)

const keyOf = (draft: WorldList): string => draft.key ?? `${draft.owner.replace(/^@/, '').toLowerCase()}/${draft.name}`

/** The keys of the lists of a file. */
export const listKeys = (drafts: readonly WorldList[]): string[] => drafts.map(keyOf)

/** Creates and changes the lists of a file, with their members and followers. */
export async function applyLists(run: Applying): Promise<void> {
  const drafts = run.world.lists ?? []
  if (drafts.length === 0) return
  const owners = drafts.map((draft, index) => run.user(draft.owner, `lists[${index}].owner`))
  run.stopOnFaults()
  const ids = drafts.flatMap((draft) => draft.id ?? run.items.find('list', keyOf(draft))?.id ?? [])
  const rows = await listsRead.all(
    run.tx,
    ids,
    owners.map((owner) => owner!.id),
    drafts.map((draft) => draft.name),
  )
  const fresh = new KeyedIds(rows.map((row) => row.id))
  const listIds: string[] = []
  for (const [index, draft] of drafts.entries()) {
    const owner = owners[index]!
    const given = draft.id ?? run.items.find('list', keyOf(draft))?.id
    const row =
      rows.find((item) => item.id === given) ??
      (draft.id === undefined ? rows.find((item) => item.owner_id === owner.id && item.name === draft.name) : undefined)
    const id = row?.id ?? given ?? fresh.of(run.now, 'list', keyOf(draft))
    if (listIds.includes(id)) run.fault(`lists[${index}]`, draft.name, `lists[${listIds.indexOf(id)}] is the same list`)
    listIds.push(id)
    if (row && row.owner_id !== owner.id)
      run.fault(
        `lists[${index}].owner`,
        draft.owner,
        `the list ${id} exists and has another owner, which cannot change`,
      )
    run.stopOnFaults()
    if (row) await changeList(run, draft, row)
    else {
      const { name, description = '', private: isPrivate = false } = draft
      const now = new Date(run.now)
      const made = await listAdd.first(run.tx, id, owner.id, name, description, isPrivate, now)
      if (!made) run.fault(`lists[${index}]`, name, `@${owner.username} has as many lists as a user can have`)
      run.report.add('created', 'list', name)
    }
    run.items.keep({ kind: 'list', key: keyOf(draft), id })
  }
  await applyPeople(run, drafts, listIds)
}

async function changeList(run: Applying, draft: WorldList, row: Row): Promise<void> {
  const names = (['name', 'description', 'private'] as const).filter(
    (name) => draft[name] !== undefined && draft[name] !== row[name],
  )
  run.report.add(names.length > 0 ? 'changed' : 'unchanged', 'list', `${draft.name}: ${names.join(', ')}`)
  if (names.length > 0) await updateList(run.tx, run.invalidate, run.runtime, row.id, draft)
}

async function applyPeople(run: Applying, drafts: readonly WorldList[], listIds: readonly string[]): Promise<void> {
  for (const [member, kind, add] of [
    ['members', 'list member', membersAdd],
    ['followers', 'list follower', followersAdd],
  ] as const) {
    const people = drafts.flatMap((draft, at) =>
      (draft[member] ?? []).flatMap((name, index) => {
        const where = `lists[${at}].${member}[${index}]`
        const user = run.user(name, where)
        return user ? [{ listId: listIds[at]!, userId: user.id, where, name }] : []
      }),
    )
    run.stopOnFaults()
    if (people.length === 0) continue
    const columns = [people.map((item) => item.listId), people.map((item) => item.userId)] as const
    for (const row of await pairsBlocked.all(run.tx, ...columns)) {
      const one = people.find((item) => item.listId === row.list_id && item.userId === row.user_id)!
      run.fault(one.where, one.name, 'the user and the owner of the list block each other, or one of them the other')
    }
    run.stopOnFaults()
    const made = await add.all(
      run.tx,
      ...columns,
      people.map(() => run.runtime.ids.next()),
    )
    run.report.add('created', kind, `${made.length} in lists of this file`, made.length)
    run.report.add('unchanged', kind, '', people.length - made.length)
  }
}
