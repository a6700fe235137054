import type { Caller } from '../../api-kit/declaring/caller.ts'
import { neutral } from '../../api-kit/naming/naming.ts'
import { readContext } from '../../api-kit/reading/read-context.ts'
import type { Invalidate, Runtime } from '../../api-kit/runtime.ts'
import { Problem, type Sentence } from '../../api-kit/writing/problem.ts'
import type { PostDraft } from '../../social/posts/create-post.body.ts'
import { preparePost } from '../../social/posts/create-post.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { AdsError, AdsProblem, exclusiveParameters, invalidParameter } from '../kit/errors.ts'
import { cardErrors } from './find-card.ts'
import { findAuthor } from './post-authors.ts'
import { findPostMedia } from './post-media.ts'

/** A post of an account before it is checked. */
export interface AdsPostDraft {
  accountId: string
  /** Whether the account is one of the sandbox. */
  isSandbox: boolean
  authorId: string
  app: { id: string; name: string }
  text: string | null
  cardUri: string | null
  mediaKeys: readonly string[]
  nullcast: boolean
  name: string | null
  scheduledAt: Date | null
  replySettings?: PostDraft['reply_settings']
  video?: { title?: string; description?: string; action?: { kind: 'visit_site' | 'watch_now'; url: string } }
}

/** A post that passed all checks. */
export interface PreparedAdsPost {
  id: string
  /** Stores it in the transaction of the caller. */
  store(tx: Tx, invalidate: Invalidate): Promise<void>
}

const adsPostAdd = statement(
  'ads_post_add',
  {},
  'insert into ads_post (post_id, account_id, name, scheduled_at) values ($1, $2, $3, $4)',
)

// What is posted in production enters libraries by a trigger; what the sandbox posts enters the library of its account only.
const libraryMediaPosted = statement(
  'ads_sandbox_media_posted',
  {},
  `insert into ads_media_library (id, account_id, media_key, posted, unsorted, created_at, updated_at)
   select m.id, $1::bigint, m.media_key, true, true, date_trunc('second', $3::timestamptz), date_trunc('second', $3::timestamptz)
     from media m where m.media_key = any($2::text[])
   on conflict (account_id, media_key) do update set posted = true`,
)

/** Checks a post by the rules for all posts and those for posts of accounts. It throws errors of the advertising interface. */
export async function prepareAdsPost(runtime: Runtime, draft: AdsPostDraft): Promise<PreparedAdsPost> {
  const author = await findAuthor(runtime, draft.authorId)
  const now = runtime.clock.now()
  const [media, cards] = await Promise.all([
    findPostMedia(runtime.database, { ...draft, keys: draft.mediaKeys, now }),
    cardErrors(runtime.database, draft.accountId, draft.cardUri),
  ])
  const errors = [...media.errors, ...cards, ...textErrors(draft)]
  if (draft.cardUri !== null && draft.mediaKeys.length > 0)
    errors.push(exclusiveParameters('card_uri', 'card_uri and media_keys exclude each other'))
  if (draft.video && media.errors.length === 0 && media.media[0]?.type !== 'video')
    errors.push(...videoErrors(draft.video))
  if (errors.length > 0) throw new AdsProblem(errors)
  const caller = callerFor(author, draft.app)
  const prepared = await withAdsErrors(() =>
    preparePost({
      body: bodyOf(
        draft,
        media.media.map((item) => item.media_id),
      ),
      caller,
      runtime,
      context: readContext(runtime, caller, neutral),
      lentMediaKeys: media.lentKeys,
      isSandbox: draft.isSandbox,
    }),
  )
  return {
    id: prepared.id,
    store: async (tx, invalidate) => {
      if (!(await withAdsErrors(() => prepared.store(tx, invalidate)))) throw new AdsProblem([duplicateAdsPost()])
      await adsPostAdd.count(tx, prepared.id, draft.accountId, draft.name, draft.scheduledAt)
      if (draft.isSandbox && media.media.length > 0)
        await libraryMediaPosted.count(
          tx,
          draft.accountId,
          media.media.map((item) => item.media_key),
          new Date(now),
        )
    },
  }
}

export const duplicateAdsPost = () =>
  new AdsError('DUPLICATE_POST', 'The user posted the same text a short time ago', {
    parameter: 'text',
    details: 'must differ from the posts of the last 24 hours',
  })

/** The error of a post with neither text nor media items. */
export function textErrors({ text, mediaKeys }: Pick<AdsPostDraft, 'text' | 'mediaKeys'>): AdsError[] {
  if (mediaKeys.length > 0 || (text !== null && text.trim() !== '')) return []
  return [
    new AdsError(
      text === null ? 'MISSING_PARAMETER' : 'POST_CANNOT_BE_BLANK',
      text === null ? 'A required parameter is missing' : 'The text cannot be blank',
      { parameter: 'text', details: 'is required when media_keys is absent' },
    ),
  ]
}

function videoErrors({ title, description, action }: NonNullable<AdsPostDraft['video']>): AdsError[] {
  const says = 'can only be given with a video'
  return [
    ...(title === undefined ? [] : [invalidParameter('video_title', says)]),
    ...(description === undefined ? [] : [invalidParameter('video_description', says)]),
    ...(action === undefined ? [] : [invalidParameter('video_cta', says)]),
  ]
}

function bodyOf(draft: AdsPostDraft, mediaIds: string[]): PostDraft {
  const { title, description, action } = draft.video ?? {}
  return {
    ...(draft.text === null ? {} : { text: draft.text }),
    ...(draft.cardUri === null ? {} : { card_uri: draft.cardUri }),
    ...(draft.replySettings === undefined ? {} : { reply_settings: draft.replySettings }),
    ...(mediaIds.length === 0
      ? {}
      : {
          media: {
            media_ids: mediaIds,
            ...(title === undefined ? {} : { title }),
            ...(description === undefined ? {} : { description }),
            ...(action === undefined ? {} : { call_to_actions: { [action.kind]: { url: action.url } } }),
          },
        }),
    nullcast: draft.nullcast,
  }
}

// The tiers of version 2 do not apply to apps that have access to advertising.
const callerFor = (user: { id: string; username: string }, app: AdsPostDraft['app']): Caller => ({
  kind: 'oauth1',
  app: { ...app, clientId: '', tier: 'enterprise', projectId: '', accountId: '', ownerUserId: '', naming: 'auto' },
  user,
  scopes: new Set(),
  level: 'read-write',
})

async function withAdsErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem && !(error instanceof AdsProblem) && error.status < 500) throw toAdsProblem(error)
    throw error
  }
}

const PARAMETERS: Record<string, string> = { 'media.media_ids': 'media_keys', 'media.call_to_actions': 'video_cta' }

/** Converts a refusal of the rules for all posts into errors of the advertising interface. */
function toAdsProblem(problem: Problem): AdsProblem {
  // All refusals of these rules have this shape.
  const found = (problem.body.errors ?? []) as { parameters: Record<string, string[]>; message: string | Sentence }[]
  const errors = found.map(({ parameters, message }) => {
    const [member = 'text'] = Object.keys(parameters)
    const parameter = PARAMETERS[member] ?? (member.startsWith('media.call_to_actions.') ? 'video_cta_value' : member)
    const details = typeof message === 'string' ? message : message.in(neutral)
    const error = invalidParameter(parameter, details)
    return parameter === 'media_keys'
      ? error.with({ code: 'INVALID_MEDIA', message: 'The media item cannot be used here' })
      : error
  })
  if (problem.status === 400 && errors.length > 0) return new AdsProblem(errors)
  const detail = problem.body.detail as string | Sentence | undefined
  return new AdsProblem([
    new AdsError('GENERIC_POST_ERROR', 'The post cannot be created', {
      ...(detail === undefined ? {} : { details: typeof detail === 'string' ? detail : detail.in(neutral) }),
    }),
  ])
}
