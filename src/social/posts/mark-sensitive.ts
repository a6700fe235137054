import { change, type Runtime } from '../../api-kit/runtime.ts'
import { statement } from '../../storage/statement.ts'
import type { PostRow } from './post.parts.ts'
import { versionsOf } from './post.statements.ts'

/** Marks all versions of a post and their reposts, which show the same media. Returns those that changed. */
const sensitiveMark = statement(
  'post_mark_sensitive',
  { id: 'int8' },
  `with versions as (select id from post where ${versionsOf('$1')})
   update post set possibly_sensitive = $2
    where (id in (select id from versions) or reposted_post_id in (select id from versions)) and possibly_sensitive <> $2
   returning id`,
)

/** Marks a post as sensitive, or removes the mark. Returns whether that changed it. */
export const markSensitive = (runtime: Runtime, row: PostRow, isSensitive: boolean): Promise<boolean> =>
  change(runtime, async (tx, invalidate) => {
    const changed = await sensitiveMark.all(tx, row.first_version_id, isSensitive)
    invalidate('post', ...changed.map((post) => post.id))
    return changed.length > 0
  })
