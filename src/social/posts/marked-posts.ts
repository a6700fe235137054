import type { KeyedListSql } from '../keyed-list.ts'
import { isOnlyVersion, newestOf, versionsOf } from './post.statements.ts'

/**
 * The SQL of a list of posts that users marked, ordered by mark. An edited post is shown in its newest version, and once, at
 * the newest of the marks that its versions have.
 */
export const markedPosts = (table: 'post_like' | 'bookmark', owner: 'user_id' | 'folder_id'): KeyedListSql => ({
  key: 'm.id',
  id: newestOf('p'),
  from: `${table} m join post p on p.id = m.post_id`,
  where: `m.${owner} = $1 and (${isOnlyVersion('p')} or not exists (
      select from ${table} o where o.user_id = m.user_id and o.${owner} = $1 and o.id > m.id
         and o.post_id in (select id from post where ${versionsOf('p.first_version_id')})))`,
})
