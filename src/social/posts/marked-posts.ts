import { isOnlyVersion, newestOf, versionsOf } from './post.statements.ts'

const DIRECTIONS = { older: { sign: '<', order: 'desc' }, newer: { sign: '>', order: 'asc' } } as const

/**
 * The text of a list of posts that users marked, newest mark first, behind a key; or the other way, nearest first. A post
 * that was edited is shown in its newest version, and once, at the newest of the marks that its versions have.
 */
export function markedPosts(
  table: 'post_like' | 'bookmark',
  owner: 'user_id' | 'folder_id',
  direction: keyof typeof DIRECTIONS,
): string {
  const { sign, order } = DIRECTIONS[direction]
  return `select m.id as key, ${newestOf('p')} as id from ${table} m join post p on p.id = m.post_id
    where m.${owner} = $1 and m.id ${sign} $2
      and (${isOnlyVersion('p')} or not exists (
        select from ${table} o where o.user_id = m.user_id and o.${owner} = $1 and o.id > m.id
           and o.post_id in (select id from post where ${versionsOf('p.first_version_id')})))
    order by key ${order} limit $3`
}
