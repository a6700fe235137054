/** What an app may do, for the person who decides. Each sentence continues the heading "It will (not) be able to". */

const SCOPE_SENTENCES: Record<string, string> = {
  'post.read': 'See all posts that you can see, including protected ones, and the private metrics of your own.',
  'post.write': 'Post and repost in your name, and delete your posts.',
  'post.moderate.write': 'Hide replies to your posts, and show them again.',
  'users.read': 'See your profile and all accounts that you can see, including protected ones.',
  'users.email': 'See the email address that you confirmed.',
  'follows.read': 'See who you follow and who follows you.',
  'follows.write': 'Follow and unfollow accounts in your name.',
  'space.read': 'See the spaces that you can see.',
  'like.read': 'See the posts that you like, and who likes the posts that you can see.',
  'like.write': 'Like posts in your name, and undo that.',
  'list.read': 'See your lists, including private ones, and the lists that you follow.',
  'list.write': 'Create, change and delete your lists, and follow or pin lists in your name.',
  'mute.read': 'See the accounts that you mute.',
  'mute.write': 'Mute and unmute accounts in your name.',
  'block.read': 'See the accounts that you block.',
  'block.write': 'Block and unblock accounts in your name.',
  'bookmark.read': 'See your bookmarks and their folders.',
  'bookmark.write': 'Add and remove your bookmarks.',
  'dm.read': 'Read your direct messages.',
  'dm.write': 'Send direct messages in your name, change your conversations, and stop people from messaging you.',
  'media.write': 'Upload pictures and videos in your name.',
  'timeline.read': 'See which of your posts were reposted.',
  'broadcast.read': 'See your broadcasts, including scheduled ones, and their chats.',
  'broadcast.write': 'Schedule, start and change broadcasts in your name, and write in and moderate their chats.',
  'ads.read': 'See the advertising accounts that you have access to, with their campaigns and statistics.',
  'ads.write':
    'Create and change campaigns in the advertising accounts that you have access to, which can spend their money.',
  'offline.access': 'Stay connected to your account while you are away.',
}

const NO_PASSWORD = 'See or change your password.'
const NO_EMAIL = 'See your email address.'

/** One sentence for each scope, and the main things that are not requested. */
export function scopeSentences(scopes: string[]): { can: string[]; cannot: string[] } {
  const asked = new Set(scopes)
  const known = Object.keys(SCOPE_SENTENCES).filter((scope) => asked.has(scope))
  const unknown = [...asked].filter((scope) => !Object.hasOwn(SCOPE_SENTENCES, scope))
  const can = known.map((scope) => SCOPE_SENTENCES[scope]!)
  // The page must list everything that is requested.
  for (const scope of unknown) can.push(`Use a permission that this page cannot explain: “${scope}”.`)
  // It is not known what such a scope allows, so the page must not say what stays impossible.
  if (unknown.length > 0) return { can, cannot: [NO_PASSWORD] }

  const cannot: string[] = []
  if (!asked.has('post.write')) cannot.push('Post or repost in your name, or delete your posts.')
  if (!asked.has('dm.read') && !asked.has('dm.write')) cannot.push('Read or send direct messages.')
  else if (!asked.has('dm.write')) cannot.push('Send direct messages in your name.')
  else if (!asked.has('dm.read')) cannot.push('Read your direct messages.')
  const untouched = [
    ['follows.write', 'follow'],
    ['mute.write', 'mute'],
    ['block.write', 'block'],
  ].flatMap(([scope, verb]) => (asked.has(scope!) ? [] : [verb!]))
  if (untouched.length > 0) cannot.push(`Change who you ${either(untouched)}.`)
  if (!asked.has('like.write')) cannot.push('Like posts in your name.')
  if (!asked.has('users.email')) cannot.push(NO_EMAIL)
  cannot.push(NO_PASSWORD)
  return { can, cannot }
}

/** For OAuth 1.0a: the app's level, or a lower one that was requested. Such a token also works for the advertising interface. */
export function accessLevelSentences(level: 'read' | 'read-write' | 'read-write-messages'): {
  can: string[]
  cannot: string[]
} {
  const writes = level !== 'read'
  const messages = level === 'read-write-messages'
  const can = [
    'See all posts that you can see, including protected ones, and the private metrics of your own.',
    'See your profile, and who you follow, mute and block.',
    'See your likes and your lists, including private ones.',
  ]
  const cannot: string[] = []
  if (writes) {
    can.push(
      'Post and repost in your name, upload media, and delete your posts.',
      'Follow, mute and block accounts in your name, and undo that.',
      'Like posts, hide replies to your posts, and change your lists.',
      'See and manage the advertising accounts that you have access to, if this app is approved for advertising.',
    )
  } else {
    can.push('See the advertising accounts that you have access to, if this app is approved for advertising.')
    cannot.push(
      'Post or repost in your name, or delete your posts.',
      'Change who you follow, mute or block.',
      'Like posts in your name, or change your lists.',
    )
  }
  if (messages) can.push('Read, send and delete your direct messages.')
  else cannot.push('Read or send direct messages.')
  cannot.push('See your bookmarks.', NO_EMAIL, NO_PASSWORD)
  return { can, cannot }
}

function either(words: string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
