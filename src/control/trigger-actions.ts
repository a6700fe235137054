import { change } from '../api-kit/runtime.ts'
import { invalidParameter } from '../api-kit/writing/problems.ts'
import type { EventType } from '../events/catalog.ts'
import { grantAdd, revokeGrantedAccess } from '../identity/oauth2/tokens.ts'
import { likePost, unlikePost } from '../social/likes/like-posts.ts'
import type { PostDraft } from '../social/posts/create-post.body.ts'
import { deletePosts } from '../social/posts/delete-post.ts'
import { repostFind } from '../social/reposts/repost.statements.ts'
import { repostPost, unrepostPost } from '../social/reposts/repost-posts.ts'
import { type Statement, statement } from '../storage/statement.ts'
import { firstAppId } from '../world/first-facts.ts'
import { profileTriggers } from './trigger-profile.ts'
import {
  type Deed,
  findPost,
  fresh,
  isRelated,
  operate,
  relate,
  type Scene,
  type Trigger,
  unblockBoth,
  writePost,
} from './trigger-scene.ts'

/** Refuses what nobody is told of when it is done to oneself. */
function checkTwo({ user, target }: Scene): void {
  if (user.id === target.id)
    throw invalidParameter('target', target.username, `The user and the target are both @${user.username}.`)
}

const words = (scene: Scene, fallback: string): string => scene.text ?? fresh(scene, fallback)

function newPost(does: string, takes: Trigger['takes'], draft: (scene: Scene) => Promise<PostDraft>): Trigger {
  return {
    does,
    takes,
    postOf: 'target',
    run: async (scene) => {
      if (takes.includes('target')) checkTwo(scene)
      const { runtime, user } = scene
      const id = await writePost(runtime, user, await draft(scene))
      const event = { type: 'post.create' as const, post_id: id }
      return { done: `@${user.username} wrote post ${id}`, ids: { post_id: id }, event }
    },
  }
}

async function mention(scene: Scene): Promise<PostDraft> {
  await unblockBoth(scene)
  const name = `@${scene.target.username}`
  const text = words(scene, 'Triggered')
  return { text: new RegExp(`${name}(?!\\w)`, 'i').test(text) ? text : `${name} ${text}` }
}

/** The user's own post that is to change: the one that was named, or a new one. */
async function ownPost(scene: Scene): Promise<string> {
  const { runtime, user, post, first } = scene
  if (post) return post.id
  const id = await writePost(runtime, user, { text: fresh(scene, 'Written for a trigger') })
  first.push(`@${user.username} wrote post ${id}`)
  return id
}

async function editPost(scene: Scene): Promise<Deed> {
  const { runtime, user } = scene
  const previous = await ownPost(scene)
  const draft = { text: words(scene, 'Edited by a trigger'), edit_options: { previous_post_id: previous } }
  const id = await writePost(runtime, user, draft)
  const ids = { post_id: id, previous_post_id: previous }
  return { done: `@${user.username} edited post ${previous}`, ids, event: { type: 'post.edit', post_id: id } }
}

async function deletePost(scene: Scene): Promise<Deed> {
  const { runtime, user, post } = scene
  const id = await ownPost(scene)
  await operate(runtime, user, deletePosts, { path: { id } })
  const event = { type: 'post.delete' as const, post_id: post?.first_version_id ?? id }
  return { done: `@${user.username} deleted post ${id}`, ids: { post_id: id }, event }
}

const likeFind = statement(
  'trigger_like_find',
  { id: 'int8' },
  'select id from post_like where post_id = $1 and user_id = $2',
)

/** Something that a user does once to a post and can take back: words, events and calls of both ways. */
interface Mark {
  said: readonly [on: string, off: string]
  events: readonly [on: EventType, off: EventType]
  /** What the answer calls its id. */
  idName: string
  find: Statement<{ id: string }>
  turn(scene: Scene, postId: string, on: boolean): Promise<unknown>
}

const LIKE: Mark = {
  said: ['liked', 'took the like back from'],
  events: ['like.create', 'like.delete'],
  idName: 'like_id',
  find: likeFind,
  turn: ({ runtime, user }, postId, on) =>
    on
      ? operate(runtime, user, likePost, { path: { id: user.id }, body: { post_id: postId } })
      : operate(runtime, user, unlikePost, { path: { id: user.id, post_id: postId } }),
}

const REPOST: Mark = {
  said: ['reposted', 'took the repost back of'],
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
    run: async (scene) => {
      if (mark === REPOST) checkTwo(scene)
      const { runtime, user, first } = scene
      const postId = await findPost(scene)
      const find = () => mark.find.first(runtime.database, postId, user.id)
      const say = (index: number) => `@${user.username} ${mark.said[index]} post ${postId}`
      if (((await find()) !== undefined) === sets) {
        await mark.turn(scene, postId, !sets)
        first.push(say(1 - way))
      }
      const before = await find()
      await mark.turn(scene, postId, sets)
      const found = before ?? (await find())
      const ids = { post_id: postId, ...(found ? { [mark.idName]: found.id } : {}) }
      return { done: say(way), ids, event: { type: mark.events[way]!, post_id: postId } }
    },
  }
}

function relating(does: string, kind: 'follow' | 'mute' | 'block', makes: boolean, type: EventType): Trigger {
  return {
    does,
    takes: ['target'],
    run: async (scene) => {
      checkTwo(scene)
      const { runtime, user, target, first } = scene
      if (kind === 'follow') await unblockBoth(scene)
      if ((await isRelated(scene, kind)) === makes) first.push(await relate(runtime, kind, !makes, user, target))
      const done = await relate(runtime, kind, makes, user, target)
      return { done, ids: {}, event: { type, target_id: target.id } }
    },
  }
}

/** Takes away an access that was given just before; those that were given otherwise stay. */
async function revokeAccess({ runtime, user, first }: Scene): Promise<Deed> {
  const grant = { id: runtime.ids.next(), userId: user.id, appId: firstAppId(0) }
  const given = new Date(runtime.clock.now())
  await change(runtime, (tx) => grantAdd.count(tx, grant.id, grant.appId, user.id, ['users.read'], 'neutral', given))
  first.push(`@${user.username} gave the app ${grant.appId} access`)
  await change(runtime, (tx, invalidate) => revokeGrantedAccess(tx, invalidate, runtime, grant))
  const done = `@${user.username} took the access of the app ${grant.appId} away`
  return { done, ids: { app_id: grant.appId }, event: { type: 'oauth.revoke' } }
}

/** Every event that can be made to happen, by its type. U is the user who acts, T the target. */
export const TRIGGERS: Readonly<Record<string, Trigger>> = {
  'post.create': newPost('U writes a post', ['text'], async (scene) => ({ text: words(scene, 'Triggered') })),
  'post.mention.create': newPost('U writes a post that mentions T', ['target', 'text'], mention),
  'post.reply.create': newPost('U answers a post of T', ['target', 'text', 'post_id'], async (scene) => ({
    reply: { in_reply_to_post_id: await findPost(scene) },
    text: words(scene, 'Triggered answer'),
  })),
  'post.quote.create': newPost('U quotes a post of T', ['target', 'text', 'post_id'], async (scene) => ({
    quote_post_id: await findPost(scene),
    text: words(scene, 'Triggered quote'),
  })),
  'post.repost.create': marking('U reposts a post of T', REPOST, true),
  'post.repost.delete': marking('U takes a repost of a post of T back', REPOST, false),
  'post.edit': {
    does: 'U, who must be a subscriber, edits a post',
    takes: ['text', 'post_id'],
    postOf: 'user',
    run: editPost,
  },
  'post.delete': { does: 'U deletes a post', takes: ['post_id'], postOf: 'user', run: deletePost },
  'like.create': marking('U likes a post of T', LIKE, true),
  'like.delete': marking('U takes the like of a post of T back', LIKE, false),
  'follow.follow': relating('U follows T', 'follow', true, 'follow.follow'),
  'follow.unfollow': relating('U stops following T', 'follow', false, 'follow.unfollow'),
  'mute.mute': relating('U mutes T', 'mute', true, 'mute.mute'),
  'mute.unmute': relating('U unmutes T', 'mute', false, 'mute.unmute'),
  'block.block': relating('U blocks T', 'block', true, 'block.block'),
  'block.unblock': relating('U unblocks T', 'block', false, 'block.unblock'),
  'oauth.revoke': { does: 'U takes the access of the first app away', takes: [], run: revokeAccess },
  ...profileTriggers,
}
