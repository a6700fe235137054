import type { Runtime } from '../../api-kit/runtime.ts'
import { named, say } from '../../api-kit/writing/problem.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { bookmarkFile, folderAdd, folderFind } from './bookmark.statements.ts'

/** A folder of a user's bookmarks; 404 for one of somebody else. */
export async function findFolder(
  runtime: Runtime,
  userId: string,
  folderId: string,
): Promise<{ id: string; name: string }> {
  const folder = isStorableId(folderId) ? await folderFind.first(runtime.database, folderId, userId) : undefined
  if (!folder) throw blank(404, `The user has no bookmark folder [${folderId}].`)
  return folder
}

/** Makes a folder; the interface has no operation for it. */
export async function createBookmarkFolder(
  runtime: Runtime,
  userId: string,
  name: string,
): Promise<{ id: string; name: string }> {
  const id = runtime.ids.next()
  await folderAdd.count(runtime.database, id, userId, name)
  return { id, name }
}

/** Puts a bookmark of a user into one of their folders, or with null out of its folder; the interface has no operation for it. */
export async function fileBookmark(
  runtime: Runtime,
  userId: string,
  postId: string,
  folderId: string | null,
): Promise<{ post_id: string; folder_id: string | null }> {
  if (folderId !== null) await findFolder(runtime, userId, folderId)
  const filed = isStorableId(postId) ? await bookmarkFile.first(runtime.database, userId, postId, folderId) : undefined
  if (!filed) throw blank(404, say`The user has no bookmark of the ${named('Post')} [${postId}].`)
  return { post_id: postId, folder_id: folderId }
}
