import { statement } from '../../storage/statement.ts'
import { type Direction, postsOfAuthors } from './posts-of-authors.ts'

const ORDERS = { older: 'desc', newer: 'asc' } as const

const ids = { id: 'int8' } as const

/** How many posts of a user can be read, and how many without replies. */
const USER_POSTS_REACH = 3_200
const WITHOUT_REPLIES_REACH = 800

// The newest posts are read from the top, only as many as are within reach and only as far as the page needs.
const userPosts = (direction: Direction) =>
  `select id from (
       select id from (
         select id, in_reply_to_user_id, reposted_post_id from post
          where author_id = $1 and id > $2 and not superseded and not nullcast order by id desc limit ${USER_POSTS_REACH}
       ) newest
        where (not $4::bool or in_reply_to_user_id is null) and (not $5::bool or reposted_post_id is null)
        order by id desc limit case when $4::bool then ${WITHOUT_REPLIES_REACH} else ${USER_POSTS_REACH} end
     ) reached where id < $3 order by id ${ORDERS[direction]} limit $6`

/** Posts of user `$1` between `$2` and `$3`, on request without replies (`$4`) or reposts (`$5`). */
export const userPostsOlder = statement('user_posts_older', ids, userPosts('older'))
export const userPostsNewer = statement('user_posts_newer', ids, userPosts('newer'))

const MENTIONS_REACH = 800

const mentions = (direction: Direction) =>
  `select id from (
       select p.id from post_mention m join post p on p.id = m.post_id
        where m.user_id = $1 and m.post_id > $2 and not p.superseded and not p.nullcast order by m.post_id desc limit ${MENTIONS_REACH}
     ) reached where id < $3 order by id ${ORDERS[direction]} limit $4`

/** Posts that mention user `$1` between `$2` and `$3`. */
export const mentionsOlder = statement('mentions_older', ids, mentions('older'))
export const mentionsNewer = statement('mentions_newer', ids, mentions('newer'))

/** Posts of `$1` and of whom they follow, between `$2` and `$3`, on request without replies (`$4`) or reposts (`$5`), at most `$6`. */
const homePosts = (direction: Direction): string =>
  postsOfAuthors({
    direction,
    authors: `select $1::bigint as id union all
     select f.target_id from follow f where f.source_id = $1 and not f.pending
        and not exists (select from mute m where m.source_id = $1 and m.target_id = f.target_id)`,
    where: `p.id > $2 and p.id < $3 and not p.superseded and not p.nullcast
        and (p.community_id is null or p.share_with_followers) and (not $5::bool or p.reposted_post_id is null)
        and (p.in_reply_to_user_id is null or (not $4::bool and (p.author_id = $1 or p.in_reply_to_user_id in (select id from circle))))`,
    end: direction === 'older' ? '$2' : '$3',
    limit: '$6',
  })

export const homeOlder = statement('home_posts_older', ids, homePosts('older'))
export const homeNewer = statement('home_posts_newer', ids, homePosts('newer'))

/** The oldest of the newest `$6`; no row when there are fewer. */
export const homeReach = statement(
  'home_posts_reach',
  ids,
  `select min(id) as id from (${homePosts('older')}) newest having count(*) = $6`,
)
