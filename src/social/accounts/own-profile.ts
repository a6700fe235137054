import { change, type Runtime } from '../../api-kit/runtime.ts'
import { refuseFaults, withFieldFaults } from '../../identity/accounts/field-faults.ts'
import { usernameFault } from '../../identity/accounts/username-rules.ts'
import { statement } from '../../storage/statement.ts'
import { updateUser } from '../users/update-user.ts'
import { descriptionFault, emailFault, locationFault, nameFault, webAddressFault } from './profile-rules.ts'

const addressOf = statement(
  'account_email',
  { email: 'text?', email_confirmed: 'bool' },
  'select email, email_confirmed from user_sign_in where user_id = $1',
)

/** The e-mail address of a user, also one that nobody has confirmed. */
export const readEmail = async ({ database }: Runtime, userId: string) =>
  (await addressOf.first(database, userId)) ?? { email: null, email_confirmed: false }

/** Changes what a user says about themselves. */
export async function changeProfile(
  runtime: Runtime,
  userId: string,
  given: { name: string; description: string; location: string; url: string; protected: boolean },
): Promise<void> {
  refuseFaults({
    name: nameFault(given.name),
    description: descriptionFault(given.description),
    location: locationFault(given.location),
    url: webAddressFault(given.url),
  })
  await withFieldFaults(() => change(runtime, (tx, invalidate) => updateUser(tx, invalidate, runtime, userId, given)))
}

/** Changes the username. */
export async function changeUsername(runtime: Runtime, userId: string, username: string): Promise<void> {
  refuseFaults({ username: usernameFault(username) })
  await withFieldFaults(() =>
    change(runtime, (tx, invalidate) => updateUser(tx, invalidate, runtime, userId, { username })),
  )
  runtime.bus.wake('credentials')
}

/** Changes the e-mail address; an empty one removes it. Nobody confirms it, so apps do not see it. */
export async function changeEmail(runtime: Runtime, userId: string, email: string): Promise<void> {
  refuseFaults({ email: email === '' ? undefined : emailFault(email) })
  await withFieldFaults(() =>
    change(runtime, (tx, invalidate) => updateUser(tx, invalidate, runtime, userId, { email, emailConfirmed: false })),
  )
}
