import { statement } from '../../../storage/statement.ts'
import type { Applying } from './applying.ts'

const counted = (table: 'post_like' | 'bookmark', column: 'like_count' | 'bookmark_count', userSide: string) =>
  `with made as (
     insert into ${table} (user_id, post_id, id) select * from unnest($1::bigint[], $2::bigint[], $3::bigint[]) on conflict do nothing
     returning user_id, post_id
   ), post_side as (
     insert into post_metrics as m (post_id, ${column}) select post_id, count(*)::int from made group by 1 order by 1
     on conflict (post_id) do update set ${column} = m.${column} + excluded.${column}
   )${userSide}
   select count(*)::int as count from made`

const likesAdd = statement(
  'world_likes_add',
  { count: 'int4' },
  counted(
    'post_like',
    'like_count',
    `, user_side as (
     update user_metrics m set like_count = m.like_count + c.likes
       from (select user_id, count(*)::int as likes from made group by 1) c where m.user_id = c.user_id
   )`,
  ),
)
const bookmarksAdd = statement('world_bookmarks_add', { count: 'int4' }, counted('bookmark', 'bookmark_count', ''))

/** Creates the likes and bookmarks of a file. */
export async function applyMarks(run: Applying): Promise<void> {
  for (const [member, kind, add] of [
    ['likes', 'like', likesAdd],
    ['bookmarks', 'bookmark', bookmarksAdd],
  ] as const) {
    const marks: { userId: string; postId: string }[] = []
    for (const [at, post] of (run.world.posts ?? []).entries()) {
      const seen = new Set<string>()
      for (const [index, name] of (post[member] ?? []).entries()) {
        const where = `posts[${at}].${member}[${index}]`
        const user = run.user(name, where)
        if (user && seen.has(user.id)) run.fault(where, name, 'is named twice')
        if (user) marks.push({ userId: user.id, postId: run.postIds[at]! })
        if (user) seen.add(user.id)
      }
    }
    run.stopOnFaults()
    if (marks.length === 0) continue
    const { count } = (await add.first(
      run.tx,
      marks.map((mark) => mark.userId),
      marks.map((mark) => mark.postId),
      marks.map(() => run.runtime.ids.next()),
    ))!
    run.report.add('created', kind, `${count} of posts in this file`, count)
    run.report.add('unchanged', kind, '', marks.length - count)
  }
}
