import { isStorableId } from '../../../process/ids.ts'
import { communityUpdate, membersAdd } from '../../../social/communities/community.statements.ts'
import { communityText, createCommunity } from '../../../social/communities/create-community.ts'
import { statement } from '../../../storage/statement.ts'
import type { WorldCommunity } from '../things.schema.ts'
import { type Applying, KeyedIds } from './applying.ts'

const communitiesRead = statement(
  'world_communities_read',
  { id: 'int8', name: 'text', description: 'text', access: 'text', join_policy: 'text', member_ids: 'int8[]' },
  `select c.id, c.name, c.description, c.access, c.join_policy,
          array(select m.user_id from community_member m where m.community_id = c.id) as member_ids
     from community c where c.id = any($1::bigint[]) or c.name = any($2::text[]) order by c.id`,
)
type Row = NonNullable<Awaited<ReturnType<typeof communitiesRead.first>>>

/** Creates and changes the communities of a file, and finds those that its posts name. */
export async function applyCommunities(run: Applying): Promise<void> {
  const drafts = run.world.communities ?? []
  const names = (run.world.posts ?? []).flatMap((post) => post.community ?? [])
  const known = [...drafts.map((draft) => draft.key ?? draft.name), ...names].flatMap(
    (key) => run.items.find('community', key)?.id ?? [],
  )
  const ids = [...known, ...drafts.flatMap((draft) => draft.id ?? []), ...names.filter(isStorableId)]
  const wanted = [...names, ...drafts.map((draft) => draft.name)]
  const rows = wanted.length + ids.length === 0 ? [] : await communitiesRead.all(run.tx, ids, wanted)
  for (const row of rows.toReversed()) for (const name of [row.id, row.name]) run.communities.set(name, row.id)
  for (const name of names) {
    const id = run.items.find('community', name)?.id
    if (rows.some((row) => row.id === id)) run.communities.set(name, id!)
  }
  const fresh = new KeyedIds(rows.map((row) => row.id))
  for (const [index, draft] of drafts.entries()) {
    const where = `communities[${index}]`
    const key = draft.key ?? draft.name
    const id = draft.id ?? run.items.find('community', key)?.id ?? rows.find((row) => row.name === draft.name)?.id
    const row = rows.find((item) => item.id === id)
    const admin = run.user(draft.admin, `${where}.admin`)
    const members = (draft.members ?? []).flatMap((name, at) => run.user(name, `${where}.members[${at}]`)?.id ?? [])
    run.stopOnFaults()
    const made = row?.id ?? id ?? fresh.of(run.now, 'community', key)
    if (row) await changeCommunity(run, draft, row, [admin!.id, ...members], where)
    else {
      const { name, description, access, join_policy: joinPolicy } = draft
      const community = { id: made, creatorId: admin!.id, memberIds: members, name, description, access, joinPolicy }
      await run.checking(where, undefined, () => createCommunity(run.tx, run.invalidate, community))
      run.report.add('created', 'community', draft.name)
    }
    run.items.keep({ kind: 'community', key, id: made })
    for (const name of [key, draft.name, made]) run.communities.set(name, made)
  }
  run.stopOnFaults()
}

async function changeCommunity(
  run: Applying,
  draft: WorldCommunity,
  row: Row,
  members: string[],
  where: string,
): Promise<void> {
  if (draft.access !== undefined && draft.access !== row.access)
    run.fault(`${where}.access`, draft.access, `the community ${row.name} exists, and its access cannot change`)
  const text = communityText(draft.name, draft.description ?? row.description)
  const policy = draft.join_policy ?? row.join_policy
  const added = members.filter((id) => !row.member_ids.includes(id))
  const isSame = text.name === row.name && text.description === row.description && policy === row.join_policy
  if (!isSame) await communityUpdate.count(run.tx, row.id, text.name, text.description, policy, text.words)
  if (added.length > 0) await membersAdd.count(run.tx, row.id, added, 'member')
  const outcome = isSame && added.length === 0 ? 'unchanged' : 'changed'
  run.report.add(outcome, 'community', draft.name)
}
