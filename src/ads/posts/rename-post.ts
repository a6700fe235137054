import { change } from '../../api-kit/runtime.ts'
import { statement } from '../../storage/statement.ts'
import { AdsProblem, notFound } from '../kit/errors.ts'
import { defineAdsOperation, optional } from '../kit/operation.ts'
import { longKind } from '../kit/values.ts'
import { AdsPostSchema } from './ads-post.schema.ts'
import { postNameKind } from './post-kinds.ts'
import { reachedPosts } from './reached-posts.ts'
import { readPublished } from './read-posts.ts'
import { showPost } from './show-post.ts'

const postNameSet = statement(
  'ads_post_name_set',
  {},
  `insert into ads_post (post_id, account_id, name) select p.id, $2, $3 from post p where p.id = $1
   on conflict (post_id, account_id) do update set name = excluded.name`,
)

export const updatePostName = defineAdsOperation({
  id: 'updatePostName',
  route: 'PUT /12/accounts/{account_id}/posts/{post_id}/name',
  tag: 'Posts',
  summary: 'Update the name of a post',
  path: { post_id: { kind: longKind, missing: 'POST_NOT_FOUND' } },
  params: { name: optional(postNameKind, { clearable: true }) },
  data: AdsPostSchema,
  may: 'manage creatives',
  handle: async ({ params, path, account, user, sandbox, runtime }) => {
    const id = path.post_id!
    const [reached] = await reachedPosts(runtime.database, account.id, [id])
    if (reached !== undefined && params.name !== undefined)
      await change(runtime, (tx) => postNameSet.count(tx, id, account.id, params.name || null))
    const view = { accountId: account.id, viewerId: user.id, isSandbox: sandbox }
    const { posts, context } = await readPublished(runtime, reached === undefined ? [] : [reached], view)
    if (!posts[0]) throw new AdsProblem([notFound('POST_NOT_FOUND', 'post_id', id)])
    const shown = { mode: 'extended', trimUser: false, isRead: true } as const
    return { data: showPost(posts[0], shown, context) }
  },
})
