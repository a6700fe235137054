import { change } from '../../api-kit/runtime.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import type { EventType } from '../../events/catalog.ts'
import { endAccess } from '../../identity/end-access.ts'
import { grantAdd } from '../../identity/oauth2/tokens.ts'
import { likePost, unlikePost } from '../../social/likes/like-posts.ts'
import type { PostDraft } from '../../social/posts/create-post.body.ts'
import { deletePosts } from '../../social/posts/delete-post.ts'
import { repostFind } from '../../social/reposts/repost.statements.ts'
import { repostPost, unrepostPost } from '../../social/reposts/repost-posts.ts'
import { type Statement, statement } from '../../storage/statement.ts'
import { firstAppId } from '../../world/first-facts.ts'
import { chatTriggers } from './trigger-chat.ts'
import {
  findPost,
  isRelated,
  operate,
  relate,
  type Trigger,
  type TriggerContext,
  type TriggerResult,
  unblockBoth,
  uniqueText,
  writePost,
} from './trigger-context.ts'
import { messageTriggers } from './trigger-messages.ts'
import { newsTriggers } from './trigger-news.ts'
import { profileTriggers } from './trigger-profile.ts'
import { spaceTriggers } from './trigger-spaces.ts'

/** Refuses an action of a user on themselves where that causes no event. */
function checkDifferentUsers({ user, target }: TriggerContext): void {
  if (user.id === target.id)
    throw invalidParameter('target', target.username, `The user and the target are both @${user.username}.`)
}

const words = (context: TriggerContext, fallback: string): string => context.text ?? uniqueText(context, fallback)

function newPost(
  does: string,
  takes: Trigger['takes'],
  draft: (context: TriggerContext) => Promise<PostDraft>,
): Trigger {
  return {
    does,
    takes,
    postOf: 'target',
    run: async (context) => {
      if (takes.includes('target')) checkDifferentUsers(context)
      const { runtime, user } = context
      const id = await writePost(runtime, user, await draft(context))
      const event = { type: 'post.create' as const, post_id: id }
      return { done: `@${user.username} wrote post ${id}`, ids: { post_id: id }, event }
    },
  }
}

async function mention(context: TriggerContext): Promise<PostDraft> {
  await unblockBoth(context)
  const name = `@${context.target.username}`
  const text = words(context, 'Triggered')
  return { text: new RegExp(`${name}(?!\\w)`, 'i').test(text) ? text : `${name} ${text}` }
}

/** The user's post to change: the given one, or a new one. */
async function ownPost(context: TriggerContext): Promise<string> {
  const { runtime, user, post, first } = context
  if (post) return post.id
  const id = await writePost(runtime, user, { text: uniqueText(context, 'Written for a trigger') })
  first.push(`@${user.username} wrote post ${id}`)
  return id
}

async function editPost(context: TriggerContext): Promise<TriggerResult> {
  const { runtime, user } = context
  const previous = await ownPost(context)
  const draft = { text: words(context, 'Edited by a trigger'), edit_options: { previous_post_id: previous } }
  const id = await writePost(runtime, user, draft)
  const ids = { post_id: id, previous_post_id: previous }
  return { done: `@${user.username} edited post ${previous}`, ids, event: { type: 'post.edit', post_id: id } }
}

async function deletePost(context: TriggerContext): Promise<TriggerResult> {
  const { runtime, user, post } = context
  const id = await ownPost(context)
  await operate(runtime, user, deletePosts, { path: { id } })
  const event = { type: 'post.delete' as const, post_id: post?.first_version_id ?? id }
  return { done: `@${user.username} deleted post ${id}`, ids: { post_id: id }, event }
}

const likeFind = statement(
  'trigger_like_find',
  { id: 'int8' },
  'select id from post_like where post_id = $1 and user_id = $2',
)

/** A like or repost, which a user can add to a post once and remove: the words, events and operations for both. */
interface Mark {
  verbs: readonly [on: string, off: string]
  events: readonly [on: EventType, off: EventType]
  /** The member of the answer that holds its id. */
  idName: string
  find: Statement<{ id: string }>
  turn(context: TriggerContext, postId: string, on: boolean): Promise<unknown>
}

const LIKE: Mark = {
  verbs: ['liked', 'removed the like from'],
  events: ['like.create', 'like.delete'],
  idName: 'like_id',
  find: likeFind,
  turn: ({ runtime, user }, postId, on) =>
    on
      ? operate(runtime, user, likePost, { path: { id: user.id }, body: { post_id: postId } })
      : operate(runtime, user, unlikePost, { path: { id: user.id, post_id: postId } }),
}

const REPOST: Mark = {
  verbs: ['reposted', 'removed the repost of'],
  events: ['repost.create', 'repost.delete'],
  idName: 'repost_id',
  find: repostFind,
  turn: ({ runtime, user }, postId, on) =>
    on
      ? operate(runtime, user, repostPost, { path: { id: user.id }, body: { post_id: postId } })
      : operate(runtime, user, unrepostPost, { path: { id: user.id, source_post_id: postId } }),
}

function marking(does: string, mark: Mark, sets: boolean): Trigger {
  const way = sets ? 0 : 1
  return {
    does,
    takes: ['target', 'post_id'],
    postOf: 'target',
    run: async (context) => {
      if (mark === REPOST) checkDifferentUsers(context)
      const { runtime, user, first } = context
      const postId = await findPost(context)
      const find = () => mark.find.first(runtime.database, postId, user.id)
      const describe = (index: number) => `@${user.username} ${mark.verbs[index]} post ${postId}`
      if (((await find()) !== undefined) === sets) {
        await mark.turn(context, postId, !sets)
        first.push(describe(1 - way))
      }
      const before = await find()
      await mark.turn(context, postId, sets)
      const found = before ?? (await find())
      const ids = { post_id: postId, ...(found ? { [mark.idName]: found.id } : {}) }
      return { done: describe(way), ids, event: { type: mark.events[way]!, post_id: postId } }
    },
  }
}

function relating(does: string, kind: 'follow' | 'mute' | 'block', makes: boolean, type: EventType): Trigger {
  return {
    does,
    takes: ['target'],
    run: async (context) => {
      checkDifferentUsers(context)
      const { runtime, user, target, first } = context
      if (kind === 'follow') await unblockBoth(context)
      if ((await isRelated(context, kind)) === makes) first.push(await relate(runtime, kind, !makes, user, target))
      const done = await relate(runtime, kind, makes, user, target)
      return { done, ids: {}, event: { type, target_id: target.id } }
    },
  }
}

/** Revokes all access that the user granted to the first app, as the user would. Without access there is nothing to revoke, so it is granted first. */
async function revokeAccess({ runtime, user, first }: TriggerContext): Promise<TriggerResult> {
  const [userId, appId] = [user.id, firstAppId(0)]
  const end = () => change(runtime, (tx, invalidate) => endAccess(tx, invalidate, runtime, { userId, appId }))
  let ended = await end()
  if (ended.oauth1 + ended.oauth2 === 0) {
    const given = new Date(runtime.clock.now())
    await grantAdd.count(runtime.database, runtime.ids.next(), appId, userId, ['users.read'], 'neutral', given)
    first.push(`@${user.username} granted access to the app ${appId}`)
    ended = await end()
  }
  const grants = { oauth1_grants: ended.oauth1, oauth2_grants: ended.oauth2 }
  const done = `@${user.username} revoked the access of the app ${appId}, whose tokens of this user no longer work`
  return { done, ids: { app_id: appId, ...grants }, event: { type: 'oauth.revoke' } }
}

/** Every event type that can be triggered. U is the user who acts, T the target. */
export const TRIGGERS: Readonly<Record<string, Trigger>> = {
  'post.create': newPost('U writes a post', ['text'], async (context) => ({ text: words(context, 'Triggered') })),
  'post.mention.create': newPost('U writes a post that mentions T', ['target', 'text'], mention),
  'post.reply.create': newPost('U replies to a post by T', ['target', 'text', 'post_id'], async (context) => ({
    reply: { in_reply_to_post_id: await findPost(context) },
    text: words(context, 'Triggered reply'),
  })),
  'post.quote.create': newPost('U quotes a post by T', ['target', 'text', 'post_id'], async (context) => ({
    quote_post_id: await findPost(context),
    text: words(context, 'Triggered quote'),
  })),
  'post.repost.create': marking('U reposts a post by T', REPOST, true),
  'post.repost.delete': marking('U removes a repost of a post by T', REPOST, false),
  'post.edit': {
    does: 'U edits a post; U must have a premium subscription',
    takes: ['text', 'post_id'],
    postOf: 'user',
    run: editPost,
  },
  'post.delete': { does: 'U deletes a post', takes: ['post_id'], postOf: 'user', run: deletePost },
  'like.create': marking('U likes a post by T', LIKE, true),
  'like.delete': marking('U removes the like from a post by T', LIKE, false),
  'follow.follow': relating('U follows T', 'follow', true, 'follow.follow'),
  'follow.unfollow': relating('U stops following T', 'follow', false, 'follow.unfollow'),
  'mute.mute': relating('U mutes T', 'mute', true, 'mute.mute'),
  'mute.unmute': relating('U unmutes T', 'mute', false, 'mute.unmute'),
  'block.block': relating('U blocks T', 'block', true, 'block.block'),
  'block.unblock': relating('U unblocks T', 'block', false, 'block.unblock'),
  'oauth.revoke': {
    does: 'U revokes the access of the first app; its tokens of U stop working',
    takes: [],
    run: revokeAccess,
  },
  ...spaceTriggers,
  ...chatTriggers,
  ...messageTriggers,
  ...newsTriggers,
  ...profileTriggers,
}
