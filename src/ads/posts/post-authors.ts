import type { Runtime } from '../../api-kit/runtime.ts'
import { userRow } from '../../social/users/user.parts.ts'
import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import type { AccountAccess } from '../kit/access.ts'
import { AdsError, AdsProblem, notFound } from '../kit/errors.ts'

const promotableUsers = statement(
  'ads_posts_promotable_users',
  { user_id: 'int8', promotable_user_type: 'text' },
  'select user_id, promotable_user_type from ads_promotable_user where account_id = $1 and not deleted',
)

/** The users whose posts an account may promote. */
export interface PromotableUsers {
  full: string | undefined
  all: ReadonlySet<string>
}

export async function promotableUsersOf(db: Db, accountId: string): Promise<PromotableUsers> {
  const rows = await promotableUsers.all(db, accountId)
  return {
    full: rows.find((row) => row.promotable_user_type === 'FULL')?.user_id,
    all: new Set(rows.map((row) => row.user_id)),
  }
}

/** The user that a request about posts is for: the one it names, or the account's FULL promotable user. */
export async function requestedUser(
  db: Db,
  accountId: string,
  given: string | undefined,
  alsoAllowed?: string,
): Promise<string> {
  const users = await promotableUsersOf(db, accountId)
  const meant = given ?? users.full
  if (meant === undefined || !(users.all.has(meant) || meant === alsoAllowed))
    throw new AdsProblem([notFound('PROMOTABLE_USER_NOT_FOUND', 'user_id', given)])
  return meant
}

interface Authorship {
  asUserId: string
  nullcast: boolean
  /** Only the FULL promotable user may post to followers, not every caller. */
  organicNeedsFull: boolean
}

/** Rejects callers who may not post, or prepare posts, as the user. */
export function authorErrors(
  caller: { user: { id: string }; account: Pick<AccountAccess, 'permissions'> },
  full: string | undefined,
  { asUserId, nullcast, organicNeedsFull }: Authorship,
): AdsError[] {
  const isSelf = asUserId === caller.user.id
  if (!isSelf && asUserId !== full)
    return [
      new AdsError('INVALID_USER_ID', 'The caller cannot post as this user', {
        parameter: 'as_user_id',
        details: "must be the authenticated user or the account's FULL promotable user",
        value: asUserId,
      }),
    ]
  if (!isSelf && !caller.account.permissions.includes('POST_COMPOSER'))
    return [notAllowed('as_user_id', 'posting for the FULL promotable user needs the permission POST_COMPOSER')]
  if (!nullcast && (!isSelf || (organicNeedsFull && asUserId !== full)))
    return [
      notAllowed(
        'nullcast',
        organicNeedsFull
          ? 'must be true unless the authenticated user is the FULL promotable user and posts as itself'
          : 'must be true unless the authenticated user posts as itself',
      ),
    ]
  return []
}

export const notAllowed = (parameter: string, details: string): AdsError =>
  new AdsError('ACTION_NOT_ALLOWED', 'The user may not do this on the account', { parameter, details })

/** The author of a post. Rejects users who do not exist or are suspended. */
export async function findAuthor(runtime: Runtime, userId: string): Promise<{ id: string; username: string }> {
  const author = await runtime.parts.one(userRow, userId)
  if (!author) throw new AdsProblem([notFound('INVALID_USER_ID', 'as_user_id', userId)])
  if (author.suspended)
    throw new AdsProblem([
      new AdsError('CURRENT_USER_SUSPENDED', 'The user is suspended', { parameter: 'as_user_id', value: userId }),
    ])
  return { id: author.id, username: author.username }
}

/** Rejects a request unless its caller may post as the user, and the user can post. */
export async function checkAuthor(
  runtime: Runtime,
  caller: { user: { id: string }; account: AccountAccess },
  authorship: Authorship,
): Promise<void> {
  const { full } = await promotableUsersOf(runtime.database, caller.account.id)
  const errors = authorErrors(caller, full, authorship)
  if (errors.length > 0) throw new AdsProblem(errors)
  await findAuthor(runtime, authorship.asUserId)
}
