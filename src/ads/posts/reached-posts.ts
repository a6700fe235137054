import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

const postsOfAccount = statement(
  'ads_posts_reached',
  { id: 'int8' },
  `select p.id from post p
    where p.id = any($2::bigint[]) and (p.sandbox is null or (select a.sandbox from ads_account a where a.id = $1))
      and (exists (select from ads_promotable_user u where u.account_id = $1 and u.user_id = p.author_id and not u.deleted)
           or exists (select from ads_post a where a.account_id = $1 and a.post_id = p.id))`,
)

/** The given posts that an account may use: its promotable users wrote them, or the account created them. */
export async function reachedPosts(db: Db, accountId: string, ids: readonly string[]): Promise<string[]> {
  return (await postsOfAccount.all(db, accountId, ids)).map((row) => row.id)
}
