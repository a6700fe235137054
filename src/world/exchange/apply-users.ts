import { countedUserTermsStored, octavesMoved } from '../../social/users/user-terms.ts'
import type { Tx } from '../../storage/database.ts'
import { insertSql, storedValues } from './insert-rows.ts'
import type { Kind } from './kind.ts'

/** Which kinds an import has: counters are counted from their rows, and come from the file where the rows are missing. */
export type Has = (kind: string) => boolean

const base = (isCounted: boolean, column: string): string => (isCounted ? '0' : `coalesce(s.${column}, 0)`)

/** Stores users, and their counters as far as other rows do not give them. In an empty world, first users are replaced. */
export async function applyUsers(tx: Tx, kind: Kind, has: Has, isEmpty: boolean): Promise<void> {
  if (isEmpty) {
    const { names, values } = storedValues(kind)
    await tx.query({
      text: `update user_account t set (${names.join(', ')}) = row(${values.join(', ')}) from staged_users s where t.id = s.id`,
    })
    await tx.query({ text: `${insertSql(kind)} where not exists (select from user_account t where t.id = s.id)` })
  } else await tx.query({ text: insertSql(kind) })
  await tx.query({
    text: `insert into user_sign_in (user_id, email, email_confirmed) select id, email, coalesce(email_confirmed, false) from staged_users
      on conflict (user_id) do update set email = excluded.email, email_confirmed = excluded.email_confirmed`,
  })
  const counters: [string, string][] = [
    ...['followers_count', 'following_count', 'verified_followers_count'].map((name): [string, string] => [
      name,
      base(has('follows'), name),
    ]),
    ...['post_count', 'media_count'].map((name): [string, string] => [name, base(has('posts'), name)]),
    ['listed_count', base(has('list_members'), 'listed_count')],
    ['like_count', base(has('likes'), 'like_count')],
    ['most_recent_post_id', has('posts') ? 'null' : 's.most_recent_post_id'],
  ]
  const names = counters.map(([name]) => name)
  await tx.query({
    text: `insert into user_metrics (user_id, ${names.join(', ')}) select s.id, ${counters.map(([, value]) => value).join(', ')} from staged_users s
      on conflict (user_id) do update set ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`,
  })
}

/** Counts the staged follows. */
export async function countFollows(tx: Tx): Promise<void> {
  await tx.query({
    text: `with sides as (
       select source_id as user_id, 1 as following, 0 as followers, 0 as verified from staged_follows where not coalesce(pending, false)
       union all
       select f.target_id, 0, 1, (u.verified_type <> 'none')::int from staged_follows f join user_account u on u.id = f.source_id
        where not coalesce(f.pending, false)
     ), counted as (
       update user_metrics m set following_count = m.following_count + c.following, followers_count = m.followers_count + c.followers,
         verified_followers_count = m.verified_followers_count + c.verified
         from (select user_id, sum(following)::int as following, sum(followers)::int as followers, sum(verified)::int as verified from sides group by 1) c
        where m.user_id = c.user_id
       returning m.user_id, m.followers_count as followers, c.followers as added
     )
     ${octavesMoved('select * from counted')}`,
  })
}

/** Makes users findable. Their followers are counted before. */
export async function storeUserTerms(tx: Tx, isEmpty: boolean): Promise<void> {
  const which = isEmpty ? 'true' : 'id in (select id from staged_users)'
  await tx.query({ text: `delete from user_terms where ${which}` })
  await tx.query({
    text: countedUserTermsStored(`select id, username, search from user_account where ${which}`),
  })
}
