import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { sqlState, type Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

const emailSet = statement(
  'user_email_set',
  {},
  `insert into user_sign_in (user_id, email, email_confirmed) values ($1, $2::text, $2::text is not null and $3::bool)
   on conflict (user_id) do update set email = excluded.email, email_confirmed = excluded.email_confirmed`,
)

const UNIQUE_VIOLATION = '23505'

/** Turns the error of a statement that stores an address another user has, also at the same moment, into a refusal. */
export const refuseTakenEmail =
  (email: string | undefined) =>
  (error: unknown): never => {
    if (email === undefined || sqlState(error) !== UNIQUE_VIOLATION) throw error
    throw invalidParameter('email', email, `The e-mail address ${email} is taken.`)
  }

/** Sets the email address of a user; an empty one removes it. */
export async function setEmail(
  tx: Tx,
  userId: string,
  email: string,
  { confirmed }: { confirmed: boolean },
): Promise<void> {
  await emailSet.count(tx, userId, email === '' ? null : email, confirmed).catch(refuseTakenEmail(email))
}
