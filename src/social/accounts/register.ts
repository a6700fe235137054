import type { RequestFacts } from '../../api-kit/declaring/operation.ts'
import { change, type Runtime } from '../../api-kit/runtime.ts'
import { FieldFaults, refuseFaults, withFieldFaults } from '../../identity/accounts/field-faults.ts'
import { isUsableInvitation, useInvitation } from '../../identity/accounts/invitations.ts'
import { passwordFault } from '../../identity/accounts/own-password.ts'
import { usernameFault } from '../../identity/accounts/username-rules.ts'
import { networkOf } from '../../process/addresses.ts'
import { createUser } from '../users/create-user.ts'
import { emailFault, nameFault } from './profile-rules.ts'

/** What somebody who registers typed. */
export interface Registration {
  username: string
  name: string
  email: string
  password: string
  invitation: string
}

// Each attempt costs a scrypt, and each success is an account. Counted even when rate limits are off, as sign-ins are.
const ATTEMPTS = { limit: 100, seconds: 900 }
const ACCOUNTS = { limit: 20, seconds: 3600 }

const tooMany = () =>
  new FieldFaults({ form: 'There were too many registrations from your network address. Try again later.' }, 429)

/** Creates the account of somebody who registers; returns its id. */
export async function register(runtime: Runtime, request: RequestFacts, given: Registration): Promise<string> {
  if (runtime.registration === 'closed') throw new FieldFaults({ form: 'Nobody can register on this server.' })
  const address = networkOf(request.remoteAddress)
  if ((await runtime.limiter.take(`register:attempt:${address}`, ATTEMPTS)).exceeded) throw tooMany()
  const needsInvitation = runtime.registration === 'invitation'
  refuseFaults({
    username: usernameFault(given.username),
    name: nameFault(given.name),
    email: given.email === '' ? undefined : emailFault(given.email),
    password: passwordFault(given.password),
    invitation:
      needsInvitation && !(await isUsableInvitation(runtime, given.invitation)) ? INVITATION_FAULT : undefined,
  })
  if ((await runtime.limiter.take(`register:account:${address}`, ACCOUNTS)).exceeded) throw tooMany()
  try {
    return await withFieldFaults(() => addAccount(runtime, given, needsInvitation))
  } catch (error) {
    await runtime.limiter.giveBack([`register:account:${address}`])
    throw error
  }
}

const INVITATION_FAULT = 'This invitation is not valid: it is unknown, used up, revoked or too old.'

const addAccount = (runtime: Runtime, given: Registration, needsInvitation: boolean): Promise<string> =>
  change(runtime, async (tx, invalidate) => {
    const { username, name, password } = given
    // Nobody has confirmed the address: apps do not see it, but its owner can sign in with it.
    const email = given.email === '' ? {} : { email: given.email, emailConfirmed: false }
    const id = await createUser(tx, invalidate, runtime, { username, name, password, ...email })
    if (id === undefined) throw new FieldFaults({ username: `The username ${username} is taken.` })
    // In the transaction: of two registrations with the last use, one is refused and leaves nothing.
    if (needsInvitation && !(await useInvitation(tx, runtime, given.invitation)))
      throw new FieldFaults({ invitation: INVITATION_FAULT })
    return id
  })
