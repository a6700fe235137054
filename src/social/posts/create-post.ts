import { createHash } from 'node:crypto'
import { change, changeByStatement, type House, type Touch } from '../../api-kit/house.ts'
import { defineOperation, type Input, userOf, WithHeaders } from '../../api-kit/operation.ts'
import { named, say } from '../../api-kit/problem.ts'
import { forbidden, invalidParameter } from '../../api-kit/problems.ts'
import { ErrorsSchema } from '../../api-kit/reply.ts'
import { component, Type } from '../../api-kit/schema.ts'
import { idAt, isStorableId, timeOfId } from '../../process/ids.ts'
import { postTerms } from '../../search/post-terms.ts'
import type { Db } from '../../storage/database.ts'
import { PostId } from '../ids.ts'
import { linkColumns } from '../links/short-link.ts'
import { placeRow } from '../places/place.object.ts'
import { userRow } from '../users/user.parts.ts'
import { PostCreateRequest, type PostDraft } from './create-post.body.ts'
import { checkCashtags, checkDeepLink, checkDraft, checkQuoteTier } from './draft-rules.ts'
import { checkEdit, supersede } from './edit-post.ts'
import { findTarget } from './find-target.ts'
import type { PostRow } from './post.parts.ts'
import { isMember, postInsert } from './post.statements.ts'
import { prepareText } from './prepare-text.ts'
import { checkReply, replyPrefix } from './reply-rules.ts'

const DUPLICATE_WINDOW_MS = 24 * 3600_000

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
      data: Type.Optional(Type.Object({ id: PostId, text: component('PostText', Type.String()) })),
      errors: ErrorsSchema,
    }),
  ),
  handle: async (input) => {
    const data = await createPost(input)
    return new WithHeaders(
      { data },
      { location: `${input.house.baseUrl}${input.naming.rename('/2/posts')}/${data.id}` },
    )
  },
})

type CreateInput = Pick<Input<unknown, unknown, PostDraft>, 'body' | 'caller' | 'house' | 'context'>

/** Checks a draft against the rules and the world, and stores it. */
export async function createPost({ body, caller, house, context }: CreateInput): Promise<{ id: string; text: string }> {
  checkDraft(body)
  checkDeepLink(body.direct_message_deep_link)
  if (body.quote_post_id !== undefined) checkQuoteTier(caller, house.baseUrl)
  const author = (await house.parts.one(userRow, userOf(caller).id))!
  const [answered, quoted, previous] = await Promise.all([
    findTarget(context, body.reply?.in_reply_to_post_id, 'reply.in_reply_to_post_id'),
    findTarget(context, body.quote_post_id, 'quote_post_id'),
    findTarget(context, body.edit_options?.previous_post_id, 'edit_options.previous_post_id'),
  ])
  if (previous) checkEdit(previous, author, house.clock.now())
  if (answered) await checkReply(context, caller, author, answered)
  const place = await findPlace(house, previous?.place_id ?? undefined, body, author.geo_enabled)
  await checkCommunity(house, body, author.id)

  const id = house.ids.next()
  const prefix = answered && body.reply ? await replyPrefix(context, author.id, answered, body) : ''
  const prepared = await prepareText(house, { id, author, prefix, draft: body, isReply: answered !== undefined })
  checkCashtags(caller, prepared.entities?.cashtags?.length ?? 0)

  const pollId = body.poll ? house.ids.next() : null
  const links = linkColumns(prepared.links)
  const terms = postTerms({
    ...prepared.searchable,
    replyToUserId: previous?.in_reply_to_user_id ?? answered?.author_id,
    place: place && { id: place.id, name: place.full_name, countryCode: place.country_code },
  })
  const store = async (db: Db, touch: Touch) => {
    touch('user_metrics', author.id)
    if (answered) touch('post_metrics', answered.id)
    if (quoted) touch('post_metrics', quoted.id)
    const stored = await postInsert.first(
      db,
      id,
      author.id,
      idAt(timeOfId(id) - DUPLICATE_WINDOW_MS),
      textDigest(body, previous),
      prepared.text,
      json(prepared.entities),
      prepared.noteText,
      json(prepared.noteEntities),
      prepared.range[0],
      prepared.range[1],
      prepared.lang,
      previous?.conversation_id ?? answered?.conversation_id ?? id,
      previous?.in_reply_to_post_id ?? answered?.id ?? null,
      previous?.in_reply_to_user_id ?? answered?.author_id ?? null,
      previous?.quoted_post_id ?? quoted?.id ?? null,
      previous?.first_version_id ?? id,
      previous?.reply_settings ?? body.reply_settings ?? body.poll?.reply_settings ?? 'everyone',
      body.community_id ?? null,
      body.share_with_followers ?? false,
      place?.id ?? null,
      pollId,
      body.nullcast ?? false,
      body.made_with_ai ?? previous?.made_with_ai ?? false,
      body.paid_partnership ?? previous?.paid_partnership ?? false,
      prepared.mentionedIds,
      caller.app.id,
      caller.app.name,
      links.codes,
      links.urls,
      body.poll?.duration_minutes ?? null,
      body.poll ? new Date(house.clock.now() + body.poll.duration_minutes * 60_000) : null,
      body.poll?.options ?? [],
      new Date(house.clock.now()),
      terms,
    )
    if (!stored)
      throw forbidden(
        say`You are not allowed to create a Post with duplicate content.`,
        'the author posted the same text in the last 24 hours',
      )
  }
  if (previous) {
    await change(house, async (tx, touch) => {
      touch('post', ...(await supersede(tx, previous)))
      await store(tx, touch)
    })
  } else await changeByStatement(house, store)
  house.switchboard.nudge('outbox')
  return { id, text: prepared.text }
}

const json = (value: unknown): string | null => (value === undefined || value === null ? null : JSON.stringify(value))

/** Two posts are the same when their words and what they answer or quote are. */
function textDigest(body: PostDraft, previous: PostRow | undefined): Buffer {
  const about = [
    (body.text ?? '').normalize('NFC').trim(),
    body.reply?.in_reply_to_post_id ?? previous?.in_reply_to_post_id ?? '',
    body.quote_post_id ?? previous?.quoted_post_id ?? '',
    body.community_id ?? '',
  ]
  return createHash('sha256').update(about.join('\0')).digest()
}

async function findPlace(house: House, kept: string | undefined, body: PostDraft, geoEnabled: boolean) {
  const placeId = kept ?? body.geo?.place_id
  if (placeId === undefined) return undefined
  const place = await house.parts.one(placeRow, placeId)
  if (!place) throw invalidParameter('geo.place_id', placeId, `There is no place [${placeId}].`)
  return geoEnabled || kept !== undefined ? place : undefined
}

async function checkCommunity(house: House, body: PostDraft, authorId: string): Promise<void> {
  if (body.community_id === undefined) return
  const row = isStorableId(body.community_id)
    ? await isMember.first(house.database, body.community_id, authorId)
    : undefined
  if (!row) throw invalidParameter('community_id', body.community_id, `There is no community [${body.community_id}].`)
  if (!row.member)
    throw forbidden(
      say`Only members of a community can create a ${named('Post')} in it.`,
      'the user is not a member of the community',
    )
}
