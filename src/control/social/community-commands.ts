import { closed, Type, words } from '../../api-kit/declaring/schema.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { blank, invalidParameter } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { communityRow } from '../../social/communities/community.parts.ts'
import { membersAfter } from '../../social/communities/community.statements.ts'
import { addCommunity, updateCommunity } from '../../social/communities/create-community.ts'
import {
  answerRequest,
  inviteToCommunity,
  joinCommunity,
  leaveCommunity,
  removeMember,
  setRole,
} from '../../social/communities/membership.ts'
import { Access, JoinPolicy } from '../../social/communities/read-communities.ts'
import { CommunityId } from '../../social/ids.ts'
import { type Command, defineCommand, findUser, NameOrId } from '../command.ts'

// The interface has no operations that make communities or change who belongs to them.

const optional = Type.Optional
const CommunityName = Type.String({ minLength: 1, maxLength: 30 })
const Description = Type.String({ maxLength: 160 })

/** A community as commands print it. */
async function shown(runtime: Runtime, id: string) {
  const row = isStorableId(id) ? await runtime.parts.one(communityRow, id) : undefined
  if (!row) throw blank(404, `There is no community [${id}].`)
  const { name, access, join_policy, member_count } = row
  return { id, name, access, join_policy, member_count }
}

const create = defineCommand(
  'communities.create',
  closed({
    user: NameOrId,
    name: CommunityName,
    description: optional(Description),
    access: optional(Access),
    join_policy: optional(JoinPolicy),
  }),
  async (runtime, args) => {
    const creator = await findUser(runtime, args.user, 'user')
    const { name, description, access, join_policy: joinPolicy } = args
    return shown(runtime, await addCommunity(runtime, { creatorId: creator.id, name, description, access, joinPolicy }))
  },
)

const update = defineCommand(
  'communities.update',
  closed({
    community: CommunityId,
    by: NameOrId,
    name: optional(CommunityName),
    description: optional(Description),
    join_policy: optional(JoinPolicy),
  }),
  async (runtime, args) => {
    const admin = await findUser(runtime, args.by, 'by')
    const { name, description, join_policy: joinPolicy } = args
    await updateCommunity(runtime, args.community, admin.id, { name, description, joinPolicy })
    return shown(runtime, args.community)
  },
)

const MemberArgs = closed({ community: CommunityId, user: NameOrId })

const join = defineCommand('communities.join', MemberArgs, async (runtime, args) => {
  const user = await findUser(runtime, args.user, 'user')
  const state = await joinCommunity(runtime, args.community, user.id)
  return { ...(await shown(runtime, args.community)), user: user.username, state }
})

const leave = defineCommand('communities.leave', MemberArgs, async (runtime, args) => {
  const user = await findUser(runtime, args.user, 'user')
  await leaveCommunity(runtime, args.community, user.id)
  return { ...(await shown(runtime, args.community)), user: user.username }
})

/** What a member does about another user. */
const TeamArgs = { community: CommunityId, user: NameOrId, by: NameOrId }

const team = (
  name: string,
  act: (runtime: Runtime, id: string, byId: string, userId: string) => Promise<void>,
): Command =>
  defineCommand(`communities.${name}`, closed(TeamArgs), async (runtime, args) => {
    const [user, by] = [await findUser(runtime, args.user, 'user'), await findUser(runtime, args.by, 'by')]
    await act(runtime, args.community, by.id, user.id)
    return { ...(await shown(runtime, args.community)), user: user.username, by: by.username }
  })

const role = defineCommand(
  'communities.role',
  closed({ ...TeamArgs, role: words(['member', 'moderator', 'admin']) }),
  async (runtime, args) => {
    const [user, by] = [await findUser(runtime, args.user, 'user'), await findUser(runtime, args.by, 'by')]
    await setRole(runtime, args.community, by.id, user.id, args.role)
    return { ...(await shown(runtime, args.community)), user: user.username, role: args.role }
  },
)

const members = defineCommand(
  'communities.members',
  closed({
    community: CommunityId,
    after: optional(Type.String({ maxLength: 19 })),
    limit: optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  }),
  async (runtime, { community, after = '0', limit = 100 }) => {
    if (!isStorableId(after)) throw invalidParameter('after', after, 'after must be the id of a user')
    const facts = await shown(runtime, community)
    return { ...facts, members: await membersAfter.all(runtime.database, community, after, limit) }
  },
)

/** The commands about communities. */
export const communityCommands: readonly Command[] = [
  create,
  update,
  join,
  leave,
  team('invite', inviteToCommunity),
  team('approve', (runtime, id, byId, userId) => answerRequest(runtime, id, byId, userId, true)),
  team('refuse', (runtime, id, byId, userId) => answerRequest(runtime, id, byId, userId, false)),
  team('remove', removeMember),
  role,
  members,
]
