import { timeOfId } from '../../process/ids.ts'
import type { PostRow } from './post.parts.ts'

export const MAX_EDITS = 5
const EDIT_WINDOW_MS = 60 * 60_000

/** Until when a post may be edited: an hour after its first version. */
export const editableUntil = (firstVersionId: string): number => timeOfId(firstVersionId) + EDIT_WINDOW_MS

/** Whether posts of this kind can be edited. */
export function isEditable(
  row: Pick<
    PostRow,
    'author_id' | 'in_reply_to_user_id' | 'poll_id' | 'reposted_post_id' | 'community_id' | 'nullcast'
  >,
): boolean {
  const repliesToOther = row.in_reply_to_user_id !== null && row.in_reply_to_user_id !== row.author_id
  return (
    !repliesToOther &&
    row.poll_id === null &&
    row.reposted_post_id === null &&
    row.community_id === null &&
    !row.nullcast
  )
}
