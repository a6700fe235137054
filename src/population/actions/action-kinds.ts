import type { Operation } from '../../api-kit/declaring/operation.ts'
import type { CallInput } from '../../api-kit/serving/call-operation.ts'
import { blockUsers, unblockUsers } from '../../social/blocks/block-users.ts'
import { createUsersBookmark, deleteUsersBookmark } from '../../social/bookmarks/bookmark-posts.ts'
import { followUser, unfollowUser } from '../../social/follows/follow-users.ts'
import type { FactKind } from '../../social/insights/facts.ts'
import { likePost, unlikePost } from '../../social/likes/like-posts.ts'
import { followList, unfollowList } from '../../social/lists/follow-lists.ts'
import { addListsMember, removeListsMemberByUserId } from '../../social/lists/list-members.ts'
import { getListsPosts } from '../../social/lists/list-posts.ts'
import { createLists } from '../../social/lists/manage-lists.ts'
import { pinList, unpinList } from '../../social/lists/pin-lists.ts'
import { createDirectMessagesByParticipantId } from '../../social/messages/create-messages.ts'
import { muteUser, unmuteUser } from '../../social/mutes/mute-users.ts'
import { createPosts } from '../../social/posts/create-post.ts'
import { deletePosts } from '../../social/posts/delete-post.ts'
import { hidePostsReply } from '../../social/posts/hide-reply.ts'
import { getPostsById } from '../../social/posts/read-posts.ts'
import { repostPost, unrepostPost } from '../../social/reposts/repost-posts.ts'
import { searchPostsRecent } from '../../social/search/search-posts.ts'
import { getUsersMentions, getUsersPosts } from '../../social/timelines/read-timelines.ts'
import { getTrendsPersonalizedTrends } from '../../social/trends/read-trends.ts'
import { searchUsers } from '../../social/users/search-users.ts'

type Member = 'post_id' | 'user_id' | 'list_id' | 'text' | 'query'
type Given = Partial<Record<Member, string>>

interface OperationKind {
  operation: Operation
  /** What the action must have. */
  needs: readonly Member[]
  input(own: string, given: Given): CallInput
}

const kind = (
  operation: Operation,
  needs: readonly Member[],
  input: (own: string, given: Given) => CallInput,
): OperationKind => ({ operation, needs, input })

const onPost = (operation: Operation) =>
  kind(operation, ['post_id'], (id, { post_id }) => ({ path: { id }, body: { post_id } }))
const offPost = (operation: Operation, name = 'post_id') =>
  kind(operation, ['post_id'], (id, { post_id }) => ({ path: { id, [name]: post_id! } }))
const onUser = (operation: Operation) =>
  kind(operation, ['user_id'], (id, { user_id }) => ({ path: { id }, body: { target_user_id: user_id } }))
const offUser = (operation: Operation) =>
  kind(operation, ['user_id'], (id, { user_id }) => ({ path: { source_user_id: id, target_user_id: user_id! } }))
const onList = (operation: Operation) =>
  kind(operation, ['list_id'], (id, { list_id }) => ({ path: { id }, body: { list_id } }))
const offList = (operation: Operation) =>
  kind(operation, ['list_id'], (id, { list_id }) => ({ path: { id, list_id: list_id! } }))

/** What personas can do by an operation of version 2. */
export const OPERATION_KINDS = {
  post: kind(createPosts, ['text'], (_own, { text }) => ({ body: { text } })),
  reply: kind(createPosts, ['post_id', 'text'], (_own, { post_id, text }) => ({
    body: { text, reply: { in_reply_to_post_id: post_id } },
  })),
  quote: kind(createPosts, ['post_id', 'text'], (_own, { post_id, text }) => ({
    body: { text, quote_post_id: post_id },
  })),
  delete_post: kind(deletePosts, ['post_id'], (_own, { post_id }) => ({ path: { id: post_id! } })),
  hide_reply: kind(hidePostsReply, ['post_id'], (_own, { post_id }) => ({
    path: { post_id: post_id! },
    body: { hidden: true },
  })),
  repost: onPost(repostPost),
  unrepost: offPost(unrepostPost, 'source_post_id'),
  like: onPost(likePost),
  unlike: offPost(unlikePost),
  bookmark: onPost(createUsersBookmark),
  unbookmark: offPost(deleteUsersBookmark),
  follow: onUser(followUser),
  unfollow: offUser(unfollowUser),
  mute: onUser(muteUser),
  unmute: offUser(unmuteUser),
  block: onUser(blockUsers),
  unblock: offUser(unblockUsers),
  message: kind(createDirectMessagesByParticipantId, ['user_id', 'text'], (_own, { user_id, text }) => ({
    path: { participant_id: user_id! },
    body: { text },
  })),
  create_list: kind(createLists, ['text'], (_own, { text }) => ({ body: { name: text } })),
  add_to_list: kind(addListsMember, ['list_id', 'user_id'], (_own, { list_id, user_id }) => ({
    path: { id: list_id! },
    body: { user_id },
  })),
  remove_from_list: kind(removeListsMemberByUserId, ['list_id', 'user_id'], (_own, { list_id, user_id }) => ({
    path: { id: list_id!, user_id: user_id! },
  })),
  follow_list: onList(followList),
  unfollow_list: offList(unfollowList),
  pin_list: onList(pinList),
  unpin_list: offList(unpinList),
  read_list: kind(getListsPosts, ['list_id'], (_own, { list_id }) => ({ path: { id: list_id! } })),
  read_post: kind(getPostsById, ['post_id'], (_own, { post_id }) => ({ path: { id: post_id! } })),
  read_profile: kind(getUsersPosts, ['user_id'], (_own, { user_id }) => ({ path: { id: user_id! } })),
  read_mentions: kind(getUsersMentions, [], (id) => ({ path: { id } })),
  read_trends: kind(getTrendsPersonalizedTrends, [], () => ({})),
  search: kind(searchPostsRecent, ['query'], (_own, { query }) => ({ query: { query } })),
  search_users: kind(searchUsers, ['query'], (_own, { query }) => ({ query: { query } })),
} as const satisfies Record<string, OperationKind>

/** What personas can do with a post without an operation: it is counted, as on pages. */
export const COUNTED_KINDS = {
  expand: 'detail_expand',
  click_link: 'link_click',
  click_hashtag: 'hashtag_click',
  click_profile: 'profile_click',
  share: 'share',
  open_media: 'media_click',
  watch: 'media_view',
} as const satisfies Record<string, FactKind>

export type OperationKindName = keyof typeof OPERATION_KINDS
export type CountedKindName = keyof typeof COUNTED_KINDS
export type ActionKind = OperationKindName | CountedKindName

export const ACTION_KINDS = [...Object.keys(OPERATION_KINDS), ...Object.keys(COUNTED_KINDS)] as ActionKind[]

export const isCountedKind = (name: string): name is CountedKindName => Object.hasOwn(COUNTED_KINDS, name)
export const isOperationKind = (name: string): name is OperationKindName => Object.hasOwn(OPERATION_KINDS, name)

export const operationKind = (name: OperationKindName): OperationKind => OPERATION_KINDS[name]
