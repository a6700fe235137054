import { change, type Runtime } from '../api-kit/runtime.ts'
import type { EventType } from '../events/catalog.ts'
import { type UserChanges, updateUser } from '../social/users/update-user.ts'
import { userRow } from '../social/users/user.parts.ts'
import { FIRST_PLACES } from '../world/first-world.data.ts'
import { fresh, type Scene, type Trigger, type UserRow } from './trigger-scene.ts'

const MAX_USERNAME = 15

const update = (runtime: Runtime, user: UserRow, changes: UserChanges): Promise<unknown> =>
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

/** A change of one member of the profile to something that it is not. */
function changing(
  does: string,
  field: Field,
  next: (scene: Scene) => UserChanges,
  takes: Trigger['takes'] = [],
): Trigger {
  return {
    does,
    takes,
    run: async (scene) => {
      const { runtime, user } = scene
      await update(runtime, user, next(scene))
      const after = (await runtime.parts.one(userRow, user.id))!
      const shown = (value: unknown) => (typeof value === 'string' ? value : value ? JSON.stringify(value) : '')
      const ids = { before: shown(user[field]), after: shown(after[field]) }
      return { done: `The ${field} of @${user.username} changed`, ids, event: { type: 'user.update', field } }
    },
  }
}

/** Adds an underscore, or takes it away again: the second time brings the first name back. */
function otherName(username: string): string {
  if (username.length > 1 && username.endsWith('_')) return username.slice(0, -1)
  return `${username.slice(0, MAX_USERNAME - 1)}_`
}

const handle = (does: string) => changing(does, 'username', ({ user }) => ({ username: otherName(user.username) }))
const verified = changing('U is verified, or no longer', 'verified_type', ({ user }) => ({
  verified_type: user.verified_type === 'none' ? 'blue' : 'none',
}))
// A new description each time: it is another affiliation, also when it is to the same organisation.
const affiliate = changing(
  'U joins the organisation T',
  'affiliation',
  (scene) => ({ affiliation: { user_id: [scene.target.id], description: fresh(scene, 'Joined by a trigger') } }),
  ['target'],
)

/** A switch of an account; when it stands so already, it is put back first. */
function switching(does: string, member: 'protected' | 'suspended', on: boolean, type: EventType): Trigger {
  const said = (isOn: boolean) => (isOn ? `is ${member} now` : `is no longer ${member}`)
  return {
    does,
    takes: [],
    run: async ({ runtime, user, first }) => {
      if (user[member] === on) {
        await update(runtime, user, { [member]: !on })
        first.push(`@${user.username} ${said(!on)}`)
      }
      await update(runtime, user, { [member]: on })
      return { done: `@${user.username} ${said(on)}`, ids: {}, event: { type } }
    },
  }
}

/** What happens to profiles and accounts. */
export const profileTriggers: Readonly<Record<string, Trigger>> = {
  'profile.update.bio': changing('U has a new bio', 'description', (scene) => ({ description: fresh(scene, 'Bio') })),
  'profile.update.profile_picture': changing('U has a new picture', 'profile_image_url', (scene) => ({
    profile_image_url: `https://example.com/picture.png?v=${fresh(scene, '').trim()}`,
  })),
  'profile.update.banner_picture': changing('U has a new banner', 'profile_banner_url', (scene) => ({
    profile_banner_url: `https://example.com/banner.png?v=${fresh(scene, '').trim()}`,
  })),
  'profile.update.geo': changing('U is somewhere else', 'location', ({ user }) => ({
    location: FIRST_PLACES.find((place) => place.place_type === 'city' && place.name !== user.location)!.name,
  })),
  'profile.update.url': changing('U has a new web address', 'url', (scene) => ({
    url: `https://example.com/${fresh(scene, '').trim()}`,
  })),
  'profile.update.screenname': handle('U has a new username, and the next time the old one again'),
  'profile.update.handle': handle('another name of profile.update.screenname'),
  'profile.update.verified': verified,
  'profile.update.verified_badge': { ...verified, does: 'another name of profile.update.verified' },
  'profile.update.affiliate': affiliate,
  'profile.update.affiliate_badge': { ...affiliate, does: 'another name of profile.update.affiliate' },
  'user.protect': switching('U protects the account', 'protected', true, 'user.protect'),
  'user.unprotect': switching('U opens the account to all', 'protected', false, 'user.unprotect'),
  'user.suspend': switching('U is suspended', 'suspended', true, 'user.suspend'),
  'user.unsuspend': switching('U is no longer suspended', 'suspended', false, 'user.unsuspend'),
}
