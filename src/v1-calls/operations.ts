import { v1Configuration } from './configuration.ts'
import { v1DescribeMedia } from './describe-media.ts'
import { v1ShowPost, v1ShowPostById } from './show-posts.ts'
import { v1ShowUser, verifyCredentials } from './show-users.ts'
import { v1MediaStatus, v1UploadMedia } from './upload-media.ts'
import type { V1Operation } from './v1-operation.ts'

/** Every call of version 1.1. */
export const v1Operations: readonly V1Operation[] = [
  verifyCredentials,
  v1ShowUser,
  v1ShowPost,
  v1ShowPostById,
  v1UploadMedia,
  v1MediaStatus,
  v1DescribeMedia,
  v1Configuration,
]
