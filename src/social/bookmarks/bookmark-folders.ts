import type { Runtime } from '../../api-kit/runtime.ts'
import { named, say } from '../../api-kit/writing/problem.ts'
import { blank, forbidden } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { bookmarkMove, folderAdd, folderFind } from './bookmark.statements.ts'

/** A bookmark folder of a user; 404 for another user's folder. */
export async function findFolder(
  runtime: Runtime,
  userId: string,
  folderId: string,
): Promise<{ id: string; name: string }> {
  const folder = isStorableId(folderId) ? await folderFind.first(runtime.database, folderId, userId) : undefined
  if (!folder) throw blank(404, `The user has no bookmark folder [${folderId}].`)
  return folder
}

const MOST_FOLDERS = 1_000

/** Creates a folder. */
export async function createBookmarkFolder(
  runtime: Runtime,
  userId: string,
  name: string,
): Promise<{ id: string; name: string }> {
  const id = runtime.ids.next()
  if ((await folderAdd.count(runtime.database, id, userId, name, MOST_FOLDERS)) === 0)
    throw forbidden(`You can have at most ${MOST_FOLDERS} bookmark folders.`)
  return { id, name }
}

/** Moves a bookmark into a folder of the same user, or with null out of its folder. The interface has no operation for this. */
export async function fileBookmark(
  runtime: Runtime,
  userId: string,
  postId: string,
  folderId: string | null,
): Promise<{ post_id: string; folder_id: string | null }> {
  if (folderId !== null) await findFolder(runtime, userId, folderId)
  const filed = isStorableId(postId) ? await bookmarkMove.first(runtime.database, userId, postId, folderId) : undefined
  if (!filed) throw blank(404, say`The user has no bookmark of the ${named('Post')} [${postId}].`)
  return { post_id: postId, folder_id: folderId }
}
