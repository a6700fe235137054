/** The scopes of version 2, neutral names. */
export const V2_SCOPES: ReadonlySet<string> = new Set([
  'post.read',
  'post.write',
  'post.moderate.write',
  'users.read',
  'users.email',
  'follows.read',
  'follows.write',
  'offline.access',
  'space.read',
  'mute.read',
  'mute.write',
  'like.read',
  'like.write',
  'list.read',
  'list.write',
  'block.read',
  'block.write',
  'bookmark.read',
  'bookmark.write',
  'dm.read',
  'dm.write',
  'media.write',
  'timeline.read',
  'broadcast.read',
  'broadcast.write',
])

/** The scopes of the advertising interface, for the Model Context Protocol; its other requests are signed. */
export const ADS_SCOPES = ['ads.read', 'ads.write'] as const

/** Every scope that can be granted, neutral names. */
export const SCOPES: ReadonlySet<string> = new Set([...V2_SCOPES, ...ADS_SCOPES])
