import { typeOfKey } from '../../social/media/categories.ts'
import { textEntities } from '../../social/text/typed-text.ts'
import { type RowOf, statement } from '../../storage/statement.ts'
import type { Objective } from '../campaigns/objectives.data.ts'
import { AdsError, notFound } from '../kit/errors.ts'

const columns = {
  id: 'int8',
  author_id: 'int8',
  username: 'text',
  is_withheld: 'bool',
  nullcast: 'bool',
  reposted_post_id: 'int8?',
  text: 'text',
  entities: 'jsonb?',
  note_text: 'text?',
  note_entities: 'jsonb?',
  media_keys: 'text[]',
  context_entity_ids: 'int8[]?',
  card_type: 'text?',
  promotable_user_type: 'text?',
} as const

/** The columns of a post that decide whether it may be promoted. */
export type PostToPromote = RowOf<typeof columns>

// A repost has the contents of its original.
export const postsToPromote = statement(
  'ads_posts_to_promote',
  columns,
  `select p.id, p.author_id, u.username, u.protected or u.suspended as is_withheld, p.nullcast and p.sandbox is distinct from 'organic' as nullcast,
          p.reposted_post_id, o.text, o.entities,
          o.note_text, o.note_entities, o.media_keys, o.context_entity_ids, c.card_type, q.promotable_user_type
     from post p
     join post o on o.id = coalesce(p.reposted_post_id, p.id)
     join user_account u on u.id = p.author_id
     left join ads_promotable_user q on q.account_id = $1 and q.user_id = p.author_id and not q.deleted
     left join ads_card c on c.card_uri = o.card_uri and not c.deleted
    where p.id = any($2::bigint[]) and (p.sandbox is null or (select a.sandbox from ads_account a where a.id = $1))`,
)

const error = (code: 'INVALID_POST' | 'INVALID_USER', details: string, id: string): AdsError =>
  new AdsError(code, code === 'INVALID_POST' ? 'The post cannot be promoted' : 'The user cannot be promoted', {
    parameter: 'post_ids',
    details,
    value: id,
  })

/** Why a line item of an objective cannot promote a post, if so. */
export function promotionError(
  id: string,
  post: PostToPromote | undefined,
  objective: Objective,
): AdsError | undefined {
  if (!post) return notFound('POST_NOT_FOUND', 'post_ids', id)
  if (post.promotable_user_type === null)
    return error('INVALID_USER', 'the author is not a promotable user of the account', id)
  if (post.is_withheld) return error('INVALID_USER', 'the author is protected or suspended', id)
  if (post.reposted_post_id !== null && !post.nullcast)
    return error('INVALID_POST', 'is a repost; send the id of the reposted post', id)
  if (post.nullcast && post.promotable_user_type !== 'FULL')
    return error('INVALID_POST', 'is a promoted-only post of a user whose posts may only be reposted', id)
  const lack = lackFor(objective, post)
  return lack === undefined ? undefined : error('INVALID_POST', lack, id)
}

/** What a post lacks for an objective, or has too much of. */
function lackFor(objective: Objective, post: PostToPromote): string | undefined {
  const card = post.card_type ?? ''
  switch (objective) {
    case 'VIDEO_VIEWS':
      return post.media_keys.some(isMoving) || card === 'VIDEO_CONVERSATION'
        ? undefined
        : 'VIDEO_VIEWS needs a video, a GIF or a video conversation card'
    case 'APP_ENGAGEMENTS':
    case 'APP_INSTALLS':
      return /_APP(?:_DOWNLOAD)?$/.test(card) ? undefined : `${objective} needs an app card`
    case 'WEBSITE_CLICKS': {
      const hasCard = card.endsWith('_WEBSITE')
      const hasLink = textEntities(post).urls.length > 0
      if (hasCard && hasLink) return 'WEBSITE_CLICKS takes a website card or a link, not both'
      return hasCard || hasLink ? undefined : 'WEBSITE_CLICKS needs a website card or a link'
    }
    default:
      return undefined
  }
}

const isMoving = (key: string): boolean => {
  const type = typeOfKey(key)
  return type === 'video' || type === 'animated_gif'
}
