import type { Runtime } from '../../api-kit/runtime.ts'
import { digest, randomText } from '../../process/secret-box.ts'
import type { Db, Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

const invitationAdd = statement(
  'invitation_add',
  {},
  'insert into invitation (id, code_hash, note, most_uses, expires_at, created_at) values ($1, $2, $3, $4, $5, $6)',
)
const invitationList = statement(
  'invitation_list',
  {
    id: 'int8',
    note: 'text',
    most_uses: 'int4',
    uses: 'int4',
    expires_at: 'timestamptz?',
    revoked: 'bool',
    created_at: 'timestamptz',
  },
  'select id, note, most_uses, uses, expires_at, revoked, created_at from invitation where id > $1 order by id limit $2',
)
const invitationRevoke = statement('invitation_revoke', {}, 'update invitation set revoked = true where id = $1')
const usable = 'code_hash = $1 and not revoked and uses < most_uses and (expires_at is null or expires_at > $2)'
const invitationFind = statement('invitation_find', { id: 'int8' }, `select id from invitation where ${usable}`)
const invitationUse = statement('invitation_use', {}, `update invitation set uses = uses + 1 where ${usable}`)

/** Creates an invitation. Its code is not stored, so it is shown only now. */
export async function createInvitation(
  runtime: Runtime,
  { note, mostUses, expiresAt }: { note: string; mostUses: number; expiresAt: Date | null },
): Promise<{ id: string; code: string; url: string }> {
  const id = runtime.ids.next()
  const code = randomText(20)
  const now = new Date(runtime.clock.now())
  await invitationAdd.count(runtime.database, id, digest(code), note, mostUses, expiresAt, now)
  return { id, code, url: `${runtime.baseUrl}/i/register?invitation=${code}` }
}

/** Invitations in the order of their creation, after an id. */
export const readInvitations = (db: Db, after: string, limit: number) => invitationList.all(db, after, limit)

/** Ends an invitation; false when there is none with this id. */
export const revokeInvitation = async (db: Db, id: string): Promise<boolean> =>
  (await invitationRevoke.count(db, id)) > 0

/** Whether somebody can register with a code now. */
export const isUsableInvitation = async (runtime: Runtime, code: string): Promise<boolean> =>
  (await invitationFind.first(runtime.database, digest(code), new Date(runtime.clock.now()))) !== undefined

/** Takes one use of an invitation; false when it has none left. */
export const useInvitation = async (tx: Tx, runtime: Runtime, code: string): Promise<boolean> =>
  (await invitationUse.count(tx, digest(code), new Date(runtime.clock.now()))) > 0
