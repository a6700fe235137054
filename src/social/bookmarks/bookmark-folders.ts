import type { House } from '../../api-kit/house.ts'
import { named, say } from '../../api-kit/problem.ts'
import { blank } from '../../api-kit/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { bookmarkFile, folderAdd, folderFind } from './bookmark.statements.ts'

/** A folder of a user's bookmarks; 404 for one of somebody else. */
export async function findFolder(
  house: House,
  userId: string,
  folderId: string,
): Promise<{ id: string; name: string }> {
  const folder = isStorableId(folderId) ? await folderFind.first(house.database, folderId, userId) : undefined
  if (!folder) throw blank(404, `The user has no bookmark folder [${folderId}].`)
  return folder
}

/** Makes a folder; the interface has no operation for it. */
export async function createBookmarkFolder(
  house: House,
  userId: string,
  name: string,
): Promise<{ id: string; name: string }> {
  const id = house.ids.next()
  await folderAdd.count(house.database, id, userId, name)
  return { id, name }
}

/** Puts a bookmark of a user into one of their folders, or with null out of its folder; the interface has no operation for it. */
export async function fileBookmark(
  house: House,
  userId: string,
  postId: string,
  folderId: string | null,
): Promise<{ post_id: string; folder_id: string | null }> {
  if (folderId !== null) await findFolder(house, userId, folderId)
  const filed = isStorableId(postId) ? await bookmarkFile.first(house.database, userId, postId, folderId) : undefined
  if (!filed) throw blank(404, say`The user has no bookmark of the ${named('Post')} [${postId}].`)
  return { post_id: postId, folder_id: folderId }
}
