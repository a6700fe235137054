import { named, say } from '../../api-kit/writing/problem.ts'
import { forbidden } from '../../api-kit/writing/problems.ts'
import type { Tx } from '../../storage/database.ts'
import { editableUntil, isEditable, MAX_EDITS } from './edit-rules.ts'
import type { PostRow } from './post.parts.ts'
import { postDeleteTexts, versionSupersede, versionsLock } from './post.statements.ts'

/** Rejects an edit that is not allowed: by author, subscription, kind of post or time. */
export function checkEdit(previous: PostRow, author: { id: string; subscription_type: string }, now: number): void {
  if (previous.author_id !== author.id)
    throw forbidden(say`You are not authorized to edit this ${named('Post')}.`, 'the post belongs to another user')
  if (author.subscription_type === 'None') {
    throw forbidden(
      say`You are not permitted to edit a ${named('Post')}: editing needs a paid subscription.`,
      'the user has no subscription',
    )
  }
  if (!isEditable(previous)) {
    throw forbidden(
      say`This ${named('Post')} cannot be edited: polls, replies to other users, ${named('reposts')} and community posts are not editable.`,
    )
  }
  if (now >= editableUntil(previous.first_version_id)) {
    throw forbidden(say`This ${named('Post')} can no longer be edited: an hour has passed since its first version.`)
  }
}

/** Marks the edited version as superseded. Returns the ids of all versions so far, and whether they are hidden. */
export async function supersede(tx: Tx, previous: PostRow): Promise<{ ids: string[]; hidden: boolean }> {
  const versions = await versionsLock.all(tx, previous.first_version_id)
  // After waiting for another edit, the lock shows its change to this version, but not the version it created.
  if (versions.find((version) => version.id === previous.id)?.superseded !== false) {
    throw forbidden(
      say`Only the newest version of a ${named('Post')} can be edited.`,
      'previous_post_id is an older version',
    )
  }
  if (versions.length > MAX_EDITS)
    throw forbidden(say`This ${named('Post')} was edited ${MAX_EDITS} times and cannot be edited again.`)
  const ids = versions.map((version) => version.id)
  await versionSupersede.count(tx, previous.id)
  // The texts of earlier versions may be used again, in this post or in another.
  await postDeleteTexts.count(tx, previous.author_id, ids)
  return { ids, hidden: versions.some((version) => version.hidden) }
}
