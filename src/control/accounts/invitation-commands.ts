import { closed, Type } from '../../api-kit/declaring/schema.ts'
import { blank, invalidParameter } from '../../api-kit/writing/problems.ts'
import { createInvitation, readInvitations, revokeInvitation } from '../../identity/accounts/invitations.ts'
import { isStorableId } from '../../process/ids.ts'
import { readDuration } from '../../process/quantity.ts'
import { type Command, defineCommand } from '../command.ts'

const optional = Type.Optional
const LONGEST_MS = 366 * 86_400_000

/** Invitations to register, for a server whose registration is by invitation. */
export const invitationCommands: readonly Command[] = [
  defineCommand(
    'invitation.create',
    closed({
      uses: optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
      expires_in: optional(Type.String({ minLength: 1, maxLength: 30 })),
      note: optional(Type.String({ maxLength: 200 })),
    }),
    async (runtime, { uses = 1, expires_in: duration, note = '' }) => {
      const lifeMs = duration === undefined ? undefined : readDuration(duration)
      if (duration !== undefined && (lifeMs === undefined || lifeMs <= 0 || lifeMs > LONGEST_MS))
        throw invalidParameter('expires_in', duration, 'expires_in must be a time such as 12h or 7d, at most 366d')
      const expiresAt = lifeMs === undefined ? null : new Date(runtime.clock.now() + lifeMs)
      const made = await createInvitation(runtime, { note, mostUses: uses, expiresAt })
      return { ...made, note, most_uses: uses, expires_at: expiresAt }
    },
  ),
  defineCommand(
    'invitation.list',
    closed({ after: optional(Type.String()), limit: optional(Type.Integer({ minimum: 1, maximum: 1000 })) }),
    async (runtime, { after = '0', limit = 100 }) => {
      if (!isStorableId(after)) throw invalidParameter('after', after, 'after must be the id of an invitation')
      return { invitations: await readInvitations(runtime.database, after, limit) }
    },
  ),
  defineCommand(
    'invitation.revoke',
    closed({ invitation: Type.String({ minLength: 1, maxLength: 50 }) }),
    async (runtime, { invitation: id }) => {
      if (!isStorableId(id) || !(await revokeInvitation(runtime.database, id)))
        throw blank(404, `There is no invitation [${id}].`)
      return { id, revoked: true }
    },
  ),
]
