import { defineOperation } from '../../api-kit/declaring/operation.ts'
import { listReply } from '../../api-kit/declaring/reply.ts'
import { PageMeta, pages, readPage } from '../../api-kit/reading/paging.ts'
import { selects } from '../../api-kit/reading/selection.ts'
import { answerPage } from '../../api-kit/writing/answer-objects.ts'
import { LARGEST_ID } from '../../process/ids.ts'
import { statement } from '../../storage/statement.ts'
import { ListId } from '../ids.ts'
import { post } from '../posts/post.object.ts'
import { type Direction, postsOfAuthors } from '../timelines/posts-of-authors.ts'
import { findReadableList } from './find-list.ts'

/**
 * Posts of the members of list `$1` beyond `$2`, at most `$3`, for viewer `$4`. Members whose posts the viewer may not see would
 * leave pages empty, so they are left out here. There are few of them: they have an index of their own.
 */
const listPosts = (direction: Direction): string =>
  postsOfAuthors({
    direction,
    authors: `select m.user_id as id from list_member m where m.list_id = $1 and not exists (
        select from user_account u where u.id = m.user_id and (u.protected or u.suspended) and u.id is distinct from $4::bigint
           and (u.suspended or not exists (select from follow f where f.source_id = $4 and f.target_id = u.id and not f.pending)))`,
    where: `p.id ${direction === 'older' ? '<' : '>'} $2 and not p.superseded and not p.nullcast
        and (p.community_id is null or p.share_with_followers)`,
    end: direction === 'older' ? `'-1'::bigint` : `'${LARGEST_ID}'::bigint`,
    limit: '$3',
  })

const statements = {
  older: statement('list_posts_older', { id: 'int8' }, listPosts('older')),
  newer: statement('list_posts_newer', { id: 'int8' }, listPosts('newer')),
}

export const getListsPosts = defineOperation({
  id: 'getListsPosts',
  route: 'GET /2/lists/{id}/posts',
  tag: 'Lists',
  summary: 'List the newest posts of the members of a list',
  auth: { app: true, oauth1: true, oauth2: ['list.read', 'post.read', 'users.read'] },
  limit: { app: '900/15m', user: '900/15m' },
  path: { id: ListId },
  query: { ...pages({ min: 1, max: 100, initial: 100, token: 'base36' }), ...selects(() => post) },
  reply: listReply('Get2ListsIdPostsResponse', post, PageMeta),
  handle: async ({ path, query, context, runtime }) => {
    const { id } = await findReadableList(context, path.id)
    const viewer = context.caller?.user?.id ?? null
    const { items, meta } = await readPage(
      query.page,
      ({ direction, key, limit }) => statements[direction].all(runtime.database, id, key, limit, viewer),
      (item) => item.id,
    )
    const ids = items.map((item) => item.id)
    return answerPage(context, ids, query.selection, meta)
  },
})
