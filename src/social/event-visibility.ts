import type { LoggedEvent } from '../events/catalog.ts'
import type { PostRow } from './posts/post.parts.ts'
import type { UserRow } from './users/user.parts.ts'
import { authorsOf } from './visibility.ts'

/** The accounts that must be visible for an event to be delivered. */
export interface RequiredAccounts {
  /** Users who must be neither protected nor suspended. */
  public: readonly string[]
  /** Users who must not be suspended. */
  active: readonly string[]
}

/** The accounts on which the visibility of a post depends. */
export const requiredFor = (row: PostRow): RequiredAccounts => {
  const { authorId, originalAuthorId } = authorsOf(row)
  return { public: originalAuthorId === undefined ? [authorId] : [authorId, originalAuthorId], active: [] }
}

/** Without the account of the user who gets the event: users see themselves. */
export const exceptFor = (userId: string, { public: open, active }: RequiredAccounts): RequiredAccounts => ({
  public: open.filter((id) => id !== userId),
  active: active.filter((id) => id !== userId),
})

export const allRequired = (required: readonly RequiredAccounts[]): string[] => [
  ...new Set(required.flatMap((item) => [...item.public, ...item.active])),
]

/** Whether one of the accounts was hidden when the event happened. Then the event is not delivered to anybody, ever. */
export function wasHidden({ hidden_users: hidden }: LoggedEvent, required: RequiredAccounts): boolean {
  if (!hidden) return false
  return (
    required.public.some((id) => hidden[id] !== undefined) || required.active.some((id) => hidden[id] === 'suspended')
  )
}

/** The reason why an event is withheld: an account became hidden. */
export const hiddenReason = (userId: string, isSuspended: boolean): string =>
  `the account of user ${userId} is ${isSuspended ? 'suspended' : 'protected'} now`

/** Why an event may not be delivered now; undefined when it may. `users` has the accounts as they are now. */
export function reasonToWithhold(
  users: ReadonlyMap<string, Pick<UserRow, 'id' | 'protected' | 'suspended'>>,
  required: RequiredAccounts,
): string | undefined {
  for (const id of [...required.public, ...required.active]) {
    const account = users.get(id)
    if (!account) return `the account of user ${id} is gone`
    if (account.suspended || (account.protected && required.public.includes(id)))
      return hiddenReason(id, account.suspended)
  }
  return undefined
}

/** The reason for an event whose post cannot be read any more. */
export const POST_IS_GONE = 'its post is gone'
