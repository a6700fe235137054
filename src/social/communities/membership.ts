import { change, type Runtime } from '../../api-kit/runtime.ts'
import { blank, forbidden, invalidParameter } from '../../api-kit/writing/problems.ts'
import { emit } from '../../events/emit.ts'
import { isStorableId } from '../../process/ids.ts'
import type { Tx } from '../../storage/database.ts'
import { userRow } from '../users/user.parts.ts'
import { type Role, roleKey } from './community.parts.ts'
import {
  type CommunityRow,
  communityLock,
  invitationAdd,
  invitationFind,
  invitationRemove,
  memberRemove,
  memberRole,
  membersAdd,
  otherAdmins,
  requestAdd,
  requestRemove,
  rolesOf,
} from './community.statements.ts'

// Who belongs to communities. The interface has no operations for this.

interface LockedCommunity {
  tx: Tx
  row: CommunityRow
}

/** Changes a community that the transaction has locked. None of the users may be suspended, except one whom it only concerns. */
export async function changeCommunity<T>(
  runtime: Runtime,
  id: string,
  userIds: readonly string[],
  work: (community: LockedCommunity) => Promise<T>,
  concernedId?: string,
): Promise<T> {
  for (const user of (await runtime.parts.many(userRow, [...userIds])).values())
    if (user.suspended) throw forbidden(`@${user.username} is suspended.`, 'the account of the user is suspended')
  return change(runtime, async (tx, invalidate) => {
    const row = isStorableId(id) ? await communityLock.first(tx, id) : undefined
    if (!row) throw blank(404, `There is no community [${id}].`)
    invalidate('community', id)
    const concerned = concernedId === undefined ? userIds : [...userIds, concernedId]
    invalidate('community_role', ...concerned.map((userId) => roleKey(userId, id)))
    return work({ tx, row })
  })
}

const roleOf = async (tx: Tx, id: string, userId: string): Promise<Role | undefined> =>
  (await rolesOf.first(tx, [userId], [id]))?.role as Role | undefined

/** Refuses a user who has none of these roles in the community. Returns the role. */
export async function requireRole(tx: Tx, id: string, userId: string, roles: readonly Role[]): Promise<Role> {
  const role = await roleOf(tx, id, userId)
  if (role && roles.includes(role)) return role
  throw forbidden(
    `Only a user with the role ${roles.join(' or ')} can do this in the community [${id}].`,
    `the user has the role ${role ?? 'none'}`,
  )
}

const TEAM: readonly Role[] = ['moderator', 'admin']
const ANYBODY: readonly Role[] = ['member', 'moderator', 'admin']

/** A user joins, or asks to join where the policy requires it. Whoever is invited joins at once. */
export const joinCommunity = (runtime: Runtime, id: string, userId: string): Promise<'member' | 'requested'> =>
  changeCommunity(runtime, id, [userId], async ({ tx, row }) => {
    if (await roleOf(tx, id, userId)) return 'member'
    const mayJoin = row.join_policy === 'Open' || (await invitationFind.first(tx, id, userId)) !== undefined
    if (mayJoin) {
      await membersAdd.count(tx, id, [userId], 'member')
      return 'member'
    }
    if (row.join_policy === 'RestrictedJoinRequestsDisabled')
      throw forbidden('This community can be joined only by invitation.', 'the join policy of the community')
    if (row.join_policy === 'SuperFollowRequired')
      throw forbidden(
        'This community can be joined only by subscribers of its admins, or by invitation.',
        'there are no subscriptions between users',
      )
    await requestAdd.count(tx, id, userId)
    return 'requested'
  })

/** A user leaves, takes back the request to join, or declines an invitation. The last admin can leave only as the last member. */
export const leaveCommunity = (runtime: Runtime, id: string, userId: string): Promise<void> =>
  changeCommunity(runtime, id, [userId], async ({ tx, row }) => {
    await requestRemove.count(tx, id, userId)
    await invitationRemove.count(tx, id, userId)
    if ((await roleOf(tx, id, userId)) === 'admin' && row.member_count > 1) await checkOtherAdmin(tx, id, userId)
    await memberRemove.count(tx, id, userId)
  })

async function checkOtherAdmin(tx: Tx, id: string, userId: string): Promise<void> {
  if ((await otherAdmins.first(tx, id, userId))!.exists) return
  throw forbidden(
    'A community needs an admin. Make another member an admin first.',
    'the user is the last admin of the community',
  )
}

/** A member invites a user. Where not everybody can join, only moderators and admins may. */
export const inviteToCommunity = (runtime: Runtime, id: string, byId: string, userId: string): Promise<void> =>
  changeCommunity(runtime, id, [byId, userId], async ({ tx, row }) => {
    await requireRole(tx, id, byId, row.join_policy === 'Open' ? ANYBODY : TEAM)
    if (await roleOf(tx, id, userId)) return
    if ((await invitationAdd.count(tx, id, userId)) > 0)
      await emit(tx, runtime, {
        type: 'community.invite',
        actorId: byId,
        targetId: userId,
        payload: { community_id: id },
      })
  })

/** Approves or refuses a request to join. The policy says who may. */
export const answerRequest = (
  runtime: Runtime,
  id: string,
  byId: string,
  userId: string,
  isApproved: boolean,
): Promise<void> =>
  changeCommunity(runtime, id, [byId, userId], async ({ tx, row }) => {
    const byAdmin = row.join_policy === 'RestrictedJoinRequestsRequireAdminApproval'
    await requireRole(tx, id, byId, byAdmin ? ['admin'] : TEAM)
    if ((await requestRemove.count(tx, id, userId)) === 0)
      throw invalidParameter('user', userId, `The user [${userId}] has not asked to join the community [${id}].`)
    if (isApproved) await membersAdd.count(tx, id, [userId], 'member')
  })

/** An admin gives a member a role. */
export const setRole = (runtime: Runtime, id: string, byId: string, userId: string, role: Role): Promise<void> =>
  changeCommunity(runtime, id, [byId, userId], async ({ tx }) => {
    await requireRole(tx, id, byId, ['admin'])
    if (role !== 'admin' && (await roleOf(tx, id, userId)) === 'admin') await checkOtherAdmin(tx, id, userId)
    if ((await memberRole.count(tx, id, userId, role)) === 0) throw notMember(id, userId)
  })

/** Removes a member. Moderators remove members, and admins remove everybody else. */
export async function removeMember(runtime: Runtime, id: string, byId: string, userId: string): Promise<void> {
  if (byId === userId) throw invalidParameter('user', userId, 'Users leave a community; they do not remove themselves.')
  const remove = async ({ tx }: LockedCommunity) => {
    const role = await roleOf(tx, id, userId)
    if (!role) throw notMember(id, userId)
    await requireRole(tx, id, byId, role === 'member' ? TEAM : ['admin'])
    await memberRemove.count(tx, id, userId)
  }
  return changeCommunity(runtime, id, [byId], remove, userId)
}

const notMember = (id: string, userId: string) =>
  invalidParameter('user', userId, `The user [${userId}] is not a member of the community [${id}].`)
