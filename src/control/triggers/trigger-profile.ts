import { change, type Runtime } from '../../api-kit/runtime.ts'
import type { EventType } from '../../events/catalog.ts'
import { type UserChanges, updateUser } from '../../social/users/update-user.ts'
import { userRow } from '../../social/users/user.parts.ts'
import { FIRST_PLACES } from '../../world/first-world.data.ts'
import { type StoredUser, type Trigger, type TriggerContext, uniqueText } from './trigger-context.ts'

const MAX_USERNAME = 15

const update = (runtime: Runtime, user: StoredUser, changes: UserChanges): Promise<unknown> =>
  change(runtime, (tx, invalidate) => updateUser(tx, invalidate, runtime, user.id, changes))

type Field =
  | 'description'
  | 'location'
  | 'url'
  | 'username'
  | 'profile_image_url'
  | 'profile_banner_url'
  | 'verified_type'
  | 'affiliation'

/** Changes one profile member to a different value. */
function changing(
  does: string,
  field: Field,
  next: (context: TriggerContext) => UserChanges,
  takes: Trigger['takes'] = [],
): Trigger {
  return {
    does,
    takes,
    run: async (context) => {
      const { runtime, user } = context
      await update(runtime, user, next(context))
      const after = (await runtime.parts.one(userRow, user.id))!
      const shown = (value: unknown) => (typeof value === 'string' ? value : value ? JSON.stringify(value) : '')
      const ids = { before: shown(user[field]), after: shown(after[field]) }
      return { done: `The ${field} of @${user.username} changed`, ids, event: { type: 'user.update', field } }
    },
  }
}

/** Adds or removes a final underscore, so the second change restores the name. */
function otherName(username: string): string {
  if (username.length > 1 && username.endsWith('_')) return username.slice(0, -1)
  return `${username.slice(0, MAX_USERNAME - 1)}_`
}

const handle = (does: string) => changing(does, 'username', ({ user }) => ({ username: otherName(user.username) }))
const verified = changing('U becomes verified, or stops being verified', 'verified_type', ({ user }) => ({
  verified_type: user.verified_type === 'none' ? 'blue' : 'none',
}))
// The description is new each time, so the affiliation changes even if the organisation is the same.
const affiliate = changing(
  'U becomes affiliated with the organisation T',
  'affiliation',
  (context) => ({
    affiliation: { user_id: [context.target.id], description: uniqueText(context, 'Joined by a trigger') },
  }),
  ['target'],
)

/** Sets a flag of an account. If it is set already, it is cleared first. */
function switching(does: string, member: 'protected' | 'suspended', on: boolean, type: EventType): Trigger {
  const describe = (isOn: boolean) => (isOn ? `is now ${member}` : `is no longer ${member}`)
  return {
    does,
    takes: [],
    run: async ({ runtime, user, first }) => {
      if (user[member] === on) {
        await update(runtime, user, { [member]: !on })
        first.push(`@${user.username} ${describe(!on)}`)
      }
      await update(runtime, user, { [member]: on })
      return { done: `@${user.username} ${describe(on)}`, ids: {}, event: { type } }
    },
  }
}

/** Triggers of profile and account events. */
export const profileTriggers: Readonly<Record<string, Trigger>> = {
  'profile.update.bio': changing('U changes the bio', 'description', (context) => ({
    description: uniqueText(context, 'Bio'),
  })),
  'profile.update.profile_picture': changing('U changes the profile picture', 'profile_image_url', (context) => ({
    profile_image_url: `https://example.com/picture.png?v=${uniqueText(context, '').trim()}`,
  })),
  'profile.update.banner_picture': changing('U changes the banner', 'profile_banner_url', (context) => ({
    profile_banner_url: `https://example.com/banner.png?v=${uniqueText(context, '').trim()}`,
  })),
  'profile.update.geo': changing('U changes the location', 'location', ({ user }) => ({
    location: FIRST_PLACES.find((place) => place.place_type === 'city' && place.name !== user.location)!.name,
  })),
  'profile.update.url': changing('U changes the URL of the profile', 'url', (context) => ({
    url: `https://example.com/${uniqueText(context, '').trim()}`,
  })),
  'profile.update.screenname': handle('U changes the username; a second trigger restores it'),
  'profile.update.handle': handle('the same as profile.update.screenname'),
  'profile.update.verified': verified,
  'profile.update.verified_badge': { ...verified, does: 'the same as profile.update.verified' },
  'profile.update.affiliate': affiliate,
  'profile.update.affiliate_badge': { ...affiliate, does: 'the same as profile.update.affiliate' },
  'user.protect': switching('U protects the account', 'protected', true, 'user.protect'),
  'user.unprotect': switching('U makes the account public', 'protected', false, 'user.unprotect'),
  'user.suspend': switching('U is suspended', 'suspended', true, 'user.suspend'),
  'user.unsuspend': switching('U is no longer suspended', 'suspended', false, 'user.unsuspend'),
}
