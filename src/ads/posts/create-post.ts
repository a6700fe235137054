import { change } from '../../api-kit/runtime.ts'
import { cardUriKind } from '../cards/card-ids.ts'
import { type AdsError, inclusiveParameters, invalidParameter } from '../kit/errors.ts'
import { defineAdsOperation, optional, required } from '../kit/operation.ts'
import { flagKind, longKind, oneOfKind, textKind } from '../kit/values.ts'
import { AdsPostSchema } from './ads-post.schema.ts'
import { checkAuthor } from './post-authors.ts'
import { mediaKeysKind, postNameKind, postTextKind } from './post-kinds.ts'
import { type AdsPostDraft, prepareAdsPost } from './prepare-ads-post.ts'
import { readPublished } from './read-posts.ts'
import { showPost } from './show-post.ts'

const REPLY_SETTINGS = { EVERYONE: undefined, FOLLOWING: 'following', MENTIONED_USERS: 'mentionedUsers' } as const
const ACTIONS = { VISIT_SITE: 'visit_site', WATCH_NOW: 'watch_now' } as const

interface VideoParams {
  video_cta?: keyof typeof ACTIONS | undefined
  video_cta_value?: string | undefined
  video_description?: string | undefined
  video_title?: string | undefined
}

const isWebAddress = (text: string): boolean => URL.canParse(text) && new URL(text).protocol === 'https:'

/** The label of a button and its address are given together. */
function actionErrors({ video_cta: action, video_cta_value: url }: VideoParams): AdsError[] {
  if ((action === undefined) !== (url === undefined))
    return [
      inclusiveParameters(
        action === undefined ? 'video_cta' : 'video_cta_value',
        'video_cta and video_cta_value must be given together',
      ),
    ]
  return url === undefined || isWebAddress(url)
    ? []
    : [invalidParameter('video_cta_value', 'must be an https address', url.slice(0, 200))]
}

function videoOf(params: VideoParams): Pick<AdsPostDraft, 'video'> {
  const { video_cta: action, video_cta_value: url, video_description: description, video_title: title } = params
  if (action === undefined && description === undefined && title === undefined) return {}
  return {
    video: {
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      ...(action === undefined || url === undefined ? {} : { action: { kind: ACTIONS[action], url } }),
    },
  }
}

/** Creates a post for ads: promoted-only, unless callers post to their own followers. */
export const createAdsPost = defineAdsOperation({
  id: 'createPost',
  route: 'POST /12/accounts/{account_id}/post',
  tag: 'Posts',
  summary: 'Create a post for ads',
  params: {
    as_user_id: required(longKind),
    text: optional(postTextKind),
    card_uri: optional(cardUriKind),
    conversation_settings: optional(oneOfKind(['EVERYONE', 'FOLLOWING', 'MENTIONED_USERS'])),
    media_keys: optional(mediaKeysKind),
    name: optional(postNameKind),
    nullcast: optional(flagKind, { initial: true }),
    trim_user: optional(flagKind, { initial: false }),
    post_mode: optional(oneOfKind(['compat', 'extended'])),
    video_cta: optional(oneOfKind(['VISIT_SITE', 'WATCH_NOW'])),
    video_cta_value: optional(textKind({ min: 1, max: 2_000 })),
    video_description: optional(textKind({ max: 200 })),
    video_title: optional(textKind({ max: 70 })),
  },
  data: AdsPostSchema,
  may: 'manage creatives',
  check: actionErrors,
  handle: async ({ params, account, user, caller, sandbox, runtime }) => {
    const { as_user_id: authorId, nullcast = true, conversation_settings: settings = 'EVERYONE' as const } = params
    await checkAuthor(runtime, { user, account }, { asUserId: authorId, nullcast, organicNeedsFull: false })
    const replySettings = REPLY_SETTINGS[settings]
    const post = await prepareAdsPost(runtime, {
      accountId: account.id,
      isSandbox: sandbox,
      authorId,
      app: caller.app,
      text: params.text ?? null,
      cardUri: params.card_uri ?? null,
      mediaKeys: params.media_keys ?? [],
      nullcast,
      name: params.name || null,
      scheduledAt: null,
      ...(replySettings === undefined ? {} : { replySettings }),
      ...videoOf(params),
    })
    await change(runtime, (tx, invalidate) => post.store(tx, invalidate))
    runtime.bus.wake('outbox')
    const { posts, context } = await readPublished(runtime, [post.id], {
      accountId: account.id,
      viewerId: user.id,
      isSandbox: sandbox,
    })
    const view = { mode: params.post_mode ?? 'compat', trimUser: params.trim_user === true, isRead: false } as const
    return { data: showPost(posts[0]!, view, context) }
  },
})
