import { change, type Runtime } from '../../api-kit/runtime.ts'
import { resourceNotFound } from '../../api-kit/writing/partial-errors.ts'
import { named, say } from '../../api-kit/writing/problem.ts'
import { forbidden, objectNotFound } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { statement } from '../../storage/statement.ts'
import { postRow } from '../posts/post.parts.ts'

/** The lock on the post delays its deletion, which would otherwise miss the pin. */
const pinSet = statement(
  'user_pin_set',
  { id: 'int8' },
  `with own as (select id from post where id = $2 and author_id = $1 and reposted_post_id is null for key share)
   update user_account u set pinned_post_id = own.id from own where u.id = $1 returning u.id`,
)
const pinClear = statement('user_pin_clear', {}, 'update user_account set pinned_post_id = null where id = $1')

/** Pins a post of a user to their profile, or with null unpins it. The interface has no operation for this. */
export async function pinPost(runtime: Runtime, userId: string, postId: string | null): Promise<void> {
  if (postId !== null) await checkPinnable(runtime, userId, postId)
  await change(runtime, async (tx, invalidate) => {
    invalidate('user', userId)
    if (postId === null) await pinClear.count(tx, userId)
    else if (!(await pinSet.first(tx, userId, postId)))
      throw objectNotFound(resourceNotFound('post', 'post_id', postId))
  })
}

async function checkPinnable(runtime: Runtime, userId: string, postId: string): Promise<void> {
  const row = isStorableId(postId) ? await runtime.parts.one(postRow, postId) : undefined
  if (!row) throw objectNotFound(resourceNotFound('post', 'post_id', postId))
  if (row.author_id !== userId || row.reposted_post_id !== null)
    throw forbidden(
      say`Only a ${named('Post')} of your own can be pinned.`,
      'the post is a repost or belongs to another user',
    )
}
