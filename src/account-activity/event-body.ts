import { isEventOf, type LoggedEvent } from '../events/catalog.ts'
import { exceptFor, type RequiredAccounts, requiredFor } from '../social/event-visibility.ts'
import { likeHex } from '../social/likes/like-hex.ts'
import { composeV1StoredPost } from '../social/v1/compose-stored-post.ts'
import { composeV1User } from '../social/v1/compose-user.ts'
import { type V1Object, v1Time } from '../social/v1/v1-json.ts'
import { isMessageEvent, isPostEvent, present, RELATION_EVENTS, shownPost } from './concerned-users.ts'
import { type EventObjects, isShownTo } from './event-objects.ts'
import { messageEntries } from './message-body.ts'

/** Whether a user gets an event because another user mentioned them. */
export function isMention(event: LoggedEvent, objects: Pick<EventObjects, 'posts'>, userId: string): boolean {
  const row = isEventOf(event, 'post.create', 'post.edit') ? objects.posts.get(event.post_id ?? '') : undefined
  return row !== undefined && row.author_id !== userId && row.mentioned_user_ids.includes(userId)
}

/** The accounts that must be visible for a user to get an event; undefined when its post is gone. */
export function requiredAccounts(
  event: LoggedEvent,
  userId: string,
  objects: Pick<EventObjects, 'posts'>,
): RequiredAccounts | undefined {
  const postId = shownPost(event)
  if (postId !== null) {
    const row = objects.posts.get(postId)
    const active = isEventOf(event, 'like.create') ? present(event.actor_id) : []
    return row && exceptFor(userId, { ...requiredFor(row), active })
  }
  if (isMessageEvent(event)) return exceptFor(userId, { public: [], active: present(event.actor_id) })
  const isRelation = isEventOf(event, ...RELATION_EVENTS)
  const active = isRelation ? present(event.actor_id, event.target_id) : []
  return exceptFor(userId, { public: [], active })
}

/** The body that the webhook of a subscribed user gets for an event; undefined when its objects are gone or not visible to them. */
export function eventBody(event: LoggedEvent, userId: string, objects: EventObjects): V1Object | undefined {
  if (isEventOf(event, 'oauth.revoke')) return revokeBody(event)
  const entries = eventEntries(event, userId, objects)
  if (!entries) return undefined
  const blocks = isMention(event, objects, userId)
    ? objects.relations.get(`${userId}:${event.actor_id}`)?.blocks === true
    : undefined
  return {
    for_user_id: userId,
    user_has_blocked: blocks === undefined ? undefined : String(blocks),
    ...entries,
  }
}

function eventEntries(event: LoggedEvent, userId: string, objects: EventObjects): V1Object | undefined {
  if (isPostEvent(event)) {
    const shown = postFor(event, userId, objects)
    return shown && { post_create_events: [shown] }
  }
  if (isEventOf(event, 'like.create')) return likeEntry(event, userId, objects)
  if (isEventOf(event, 'post.delete')) return deletions(event, event.payload.version_ids)
  if (isEventOf(event, 'repost.delete')) return deletions(event, [event.payload.repost_id])
  if (isMessageEvent(event)) return messageEntries(event, userId, objects)
  return relationEntry(event, objects)
}

/** The post that an event shows, unless it or the post that it reposts is gone or not visible to the user. */
function postFor(event: LoggedEvent, userId: string, objects: EventObjects): V1Object | undefined {
  const row = objects.posts.get(shownPost(event) ?? '')
  const original = row?.reposted_post_id ? objects.posts.get(row.reposted_post_id) : row
  if (!row || !original) return undefined
  const isShown = isShownTo(row, objects, userId) && isShownTo(original, objects, userId)
  if (!isShown) return undefined
  return composeV1StoredPost(row, objects, {
    textMode: 'stream',
    sensitivity: 'always',
    withTimestamp: true,
    isShown: (nested) => isShownTo(nested, objects, userId),
  })
}

const userFor = (id: string | null, objects: EventObjects): V1Object | undefined => {
  const row = objects.users.get(id ?? '')
  return row && composeV1User(objects.baseUrl, row, objects.userCounts.get(row.id))
}

function likeEntry(event: LoggedEvent<'like.create'>, userId: string, objects: EventObjects): V1Object | undefined {
  const liked = postFor(event, userId, objects)
  const user = userFor(event.actor_id, objects)
  if (!liked || !user) return undefined
  const moment = event.happened_at.getTime()
  const id = likeHex(event.payload.like_id)
  return {
    favorite_events: [{ id, created_at: v1Time(moment), timestamp_ms: moment, favorited_status: liked, user }],
  }
}

const moment = (event: LoggedEvent): string => String(event.happened_at.getTime())

const deletions = (event: LoggedEvent, ids: string[]): V1Object => ({
  post_delete_events: ids.map((id) => ({ status: { id, user_id: event.actor_id }, timestamp_ms: moment(event) })),
})

/** Follows, blocks and mutes: one key for both directions, which `type` distinguishes. */
function relationEntry(event: LoggedEvent, objects: EventObjects): V1Object | undefined {
  const [kind, type] = event.type.split('.') as [string, string]
  const target = userFor(event.target_id, objects)
  const source = userFor(event.actor_id, objects)
  if (!target || !source) return undefined
  return { [`${kind}_events`]: [{ type, created_timestamp: moment(event), target, source }] }
}

const revokeBody = (event: LoggedEvent<'oauth.revoke'>): V1Object => ({
  user_event: {
    revoke: {
      date_time: `${event.happened_at.toISOString().slice(0, 19)}+00:00`,
      target: { app_id: event.payload.app_id },
      source: { user_id: event.actor_id },
    },
  },
})
