import type { Invalidate, Runtime } from '../../api-kit/runtime.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import type { NewEvent } from '../../events/catalog.ts'
import { emit } from '../../events/emit.ts'
import { isReservedName, reservedSentence } from '../../identity/accounts/username-rules.ts'
import { allCountsChanged } from '../../search/slices/count-changes.ts'
import { sqlState, type Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { storeLinks } from '../links/short-link.ts'
import { userPairLock } from '../user-pair.ts'
import { isPublicAccount } from '../visibility.ts'
import { profileText } from './profile-text.ts'
import { setEmail } from './set-email.ts'
import type { Affiliation } from './user.object.ts'
import { USER_TERMS_RENEWED } from './user-terms.ts'

/** What can be changed of a user. Absent members stay; an empty text removes the value. */
export interface UserChanges {
  username?: string
  name?: string
  description?: string
  location?: string
  url?: string
  profile_image_url?: string
  profile_banner_url?: string
  verified_type?: string
  /** Null ends it. */
  affiliation?: Affiliation | null
  protected?: boolean
  suspended?: boolean
  subscription_type?: string
  geo_enabled?: boolean
  receives_messages_from_everyone?: boolean
  /** Counts as confirmed, unless `emailConfirmed` is false. */
  email?: string
  emailConfirmed?: boolean
}

/** The members whose changes are events. */
const PROFILE = [
  'name',
  'description',
  'location',
  'url',
  'username',
  'profile_image_url',
  'profile_banner_url',
  'verified_type',
  'affiliation',
] as const

/** The members that users are found by. */
const SEARCHED = ['username', 'name', 'description'] as const

const profileColumns = {
  username: 'text',
  name: 'text',
  description: 'text',
  location: 'text',
  url: 'text',
  profile_image_url: 'text?',
  profile_banner_url: 'text?',
  verified_type: 'text',
  affiliation: 'jsonb?',
  protected: 'bool',
  suspended: 'bool',
} as const
const columnNames = Object.keys(profileColumns).join(', ')

const userHold = statement(
  'user_account_hold',
  profileColumns,
  `select ${columnNames} from user_account where id = $1 for no key update`,
)
const userUpdate = statement(
  'user_account_update',
  profileColumns,
  `update user_account set name = coalesce($2, name), description = coalesce($3, description), location = coalesce($4, location),
     url = coalesce($5, url), protected = coalesce($6, protected), suspended = coalesce($7, suspended),
     verified_type = coalesce($8, verified_type), subscription_type = coalesce($9, subscription_type), geo_enabled = coalesce($10, geo_enabled),
     description_entities = case when $3 is null then description_entities else $11::jsonb end,
     url_entities = case when $5 is null then url_entities else $12::jsonb end,
     username = coalesce($13, username), profile_image_url = nullif(coalesce($14, profile_image_url), ''),
     profile_banner_url = nullif(coalesce($15, profile_banner_url), ''),
     affiliation = nullif(coalesce($16::jsonb, affiliation), 'null'::jsonb),
     receives_messages_from_everyone = coalesce($17, receives_messages_from_everyone),
     protected_at = case when $6 is null or $6 = protected then protected_at when $6 then $18::timestamptz end,
     suspended_at = case when $7 is null or $7 = suspended then suspended_at when $7 then $18::timestamptz end
   where id = $1 returning ${columnNames}`,
)
/** When a user becomes verified or loses it, everyone they follow has one verified follower more or fewer. */
const verifiedFollowersShift = statement(
  'verified_followers_shift',
  { user_id: 'int8' },
  `with held as (
     select m.user_id from user_metrics m join follow f on f.target_id = m.user_id
      where f.source_id = $1 and not f.pending order by m.user_id for no key update of m
   )
   update user_metrics m set verified_followers_count = m.verified_followers_count + $2 from held h where m.user_id = h.user_id returning m.user_id`,
)

const userTermsRenew = statement('user_terms_renew', {}, USER_TERMS_RENEWED)

const UNIQUE_VIOLATION = '23505'

/** Changes a user, with an event for each member of the profile that changed. */
export async function updateUser(
  tx: Tx,
  invalidate: Invalidate,
  runtime: Runtime,
  id: string,
  changes: UserChanges,
): Promise<{ username: string }> {
  const profile = profileText(changes)
  // A concurrent follow would count this user with the old verification.
  await userPairLock.count(tx, [id])
  const before = (await userHold.first(tx, id))!
  const { username } = changes
  if (username !== undefined && username.toLowerCase() !== before.username.toLowerCase() && isReservedName(username))
    throw invalidParameter('username', username, reservedSentence(username))
  const updating = userUpdate.first(
    tx,
    id,
    changes.name ?? null,
    profile.description ?? null,
    changes.location ?? null,
    profile.url ?? null,
    changes.protected ?? null,
    changes.suspended ?? null,
    changes.verified_type ?? null,
    changes.subscription_type ?? null,
    changes.geo_enabled ?? null,
    profile.descriptionEntities,
    profile.urlEntities,
    changes.username ?? null,
    changes.profile_image_url ?? null,
    changes.profile_banner_url ?? null,
    changes.affiliation === undefined ? null : JSON.stringify(changes.affiliation),
    changes.receives_messages_from_everyone ?? null,
    new Date(runtime.clock.now()),
  )
  const after = (await updating.catch((error: unknown) => {
    if (sqlState(error) !== UNIQUE_VIOLATION) throw error
    throw invalidParameter('username', changes.username, `The username ${changes.username} is taken.`)
  }))!
  if (changes.email !== undefined) await setEmail(tx, id, changes.email, { confirmed: changes.emailConfirmed ?? true })
  await storeLinks(tx, profile.links)
  invalidate('user', id)
  invalidate('username', before.username.toLowerCase(), after.username.toLowerCase())
  const shift = Number(after.verified_type !== 'none') - Number(before.verified_type !== 'none')
  if (shift !== 0) {
    const followed = await verifiedFollowersShift.all(tx, id, shift)
    invalidate('user_metrics', ...followed.map((row) => row.user_id))
  }
  if (SEARCHED.some((field) => before[field] !== after[field])) await userTermsRenew.count(tx, id)
  if (isPublicAccount(before) !== isPublicAccount(after)) await allCountsChanged.count(tx)
  await emit(tx, runtime, ...profileEvents(id, before, after))
  return { username: after.username }
}

type Profile = NonNullable<Awaited<ReturnType<typeof userHold.first>>>
type ProfileEvent = 'user.update' | 'user.protect' | 'user.unprotect' | 'user.suspend' | 'user.unsuspend'

function profileEvents(actorId: string, before: Profile, after: Profile): NewEvent<ProfileEvent>[] {
  const events: NewEvent<ProfileEvent>[] = PROFILE.filter((field) => shown(before[field]) !== shown(after[field])).map(
    (field) => ({
      type: 'user.update',
      actorId,
      payload: { field, before: shown(before[field]), after: shown(after[field]) },
    }),
  )
  if (before.protected !== after.protected)
    events.push({ type: after.protected ? 'user.protect' : 'user.unprotect', actorId, payload: {} })
  if (before.suspended !== after.suspended)
    events.push({ type: after.suspended ? 'user.suspend' : 'user.unsuspend', actorId, payload: {} })
  return events
}

/** A member of a profile as text, empty where it is not set. */
function shown(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
