import type { Invalidate, Runtime } from '../../api-kit/runtime.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { isReservedName, reservedSentence } from '../../identity/accounts/username-rules.ts'
import { hashPassword } from '../../identity/sign-in/password.ts'
import { timeOfId } from '../../process/ids.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { storeLinks } from '../links/short-link.ts'
import { profileText } from './profile-text.ts'
import { refuseTakenEmail } from './set-email.ts'
import { userTermsStored } from './user-terms.ts'

/** What a user is created from. */
export interface UserDraft {
  username: string
  name: string
  password?: string
  email?: string
  /** Default: an address that is given counts as confirmed. */
  emailConfirmed?: boolean
  description?: string
  location?: string
  url?: string
  protected?: boolean
  verified_type?: string
  subscription_type?: string
}

const userAdd = statement(
  'user_account_add',
  { id: 'int8' },
  `with made as (
     insert into user_account (id, username, name, description, location, url, protected, verified_type, subscription_type, created_at,
       description_entities, url_entities)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $13, $14) on conflict (lower(username)) do nothing returning id, username, search
   ), metrics as (insert into user_metrics (user_id) select id from made),
   terms as (${userTermsStored('select id, username, search from made')}),
   sign_in as (insert into user_sign_in (user_id, password_hash, email, email_confirmed) select id, $11::text, $12::text, $12::text is not null and $15::bool from made)
   select id from made`,
)

/** Creates a user; undefined when the username is taken. A reserved name or a taken email address is an error. */
export async function createUser(
  tx: Tx,
  invalidate: Invalidate,
  runtime: Runtime,
  draft: UserDraft,
  givenId?: string,
): Promise<string | undefined> {
  if (isReservedName(draft.username))
    throw invalidParameter('username', draft.username, reservedSentence(draft.username))
  const id = givenId ?? runtime.ids.next()
  const profile = profileText(draft)
  const adding = userAdd.first(
    tx,
    id,
    draft.username,
    draft.name,
    profile.description ?? '',
    draft.location ?? '',
    profile.url ?? '',
    draft.protected ?? false,
    draft.verified_type ?? 'none',
    draft.subscription_type ?? 'None',
    new Date(timeOfId(id)),
    draft.password === undefined ? null : await hashPassword(draft.password),
    draft.email ?? null,
    profile.descriptionEntities,
    profile.urlEntities,
    draft.emailConfirmed ?? true,
  )
  const row = await adding.catch(refuseTakenEmail(draft.email))
  await storeLinks(tx, profile.links)
  invalidate('username', draft.username.toLowerCase())
  return row?.id
}
