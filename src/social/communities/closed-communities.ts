import type { Runtime } from '../../api-kit/runtime.ts'
import type { PostRow } from '../posts/post.parts.ts'
import { communityRow } from './community.parts.ts'

type InCommunity = Pick<PostRow, 'community_id'>

/** Whether only the members of its community may see a post. */
export const isInClosedCommunity = async ({ parts }: Runtime, row: InCommunity): Promise<boolean> =>
  row.community_id !== null && (await parts.one(communityRow, row.community_id))?.access === 'Closed'
