import type { Tx } from '../../storage/database.ts'
import { firstUserId } from '../first-facts.ts'
import { FIRST_USERS } from '../first-world.data.ts'
import type { Kind } from './kind.ts'

// What nobody can have made without using the server.
const CONTENT = ['post', 'post_like', 'bookmark', 'list', 'block', 'mute', 'dm_conversation', 'media', 'deleted_post']

/** True for the world of a new server without posts: it has only the first users and what they start with. */
export async function isEmptyWorld(tx: Tx): Promise<boolean> {
  const { rows } = await tx.query<{ empty: boolean }>({
    text: `select not exists (select from user_account where id <> all($1::bigint[]))
                  and ${CONTENT.map((table) => `not exists (select from ${table})`).join(' and ')} as empty`,
    values: [FIRST_USERS.map((_, index) => firstUserId(index))],
  })
  return rows[0]!.empty
}

/**
 * Removes what an empty world has of the kinds that an import brings: first follows, members, places. Users stay, because apps
 * and tokens belong to them; an import replaces their profiles.
 */
export async function clearEmptyWorld(tx: Tx, kinds: readonly Kind[]): Promise<void> {
  for (const { name, table } of kinds.toReversed()) {
    if (name !== 'users') await tx.query({ text: `delete from ${table}` })
    if (name === 'follows')
      await tx.query({
        text: 'update user_metrics set followers_count = 0, following_count = 0, verified_followers_count = 0',
      })
  }
}
