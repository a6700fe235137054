import { definePart, keyedBy } from '../../api-kit/declaring/part.ts'
import { communitiesById, rolesOf } from './community.statements.ts'

/** What a member may do. */
export type Role = 'member' | 'moderator' | 'admin'

/** Communities by id. Every change to a community or its number of members invalidates kind `community`. */
export const communityRow = definePart('community', 'row', async (db, ids) =>
  keyedBy((row) => row.id, await communitiesById.all(db, ids)),
)

/** Roles of members, keyed `user:community`. Every change to a member invalidates kind `community_role`. */
export const communityRole = definePart('community_role', 'role', async (db, keys) => {
  const pairs = keys.map((key) => key.split(':') as [string, string])
  const rows = await rolesOf.all(
    db,
    pairs.map(([userId]) => userId),
    pairs.map(([, communityId]) => communityId),
  )
  return new Map(rows.map((row) => [roleKey(row.user_id, row.community_id), row.role as Role]))
})

export const roleKey = (userId: string, communityId: string): string => `${userId}:${communityId}`
