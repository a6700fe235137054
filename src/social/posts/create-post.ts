import { createHash } from 'node:crypto'
import { defineOperation, type Input, userOf } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { component, Type } from '../../api-kit/declaring/schema.ts'
import { change, changeByStatement, type Invalidate, type Runtime } from '../../api-kit/runtime.ts'
import { WithHeaders } from '../../api-kit/writing/answer.ts'
import { named, say } from '../../api-kit/writing/problem.ts'
import { forbidden, invalidParameter } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { postTerms } from '../../search/post-terms.ts'
import type { Db, Tx } from '../../storage/database.ts'
import { PostId } from '../ids.ts'
import { linkColumns } from '../links/short-link.ts'
import { type Attachment, findAttachment, storeMediaDetails, useMedia } from '../media/attach-media.ts'
import { placeRow } from '../places/place.object.ts'
import { spacePostsAdd } from '../spaces/space.statements.ts'
import { spacesInText } from '../spaces/space-ids.ts'
import { userRow } from '../users/user.parts.ts'
import { findCard } from './attach-card.ts'
import { PostCreateRequest, type PostDraft } from './create-post.body.ts'
import { checkCashtags, checkDeepLink, checkDraft, checkQuoteTier } from './draft-rules.ts'
import { checkEdit, supersede } from './edit-post.ts'
import { findTarget } from './find-target.ts'
import { insertPosts, insertWithOthers, type NewPost } from './insert-posts.ts'
import { type PostRow, postVersions } from './post.parts.ts'
import { isMember, postPinMove } from './post.statements.ts'
import { prepareText } from './prepare-text.ts'
import { checkReply, replyPrefix } from './reply-rules.ts'

export const createPosts = defineOperation({
  id: 'createPosts',
  route: 'POST /2/posts',
  tag: 'Posts',
  summary: 'Create or edit a post',
  auth: { oauth1: true, oauth2: ['post.read', 'post.write', 'users.read'] },
  limit: { app: '10000/24h', user: '100/15m' },
  body: PostCreateRequest,
  status: 201,
  reply: component(
    'PostCreateResponse',
    Type.Object({
      data: Type.Optional(
        Type.Object({
          id: PostId,
          text: component('PostText', Type.String()),
          edit_history_post_ids: Type.Optional(Type.Array(PostId)),
        }),
      ),
      errors: ErrorsSchema,
    }),
  ),
  handle: async (input) => {
    const made = await publishPost(input)
    const data = input.request.isPlatformHost ? await withVersions(input.runtime, made) : made
    return new WithHeaders(
      { data },
      { location: `${input.request.baseUrl}${input.naming.rename('/2/posts')}/${data.id}` },
    )
  },
})

/** The platform shows the versions of every post, also of a new one. */
async function withVersions(runtime: Runtime, made: { id: string; text: string }) {
  const versions = await runtime.parts.one(postVersions, made.id)
  return { ...made, edit_history_post_ids: versions?.version_ids ?? [made.id] }
}

type CreateInput = Pick<Input<unknown, unknown, PostDraft>, 'body' | 'caller' | 'runtime' | 'context'> & {
  /** Media items of other users that the author may use in this post. */
  lentMediaKeys?: ReadonlySet<string>
  /** Whether the post stays in the sandbox of advertising. */
  isSandbox?: boolean
}

/** A post that is checked and not stored yet. */
interface PreparedPost {
  id: string
  text: string
  /** Storing it takes more than one statement. */
  needsTransaction: boolean
  /** Stores it. False when the author posted the same a short time ago; the transaction must then be rolled back. */
  store(db: Db, invalidate: Invalidate): Promise<boolean>
}

/** 403: the author posted the same a short time ago. */
export const duplicatePost = () =>
  forbidden(
    say`You are not allowed to create a Post with duplicate content.`,
    'the author posted the same text in the last 24 hours',
  )

/** Checks a draft, and stores it as a post. */
export async function publishPost(input: CreateInput): Promise<{ id: string; text: string }> {
  const { id, text, needsTransaction, store } = await preparePost(input)
  const storeOnce = async (db: Db, invalidate: Invalidate) => {
    if (!(await store(db, invalidate))) throw duplicatePost()
  }
  await (needsTransaction ? change(input.runtime, storeOnce) : changeByStatement(input.runtime, storeOnce))
  input.runtime.bus.wake('outbox')
  return { id, text }
}

/** Checks a draft, for callers who store the post together with something else. */
export async function preparePost({
  body,
  caller,
  runtime,
  context,
  lentMediaKeys,
  isSandbox = false,
}: CreateInput): Promise<PreparedPost> {
  checkDraft(body)
  checkDeepLink(body.direct_message_deep_link)
  if (body.quote_post_id !== undefined) checkQuoteTier(caller)
  const author = (await runtime.parts.one(userRow, userOf(caller).id))!
  const [answered, quoted, previous] = await Promise.all([
    findTarget(context, body.reply?.in_reply_to_post_id, 'reply.in_reply_to_post_id'),
    findTarget(context, body.quote_post_id, 'quote_post_id'),
    findTarget(context, body.edit_options?.previous_post_id, 'edit_options.previous_post_id'),
  ])
  if (previous) checkEdit(previous, author, runtime.clock.now())
  if (answered) await checkReply(context, caller, author, answered)
  const card =
    body.card_uri === undefined
      ? undefined
      : await findCard(runtime, body.card_uri, { isEdit: previous !== undefined, isSandbox })
  const attachment =
    body.media || (!card && previous?.media_keys.length)
      ? await findAttachment(context, runtime, author.id, body.media, previous?.media_keys ?? [], lentMediaKeys)
      : undefined
  const place = await findPlace(runtime, previous?.place_id ?? undefined, body, author.geo_enabled)
  const communityId = await findCommunity(runtime, body, answered, author.id)

  const id = runtime.ids.next()
  const prefix = answered && body.reply ? await replyPrefix(context, author.id, answered, body) : ''
  const prepared = await prepareText(runtime, {
    id,
    author,
    prefix,
    draft: body,
    isReply: answered !== undefined,
    attachment,
  })
  checkCashtags(caller, prepared.entities?.cashtags?.length ?? 0)

  const sharedSpaces = spacesInText(body.text ?? '', runtime.baseUrl)
  const poll = card?.poll ?? (body.poll && draftedPoll(body.poll, runtime.clock.now()))
  const pollId = poll ? runtime.ids.next() : null
  const links = linkColumns(prepared.links)
  const terms = postTerms({
    ...prepared.searchable,
    replyToUserId: previous?.in_reply_to_user_id ?? answered?.author_id,
    place: place && { id: place.id, name: place.full_name, countryCode: place.country_code },
    mediaTypes: attachment?.media.map((item) => item.type),
  })
  const insert = async (db: Db, invalidate: Invalidate, hidden: boolean) => {
    invalidate('user_metrics', author.id)
    if (answered) invalidate('post_metrics', answered.id)
    if (quoted) invalidate('post_metrics', quoted.id)
    const post: NewPost = {
      id,
      author_id: author.id,
      digest: textDigest(body, previous, attachment, card?.uri, isSandbox),
      text: prepared.text,
      entities: prepared.entities ?? null,
      note_text: prepared.noteText,
      note_entities: prepared.noteEntities ?? null,
      display_start: prepared.range[0],
      display_end: prepared.range[1],
      lang: prepared.lang,
      conversation_id: previous?.conversation_id ?? answered?.conversation_id ?? id,
      in_reply_to_post_id: previous?.in_reply_to_post_id ?? answered?.id ?? null,
      in_reply_to_user_id: previous?.in_reply_to_user_id ?? answered?.author_id ?? null,
      quoted_post_id: previous?.quoted_post_id ?? quoted?.id ?? null,
      first_version_id: previous?.first_version_id ?? id,
      reply_settings: previous?.reply_settings ?? body.reply_settings ?? body.poll?.reply_settings ?? 'everyone',
      community_id: communityId ?? null,
      share_with_followers: body.share_with_followers ?? false,
      place_id: place?.id ?? null,
      poll_id: pollId,
      nullcast: isSandbox || (body.nullcast ?? false),
      sandbox: isSandbox ? (body.nullcast ? 'promoted' : 'organic') : null,
      made_with_ai: body.made_with_ai ?? previous?.made_with_ai ?? false,
      paid_partnership: body.paid_partnership ?? previous?.paid_partnership ?? false,
      mentioned_user_ids: prepared.mentionedIds,
      source_app_id: caller.app.id,
      source: caller.app.name,
      search: terms,
      media_keys: attachment?.keys ?? [],
      possibly_sensitive: attachment?.isSensitive ?? false,
      hidden,
      card_uri: card?.uri ?? (body.media ? null : (previous?.card_uri ?? null)),
      context_entity_ids: prepared.contextEntityIds,
      link_codes: links.codes,
      link_urls: links.urls,
      poll_minutes: poll?.minutes ?? null,
      poll_ends_at: poll?.endsAt ?? null,
      poll_options: poll?.options ?? [],
      happened_at: new Date(runtime.clock.now()),
    }
    return 'inTransaction' in db ? (await insertPosts(db, [post])).has(id) : insertWithOthers(runtime, post)
  }
  const store = async (db: Db, invalidate: Invalidate) => {
    const tx = db as Tx
    const before = previous && (await supersede(tx, previous))
    if (before) invalidate('post', ...before.ids)
    if (attachment) await useMedia(tx, invalidate, attachment, author.id, { now: runtime.clock.now(), isSandbox })
    // A hidden reply stays hidden when its author edits it.
    if (!(await insert(db, invalidate, before?.hidden ?? false))) return false
    if (before && (await postPinMove.count(tx, author.id, before.ids, id)) > 0) invalidate('user', author.id)
    if (attachment) await storeMediaDetails(tx, id, author.id, attachment, previous === undefined && !isSandbox)
    if (sharedSpaces.length > 0 && !isSandbox) await spacePostsAdd.count(tx, sharedSpaces, id)
    return true
  }
  const needsTransaction = previous !== undefined || attachment !== undefined || sharedSpaces.length > 0
  return { id, text: prepared.text, needsTransaction, store }
}

const draftedPoll = (poll: NonNullable<PostDraft['poll']>, now: number) => ({
  options: poll.options,
  minutes: poll.duration_minutes,
  endsAt: new Date(now + poll.duration_minutes * 60_000),
})

/** Two posts are the same when they have the same text, attachments, and reply or quote the same post. */
export function textDigest(
  body: PostDraft,
  previous?: PostRow,
  attachment?: Pick<Attachment, 'keys'>,
  cardUri?: string,
  isSandbox = false,
): string {
  const about = [
    (body.text ?? '').normalize('NFC').trim(),
    body.reply?.in_reply_to_post_id ?? previous?.in_reply_to_post_id ?? '',
    body.quote_post_id ?? previous?.quoted_post_id ?? '',
    body.community_id ?? '',
    // The same text with different media items, card or poll is a different post.
    ...(attachment?.keys ?? []),
    ...(cardUri === undefined ? [] : [cardUri]),
    ...(body.poll?.options ?? []),
    ...(isSandbox ? ['sandbox'] : []),
  ]
  return createHash('sha256').update(about.join('\0')).digest('hex')
}

/** The place of an edited post stays. Otherwise the place that the draft names, which is ignored for authors who have places off. */
async function findPlace(runtime: Runtime, kept: string | undefined, body: PostDraft, geoEnabled: boolean) {
  const placeId = kept ?? (geoEnabled ? body.geo?.place_id : undefined)
  if (placeId === undefined) return undefined
  const place = await runtime.parts.one(placeRow, placeId)
  if (!place) throw invalidParameter('geo.place_id', placeId, `There is no place [${placeId}].`)
  return place
}

/** The community of a post: the one that the draft names, and that of the answered post. Only members post in it. */
async function findCommunity(
  runtime: Runtime,
  body: PostDraft,
  answered: PostRow | undefined,
  authorId: string,
): Promise<string | undefined> {
  const communityId = body.community_id ?? answered?.community_id ?? undefined
  if (communityId === undefined) return undefined
  const row = isStorableId(communityId) ? await isMember.first(runtime.database, communityId, authorId) : undefined
  if (!row) throw invalidParameter('community_id', communityId, `There is no community [${communityId}].`)
  if (answered && answered.community_id !== communityId)
    throw invalidParameter(
      'community_id',
      communityId,
      say`The answered ${named('Post')} is not in the community [${communityId}].`,
    )
  if (!row.member)
    throw forbidden(
      say`Only members of a community can create a ${named('Post')} in it.`,
      'the user is not a member of the community',
    )
  return communityId
}
