import type { Tier } from '../api-kit/declaring/caller.ts'
import { FULL_TIERS } from '../identity/tier-caps.ts'

/** The direction of an activity from the point of view of the user in the filter. */
export type Direction = 'inbound' | 'outbound'

/** The words that the direction filter accepts. `both` does the same as no direction. */
export const DIRECTIONS: Record<'inbound' | 'outbound' | 'sent' | 'received' | 'both', Direction | undefined> = {
  inbound: 'inbound',
  outbound: 'outbound',
  sent: 'outbound',
  received: 'inbound',
  both: undefined,
}

/** A kind of activity that can be subscribed to. */
export interface ActivityType {
  /** All names of the type, the main one first. A subscription keeps the name that it was created with. */
  names: readonly string[]
  /** Names in the spelling from before 18 March 2026: they are refused, with the new name. */
  formerNames: readonly string[]
  /** The OAuth 2.0 scope that the user must have granted; undefined for public activity. */
  scope: string | undefined
  /** Tiers whose apps may subscribe; undefined for all tiers. */
  tiers: readonly Tier[] | undefined
  /** Whether the filter must name a user. */
  user: boolean
  /** Types whose events have a text take a keyword. Others refuse it with the reason. */
  keyword: 'needed' | 'taken' | { refused: string }
  /** Whether the filter can name a direction. */
  direction: boolean
}

type Facts = Partial<Omit<ActivityType, 'names'>>

const type = (names: string | readonly string[], facts: Facts = {}): ActivityType => ({
  formerNames: [],
  scope: undefined,
  tiers: undefined,
  user: true,
  keyword: { refused: NO_TEXT },
  direction: false,
  ...facts,
  names: typeof names === 'string' ? [names] : names,
})

const NO_TEXT = 'its events have no text'
const text: Facts = { keyword: 'taken' }
const ownPosts: Facts = { scope: 'post.read', keyword: 'taken' }
const messages: Facts = { scope: 'dm.read', direction: true }
const chat: Facts = { ...messages, keyword: { refused: 'its texts are encrypted' } }

// The first name is from the product description; the OpenAPI reference has other names for two types.
const ACTIVITY_TYPES: readonly ActivityType[] = [
  type('profile.update.bio', { ...text, formerNames: ['ProfileBioUpdate'] }),
  type('profile.update.profile_picture', { formerNames: ['ProfilePictureUpdate'] }),
  type('profile.update.banner_picture', { formerNames: ['ProfileBannerUpdate', 'ProfileBannerPictureUpdate'] }),
  type('profile.update.geo', { ...text, formerNames: ['ProfileGeoUpdate'] }),
  type('profile.update.url', { ...text, formerNames: ['ProfileUrlUpdate'] }),
  type('profile.update.screenname', { ...text, formerNames: ['ProfileScreennameUpdate'] }),
  type('profile.update.handle', text),
  type(['profile.update.verified', 'profile.update.verified_badge'], { formerNames: ['ProfileVerifiedBadgeUpdate'] }),
  type(['profile.update.affiliate', 'profile.update.affiliate_badge']),
  type('follow.follow', { direction: true, formerNames: ['FollowFollow'] }),
  type('follow.unfollow', { direction: true, formerNames: ['FollowUnfollow'] }),
  type('news.new', { user: false, keyword: 'needed', tiers: FULL_TIERS, formerNames: ['NewsNew'] }),
  type('spaces.start', text),
  type('spaces.end', text),
  type('post.create', text),
  type('post.delete'),
  type('post.mention.create', ownPosts),
  type('post.reply.create', ownPosts),
  type('post.quote.create', ownPosts),
  type('post.repost.create', ownPosts),
  type('like.create', { scope: 'like.read', direction: true }),
  type('chat.received', chat),
  type('chat.sent', chat),
  type('chat.conversation_join', chat),
  type('dm.received', { ...messages, ...text }),
  type('dm.sent', { ...messages, ...text }),
  type('dm.read', messages),
  type('dm.indicate_typing', messages),
  type('mute.mute', { scope: 'mute.read' }),
  type('mute.unmute', { scope: 'mute.read' }),
  type('block.block', { scope: 'block.read' }),
  type('block.unblock', { scope: 'block.read' }),
  type('broadcast.start', text),
  type('broadcast.end', text),
  type('broadcast.chat', { scope: 'broadcast.read', ...text }),
  type('oauth.revoke', { user: false }),
]

const byName = new Map(ACTIVITY_TYPES.flatMap((item) => item.names.map((name) => [name, item] as const)))

/** Every name that a request for a subscription can use. */
export const ACTIVITY_NAMES: readonly string[] = [...byName.keys()]

/** The current name of each former one. */
export const FORMER_ACTIVITY_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  ACTIVITY_TYPES.flatMap((item) => item.formerNames.map((name) => [name, item.names[0]!])),
)

/** The type with a name of `ACTIVITY_NAMES`. */
export function activityType(name: string): ActivityType {
  const found = byName.get(name)
  if (!found) throw new Error(`There is no activity ${name}`)
  return found
}
