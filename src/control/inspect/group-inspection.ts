import { closed, Type, words } from '../../api-kit/declaring/schema.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { ListId } from '../../social/ids.ts'
import { SpaceId } from '../../social/spaces/space-ids.ts'
import { statement } from '../../storage/statement.ts'
import { type Command, defineCommand, findUser, NameOrId } from '../command.ts'
import { beforeId, DEFAULT_LIMIT, PageArgs, paged, SearchText } from './page.ts'

const optional = Type.Optional

// Lists, spaces and communities are few beside posts and users. A search in them compares texts and ids along the key.
const contains = (column: string, placeholder: string): string =>
  `(${placeholder}::text is null or position(lower(${placeholder}) in lower(${column})) > 0)`

const listColumns = {
  id: 'int8',
  owner_id: 'int8',
  owner: 'text',
  name: 'text',
  description: 'text',
  private: 'bool',
  member_count: 'int4',
  follower_count: 'int4',
  created_at: 'timestamptz',
} as const
const LISTED = `select l.id, l.owner_id, u.username as owner, l.name, l.description, l.private, coalesce(m.member_count, 0) as member_count,
       coalesce(m.follower_count, 0) as follower_count, l.created_at
  from list l join user_account u on u.id = l.owner_id left join list_metrics m on m.list_id = l.id`
const listsAll = statement(
  'inspect_lists',
  listColumns,
  `${LISTED} where l.id < $1 and (${contains('l.name', '$3')} or l.id::text = $3) order by l.id desc limit $2`,
)
const listsOfOwner = statement(
  'inspect_lists_of_owner',
  listColumns,
  `${LISTED} where l.id < $1 and l.owner_id = $4 and (${contains('l.name', '$3')} or l.id::text = $3) order by l.id desc limit $2`,
)
const listFind = statement('inspect_list', listColumns, `${LISTED} where l.id = $1`)
const listMembers = statement(
  'inspect_list_members',
  { key: 'int8', id: 'int8', username: 'text', name: 'text', suspended: 'bool', protected: 'bool' },
  `select m.id as key, u.id, u.username, u.name, u.suspended, u.protected from list_member m join user_account u on u.id = m.user_id
    where m.list_id = $3 and m.id < $1 order by m.id desc limit $2`,
)

const spaceColumns = {
  id: 'text',
  creator_id: 'int8',
  creator: 'text',
  state: 'text',
  title: 'text',
  is_ticketed: 'bool',
  participant_count: 'int4',
  subscriber_count: 'int4',
  scheduled_start: 'timestamptz?',
  started_at: 'timestamptz?',
  ended_at: 'timestamptz?',
  created_at: 'timestamptz',
} as const
const spacesFound = statement(
  'inspect_spaces',
  spaceColumns,
  `select s.id, s.creator_id, u.username as creator, s.state, s.title, s.is_ticketed, s.participant_count, s.subscriber_count, s.scheduled_start,
          s.started_at, s.ended_at, s.created_at
     from space s join user_account u on u.id = s.creator_id
    where s.id < $1 and ($4::bigint is null or s.creator_id = $4) and ($5::text is null or s.state = $5) and (${contains('s.title', '$3')} or s.id = $3)
    order by s.id desc limit $2`,
)
/** After every id of a space, which has letters and digits. */
const AFTER_ALL_SPACES = '~'

const communitiesFound = statement(
  'inspect_communities',
  {
    id: 'int8',
    name: 'text',
    description: 'text',
    access: 'text',
    join_policy: 'text',
    member_count: 'int4',
    created_at: 'timestamptz',
    role: 'text?',
  },
  `select c.id, c.name, c.description, c.access, c.join_policy, c.member_count, c.created_at, m.role
     from community c left join community_member m on m.community_id = c.id and m.user_id = $4
    where c.id < $1 and ($4::bigint is null or m.user_id is not null) and (${contains("c.name || ' ' || c.description", '$3')} or c.id::text = $3)
    order by c.id desc limit $2`,
)

const Search = { user: optional(NameOrId), query: optional(SearchText), ...PageArgs }

const withNext = (next: string | undefined) => (next === undefined ? {} : { next })

export const listsList = defineCommand(
  'lists.list',
  closed(Search),
  async (runtime, { user: who, query, after, limit = DEFAULT_LIMIT }) => {
    const owner = who === undefined ? undefined : await findUser(runtime, who, 'user')
    const found = [beforeId(after), limit + 1, query ?? null] as const
    const rows = owner
      ? await listsOfOwner.all(runtime.database, ...found, owner.id)
      : await listsAll.all(runtime.database, ...found)
    const { page, next } = paged(rows, limit, (row) => row.id)
    return { lists: page, ...withNext(next) }
  },
)

export const listsShow = defineCommand(
  'lists.show',
  closed({ list: ListId, ...PageArgs }),
  async (runtime, { list: id, after, limit = DEFAULT_LIMIT }) => {
    const list = isStorableId(id) ? await listFind.first(runtime.database, id) : undefined
    if (!list) throw blank(404, `There is no list [${id}].`)
    const rows = await listMembers.all(runtime.database, beforeId(after), limit + 1, id)
    const { page, next } = paged(rows, limit, (row) => row.key)
    return { list, members: page.map(({ key: _key, ...member }) => member), ...withNext(next) }
  },
)

export const spacesList = defineCommand(
  'spaces.list',
  closed({
    ...Search,
    state: optional(words(['scheduled', 'live', 'ended', 'cancelled'])),
    after: optional(SpaceId),
  }),
  async (runtime, { user: who, query, state, after = AFTER_ALL_SPACES, limit = DEFAULT_LIMIT }) => {
    const creator = who === undefined ? undefined : await findUser(runtime, who, 'user')
    const rows = await spacesFound.all(
      runtime.database,
      after,
      limit + 1,
      query ?? null,
      creator?.id ?? null,
      state ?? null,
    )
    const { page, next } = paged(rows, limit, (row) => row.id)
    return { spaces: page, ...withNext(next) }
  },
)

export const communitiesList = defineCommand(
  'communities.list',
  closed(Search),
  async (runtime, { user: who, query, after, limit = DEFAULT_LIMIT }) => {
    const member = who === undefined ? undefined : await findUser(runtime, who, 'user')
    const before = beforeId(after)
    const rows = await communitiesFound.all(runtime.database, before, limit + 1, query ?? null, member?.id ?? null)
    const { page, next } = paged(rows, limit, (row) => row.id)
    const communities = page.map(({ role, ...row }) => (role === null ? row : { ...row, role }))
    return { communities, ...withNext(next) }
  },
)

/** The commands that show lists, spaces and communities to an operator. */
export const groupInspection: readonly Command[] = [listsList, listsShow, spacesList, communitiesList]
