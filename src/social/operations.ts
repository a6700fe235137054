import type { Operation } from '../api-kit/operation.ts'
import { likePost, unlikePost } from './likes/like-posts.ts'
import { getPostsLikingUsers, getUsersLikedPosts } from './likes/read-likes.ts'
import { createPosts } from './posts/create-post.ts'
import { deletePosts } from './posts/delete-post.ts'
import { getPostsById, getPostsByIds } from './posts/read-posts.ts'
import { getUsersById, getUsersByIds, getUsersByUsername, getUsersByUsernames, getUsersMe } from './users/read-users.ts'

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
]
