import type { Described } from './document.ts'
import { addressOf, type Request, type Secrets } from './request.ts'

/** Stands for secrets where code is shown. What is copied has them. */
export const HIDDEN: Secrets = {
  bearer: '••••••••',
  oauth1: { consumerKey: '••••', consumerSecret: '••••', token: '••••', tokenSecret: '••••' },
}

const urlOf = (request: Request): string => location.origin + addressOf(request)
const inShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A value as Python writes it. */
const python = (value: unknown): string => {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([name, item]) => `${JSON.stringify(name)}: ${python(item)}`)
      .join(', ')}}`
  return JSON.stringify(value)
}

export function asCurl(request: Request, secrets: Secrets, authorization: string | undefined): string {
  const header = secrets.bearer === undefined ? authorization : `Bearer ${secrets.bearer}`
  const lines = [
    `curl ${request.method === 'GET' ? '' : `-X ${request.method} `}${inShell(urlOf(request))}`,
    ...(header === undefined ? [] : [`  -H ${inShell(`Authorization: ${header}`)}`]),
    ...(request.body === undefined
      ? []
      : [`  -H 'Content-Type: application/json'`, `  -d ${inShell(JSON.stringify(request.body))}`]),
  ]
  return lines.join(' \\\n')
}

export function asFetch(request: Request, secrets: Secrets, authorization: string | undefined): string {
  const header = secrets.bearer === undefined ? authorization : `Bearer ${secrets.bearer}`
  const headers = {
    ...(header === undefined ? {} : { authorization: header }),
    ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const lines = [
    `const answer = await fetch(${JSON.stringify(urlOf(request))}, {`,
    `  method: ${JSON.stringify(request.method)},`,
    `  headers: ${JSON.stringify(headers)},`,
    ...(request.body === undefined ? [] : [`  body: JSON.stringify(${JSON.stringify(request.body)}),`]),
    '})',
    'console.log(answer.status, await answer.text())',
  ]
  return lines.join('\n')
}

export function asRequests(request: Request, secrets: Secrets): string {
  const { bearer, oauth1 } = secrets
  const isSigned = bearer === undefined && oauth1 !== undefined
  const keys = oauth1 && [oauth1.consumerKey, oauth1.consumerSecret, oauth1.token, oauth1.tokenSecret]
  const lines = [
    'import requests',
    ...(isSigned ? ['from requests_oauthlib import OAuth1'] : []),
    '',
    'answer = requests.request(',
    `    ${JSON.stringify(request.method)},`,
    `    ${JSON.stringify(urlOf(request))},`,
    ...(bearer === undefined ? [] : [`    headers={"Authorization": ${JSON.stringify(`Bearer ${bearer}`)}},`]),
    ...(isSigned ? [`    auth=OAuth1(${keys!.map((key) => JSON.stringify(key)).join(', ')}),`] : []),
    ...(request.body === undefined ? [] : [`    json=${python(request.body)},`]),
    ')',
    'print(answer.status_code, answer.text)',
  ]
  return lines.join('\n')
}

/**
 * The methods of tweepy by operation, in neutral words. `!` marks those of the user who calls: the id in the path is not an
 * argument. `~` marks those that take no `user_auth`.
 */
const TWEEPY: Record<string, string> = {
  getPostsById: 'get_post',
  getPostsByIds: 'get_posts',
  createPosts: 'create_post',
  deletePosts: 'delete_post',
  searchPostsRecent: 'search_recent_posts',
  searchPostsAll: 'search_all_posts',
  getPostsCountsRecent: 'get_recent_posts_count',
  getPostsCountsAll: 'get_all_posts_count',
  getPostsLikingUsers: 'get_liking_users',
  getPostsRepostedBy: 'get_reposters',
  getPostsQuotedPosts: 'get_quote_posts',
  hidePostsReply: 'hide_reply',
  getUsersById: 'get_user',
  getUsersByIds: 'get_users',
  getUsersByUsername: 'get_user',
  getUsersByUsernames: 'get_users',
  getUsersMe: 'get_me!',
  getUsersPosts: 'get_users_posts',
  getUsersMentions: 'get_users_mentions',
  getUsersTimeline: 'get_home_timeline!',
  getUsersLikedPosts: 'get_liked_posts',
  likePost: 'like!',
  unlikePost: 'unlike!',
  repostPost: 'repost!',
  unrepostPost: 'unrepost!',
  followUser: 'follow_user!',
  unfollowUser: 'unfollow_user!',
  muteUser: 'mute!',
  unmuteUser: 'unmute!',
  getUsersMuting: 'get_muted!',
  getUsersBlocking: 'get_blocked!',
  getUsersFollowers: 'get_users_followers',
  getUsersFollowing: 'get_users_following',
  createUsersBookmark: 'bookmark!~',
  deleteUsersBookmark: 'remove_bookmark!~',
  getUsersBookmarks: 'get_bookmarks!~',
  createLists: 'create_list',
  updateLists: 'update_list',
  deleteLists: 'delete_list',
  getListsById: 'get_list',
  getListsMembers: 'get_list_members',
  addListsMember: 'add_list_member',
  removeListsMemberByUserId: 'remove_list_member',
  getListsPosts: 'get_list_posts',
  getListsFollowers: 'get_list_followers',
  getUsersOwnedLists: 'get_owned_lists',
  getUsersListMemberships: 'get_list_memberships',
  getUsersFollowedLists: 'get_followed_lists',
  followList: 'follow_list!',
  unfollowList: 'unfollow_list!',
  pinList: 'pin_list!',
  unpinList: 'unpin_list!',
  getUsersPinnedLists: 'get_pinned_lists!',
  getSpacesById: 'get_space',
  getSpacesByIds: 'get_spaces',
  searchSpaces: 'search_spaces',
  getSpacesBuyers: 'get_space_buyers',
  getSpacesPosts: 'get_space_posts',
  getDirectMessagesEvents: 'get_direct_message_events',
  createDirectMessagesByParticipantId: 'create_direct_message',
}

/** The arguments of create_post: members of objects in the body are arguments of their own there. */
const flattened = (body: Record<string, unknown>): [string, unknown][] =>
  Object.entries(body).flatMap(([name, value]) => {
    if (name === 'reply' || name === 'media') return Object.entries(value as object)
    if (name === 'poll')
      return Object.entries(value as object).map(([member, item]): [string, unknown] => [`poll_${member}`, item])
    return [[name, value]]
  })

/** The call of tweepy; undefined where it has no method. `words` are those of the names that it knows. */
export function asTweepy(
  operation: Described,
  request: Request,
  fields: Record<string, string>,
  secrets: Secrets,
  words: readonly [RegExp, string][],
): string | undefined {
  const found = TWEEPY[operation.id]
  if (found === undefined) return undefined
  const renamed = (name: string) => words.reduce((text, [word, other]) => text.replace(word, other), name)
  const isOwn = found.includes('!')
  const inPath = operation.parameters
    .filter((item) => item.in === 'path' && !(isOwn && item.name === 'id'))
    .map((item): [string, unknown] => [item.name, fields[`path.${item.name}`] ?? ''])
  const inQuery = request.query.map(([name, value]): [string, unknown] => [
    name.replaceAll('.', '_'),
    /fields$|^expansions$|^ids$|^usernames$/.test(name)
      ? value.split(',')
      : /^max_results$/.test(name)
        ? Number(value)
        : value,
  ])
  const inBody = operation.id === 'hidePostsReply' ? [] : flattened((request.body ?? {}) as Record<string, unknown>)
  const { bearer, oauth1 } = secrets
  const isBearer = bearer !== undefined
  const takesUserAuth = !found.includes('~') && (isOwn || operation.method !== 'GET')
  const given = [...inPath, ...inQuery, ...inBody].map(([name, value]) => `${renamed(name)}=${python(value)}`)
  const method = renamed(found.replace(/[!~]/g, ''))
  const keys = oauth1 && [oauth1.consumerKey, oauth1.consumerSecret, oauth1.token, oauth1.tokenSecret]
  const client = isBearer
    ? JSON.stringify(bearer)
    : keys
      ? ['consumer_key', 'consumer_secret', 'access_token', 'access_token_secret']
          .map((name, index) => `${name}=${JSON.stringify(keys[index])}`)
          .join(', ')
      : ''
  return [
    '# rostra exec -- python this_file.py',
    'import tweepy',
    '',
    `client = tweepy.Client(${client})`,
    `print(client.${method}(${[...given, ...(isBearer && takesUserAuth ? ['user_auth=False'] : [])].join(', ')}))`,
  ].join('\n')
}
