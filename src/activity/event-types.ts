import type { Tier } from '../api-kit/declaring/caller.ts'
import { FULL_TIERS } from '../identity/tier-caps.ts'

/** Which way an activity goes, seen from the user of the filter. */
export type Direction = 'inbound' | 'outbound'

/** Both vocabularies of the direction filter. */
export const DIRECTIONS: Record<'inbound' | 'outbound' | 'sent' | 'received', Direction> = {
  inbound: 'inbound',
  outbound: 'outbound',
  sent: 'outbound',
  received: 'inbound',
}

/** A kind of activity that can be subscribed to. */
export interface ActivityType {
  /** Every name of it, the first of which is its own; a subscription keeps the one that it was made with. */
  names: readonly string[]
  /** Names from before they were written in lower case with dots: taken, and answered with the new one. */
  formerNames: readonly string[]
  /** The OAuth 2.0 scope that its user must have granted; absent where the activity is public. */
  scope: string | undefined
  /** Tiers whose apps may subscribe; absent for all. */
  tiers: readonly Tier[] | undefined
  /** Whether its filter names a user. */
  user: boolean
  keyword: 'needed' | 'taken' | 'refused'
  /** Whether its filter can name a direction. */
  direction: boolean
}

type Facts = Partial<Omit<ActivityType, 'names'>>

const type = (names: string | readonly string[], facts: Facts = {}): ActivityType => ({
  formerNames: [],
  scope: undefined,
  tiers: undefined,
  user: true,
  keyword: 'refused',
  direction: false,
  ...facts,
  names: typeof names === 'string' ? [names] : names,
})

const ownPosts: Facts = { scope: 'post.read', keyword: 'taken' }
const messages: Facts = { scope: 'dm.read', direction: true }

// The first name is the one of the product's own description; the OpenAPI reference calls two of them otherwise.
const ACTIVITY_TYPES: readonly ActivityType[] = [
  type('profile.update.bio', { formerNames: ['ProfileBioUpdate'] }),
  type('profile.update.profile_picture', { formerNames: ['ProfilePictureUpdate'] }),
  type('profile.update.banner_picture', { formerNames: ['ProfileBannerUpdate', 'ProfileBannerPictureUpdate'] }),
  type('profile.update.geo', { formerNames: ['ProfileGeoUpdate'] }),
  type('profile.update.url', { formerNames: ['ProfileUrlUpdate'] }),
  type('profile.update.screenname', { formerNames: ['ProfileScreennameUpdate'] }),
  type('profile.update.handle'),
  type(['profile.update.verified', 'profile.update.verified_badge'], { formerNames: ['ProfileVerifiedBadgeUpdate'] }),
  type(['profile.update.affiliate', 'profile.update.affiliate_badge']),
  type('follow.follow', { direction: true, formerNames: ['FollowFollow'] }),
  type('follow.unfollow', { direction: true, formerNames: ['FollowUnfollow'] }),
  type('news.new', { user: false, keyword: 'needed', tiers: FULL_TIERS, formerNames: ['NewsNew'] }),
  type('spaces.start'),
  type('spaces.end'),
  type('post.create', { keyword: 'taken' }),
  type('post.delete'),
  type('post.mention.create', ownPosts),
  type('post.reply.create', ownPosts),
  type('post.quote.create', ownPosts),
  type('post.repost.create', ownPosts),
  type('like.create', { scope: 'like.read', direction: true }),
  type('chat.received', messages),
  type('chat.sent', messages),
  type('chat.conversation_join', messages),
  type('dm.received', messages),
  type('dm.sent', messages),
  type('dm.read', messages),
  type('dm.indicate_typing', messages),
  type('mute.mute', { scope: 'mute.read' }),
  type('mute.unmute', { scope: 'mute.read' }),
  type('block.block', { scope: 'block.read' }),
  type('block.unblock', { scope: 'block.read' }),
  type('broadcast.start'),
  type('broadcast.end'),
  type('broadcast.chat', { scope: 'broadcast.read' }),
  type('oauth.revoke', { user: false }),
]

const byName = new Map(
  ACTIVITY_TYPES.flatMap((item) => [...item.names, ...item.formerNames].map((name) => [name, item] as const)),
)

/** Every name that a subscription can be asked for with. */
export const ACTIVITY_NAMES: readonly string[] = [...byName.keys()]

/** The type of a name that is one of `ACTIVITY_NAMES`. */
export function activityType(name: string): ActivityType {
  const found = byName.get(name)
  if (!found) throw new Error(`There is no activity ${name}`)
  return found
}

/** The name that a subscription keeps: as it was given, unless that is a former one. */
export function keptName(name: string): string {
  const { names } = activityType(name)
  return names.includes(name) ? name : names[0]!
}
