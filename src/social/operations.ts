import type { Operation } from '../api-kit/declaring/operation.ts'
import { articleCreateDraft } from './articles/create-draft.ts'
import { articlePublish } from './articles/publish-article.ts'
import { blockUsers, unblockUsers } from './blocks/block-users.ts'
import { getUsersBlocking } from './blocks/read-blocks.ts'
import { createUsersBookmark, createUsersBookmarkFolder, deleteUsersBookmark } from './bookmarks/bookmark-posts.ts'
import { getUsersBookmarkFolders, getUsersBookmarks, getUsersBookmarksByFolderId } from './bookmarks/read-bookmarks.ts'
import { addConversationKeys } from './chat/add-keys.ts'
import { deleteChatMessages } from './chat/delete-messages.ts'
import { addChatGroupMembers, createChatConversation, initializeChatGroup } from './chat/groups.ts'
import { addUserPublicKey, getUsersPublicKey, getUsersPublicKeys } from './chat/keys/public-keys.ts'
import {
  chatMediaDownload,
  chatMediaUploadAppend,
  chatMediaUploadFinalize,
  chatMediaUploadInitialize,
} from './chat/media/chat-media.ts'
import { markChatConversationRead, sendChatTypingIndicator } from './chat/read-and-typing.ts'
import { getChatConversation, getChatConversations } from './chat/read-conversations.ts'
import { getChatConversationEvents } from './chat/read-events.ts'
import { sendChatMessage } from './chat/send-message.ts'
import { getCommunitiesById, searchCommunities } from './communities/read-communities.ts'
import { createComplianceJobs, getComplianceJobs, getComplianceJobsById } from './compliance/manage-jobs.ts'
import { followUser, unfollowUser } from './follows/follow-users.ts'
import { getUsersFollowers, getUsersFollowing } from './follows/read-follows.ts'
import { getMediaAnalytics, getPostsAnalytics } from './insights/read-analytics.ts'
import { getInsights28Hr, getInsightsHistorical } from './insights/read-insights.ts'
import { likePost, unlikePost } from './likes/like-posts.ts'
import { getPostsLikingUsers, getUsersLikedPosts } from './likes/read-likes.ts'
import { followList, getListsFollowers, unfollowList } from './lists/follow-lists.ts'
import { addListsMember, getListsMembers, removeListsMemberByUserId } from './lists/list-members.ts'
import { getListsPosts } from './lists/list-posts.ts'
import { getUsersFollowedLists, getUsersListMemberships, getUsersOwnedLists } from './lists/lists-of-users.ts'
import { createLists, deleteLists, getListsById, updateLists } from './lists/manage-lists.ts'
import { getUsersPinnedLists, pinList, unpinList } from './lists/pin-lists.ts'
import { createMediaMetadata } from './media/describe-media.ts'
import { getMediaByMediaKey, getMediaByMediaKeys } from './media/read-media.ts'
import { createMediaSubtitles, deleteMediaSubtitles } from './media/subtitles.ts'
import {
  appendMediaUpload,
  finalizeMediaUpload,
  getMediaUploadStatus,
  initializeMediaUpload,
  mediaUpload,
} from './media/uploading/upload-media.ts'
import { blockUsersDms, unblockUsersDms } from './messages/block-messages.ts'
import {
  createDirectMessagesByConversationId,
  createDirectMessagesByParticipantId,
  createDirectMessagesConversation,
} from './messages/create-messages.ts'
import { deleteDirectMessagesEvents } from './messages/delete-message.ts'
import { dmConversationsMediaDownload } from './messages/download-media.ts'
import {
  getDirectMessagesEvents,
  getDirectMessagesEventsByConversationId,
  getDirectMessagesEventsById,
  getDirectMessagesEventsByParticipantId,
} from './messages/read-messages.ts'
import { getUsersMuting, muteUser, unmuteUser } from './mutes/mute-users.ts'
import { getNews, searchNews } from './news/read-news.ts'
import { searchEligiblePosts } from './notes/eligible-posts.ts'
import { evaluateCommunityNotes, evaluateNotes } from './notes/evaluate-note.ts'
import { searchCommunityNotesWritten } from './notes/read-notes.ts'
import { createCommunityNotes, deleteCommunityNotes } from './notes/write-notes.ts'
import { createPosts } from './posts/create-post.ts'
import { deletePosts } from './posts/delete-post.ts'
import { hidePostsReply } from './posts/hide-reply.ts'
import { getPostsById, getPostsByIds } from './posts/read-posts.ts'
import { getPostsQuotedPosts } from './reposts/read-quotes.ts'
import { getPostsRepostedBy, getPostsReposts, getUsersRepostsOfMe } from './reposts/read-reposts.ts'
import { repostPost, unrepostPost } from './reposts/repost-posts.ts'
import { getPostsCountsAll, getPostsCountsRecent } from './search/count-posts.ts'
import { searchPostsAll, searchPostsRecent } from './search/search-posts.ts'
import {
  getSpacesBuyers,
  getSpacesByCreatorIds,
  getSpacesById,
  getSpacesByIds,
  getSpacesPosts,
  searchSpaces,
} from './spaces/read-spaces.ts'
import { getUsersMentions, getUsersPosts, getUsersTimeline } from './timelines/read-timelines.ts'
import { getTrendsByWoeid, getTrendsPersonalizedTrends } from './trends/read-trends.ts'
import { getUsage } from './usage/get-usage.ts'
import { getUsersById, getUsersByIds, getUsersByUsername, getUsersByUsernames, getUsersMe } from './users/read-users.ts'
import { getUsersAffiliates, searchUsers } from './users/search-users.ts'

/** The operations on posts and users and what users do with them. */
export const socialOperations: readonly Operation[] = [
  getPostsByIds,
  createPosts,
  getPostsById,
  deletePosts,
  getUsersByIds,
  getUsersById,
  getUsersByUsernames,
  getUsersByUsername,
  getUsersMe,
  likePost,
  unlikePost,
  getPostsLikingUsers,
  getUsersLikedPosts,
  repostPost,
  unrepostPost,
  getPostsRepostedBy,
  getPostsReposts,
  getUsersRepostsOfMe,
  getPostsQuotedPosts,
  hidePostsReply,
  createUsersBookmark,
  deleteUsersBookmark,
  getUsersBookmarks,
  getUsersBookmarkFolders,
  createUsersBookmarkFolder,
  getUsersBookmarksByFolderId,
  searchPostsRecent,
  searchPostsAll,
  getPostsCountsRecent,
  getPostsCountsAll,
  getUsersPosts,
  getUsersMentions,
  getUsersTimeline,
  getUsersBlocking,
  blockUsers,
  unblockUsers,
  followUser,
  unfollowUser,
  getUsersFollowers,
  getUsersFollowing,
  getUsersMuting,
  muteUser,
  unmuteUser,
  getUsersAffiliates,
  searchUsers,
  createLists,
  getListsById,
  updateLists,
  deleteLists,
  getListsFollowers,
  getListsMembers,
  addListsMember,
  removeListsMemberByUserId,
  getListsPosts,
  getUsersFollowedLists,
  followList,
  unfollowList,
  getUsersListMemberships,
  getUsersOwnedLists,
  getUsersPinnedLists,
  pinList,
  unpinList,
  mediaUpload,
  initializeMediaUpload,
  appendMediaUpload,
  finalizeMediaUpload,
  getMediaUploadStatus,
  createMediaMetadata,
  createMediaSubtitles,
  deleteMediaSubtitles,
  getMediaByMediaKeys,
  getMediaByMediaKey,
  getPostsAnalytics,
  getMediaAnalytics,
  getInsights28Hr,
  getInsightsHistorical,
  getSpacesByIds,
  getSpacesByCreatorIds,
  searchSpaces,
  getSpacesById,
  getSpacesBuyers,
  getSpacesPosts,
  createDirectMessagesConversation,
  dmConversationsMediaDownload,
  getDirectMessagesEventsByParticipantId,
  createDirectMessagesByParticipantId,
  createDirectMessagesByConversationId,
  getDirectMessagesEventsByConversationId,
  getDirectMessagesEvents,
  getDirectMessagesEventsById,
  deleteDirectMessagesEvents,
  blockUsersDms,
  unblockUsersDms,
  getUsersPublicKeys,
  getUsersPublicKey,
  addUserPublicKey,
  getChatConversations,
  initializeChatGroup,
  createChatConversation,
  getChatConversation,
  getChatConversationEvents,
  addConversationKeys,
  addChatGroupMembers,
  sendChatMessage,
  deleteChatMessages,
  markChatConversationRead,
  sendChatTypingIndicator,
  chatMediaUploadInitialize,
  chatMediaUploadAppend,
  chatMediaUploadFinalize,
  chatMediaDownload,
  createCommunityNotes,
  deleteCommunityNotes,
  searchCommunityNotesWritten,
  searchEligiblePosts,
  evaluateCommunityNotes,
  evaluateNotes,
  articleCreateDraft,
  articlePublish,
  createComplianceJobs,
  getComplianceJobs,
  getComplianceJobsById,
  getUsage,
  searchCommunities,
  getCommunitiesById,
  getTrendsByWoeid,
  getTrendsPersonalizedTrends,
  searchNews,
  getNews,
]
