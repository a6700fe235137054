import { invalidateEverywhere, type Runtime } from '../../api-kit/runtime.ts'
import { isEventOf, type LoggedEvent } from '../../events/catalog.ts'
import { startConsumer } from '../../events/reader.ts'
import { tailOf } from '../../events/runtime-tail.ts'
import type { Stoppable } from '../../process/keep-trying.ts'
import type { Db, Tx } from '../../storage/database.ts'
import {
  eventKept,
  MOST_NOTIFICATIONS,
  NOTIFICATIONS_OVER,
  type NotificationKind,
  notificationsAdd,
  notificationsHold,
  notificationsPrune,
  notificationsRemove,
} from './notification.statements.ts'

/** The kind of what is invalidated when the notices of users change, by user. Pages that are open learn it from there. */
export const NOTIFICATION = 'notification'

/** A notice to write. One of the kind `post` stands for all that a new post causes. */
interface NewNotice {
  kind: NotificationKind | 'post'
  user_id: string | null
  actor_id: string | null
  object_id: string
  post_id: string | null
}

/** A cause that was undone. */
interface Undone {
  object_id: string
  kinds: NotificationKind[]
  actor_id?: string | null
  user_id?: string | null
}

/**
 * Writes the notices that events cause, in one process of all machines. Whether a cause still holds is decided by the statement
 * that writes: what was undone since makes no notice.
 */
export function startWritingNotifications(runtime: Runtime): Stoppable {
  let endListening: (() => void) | undefined
  const consumer = startConsumer({
    name: 'notifications',
    database: runtime.database,
    connection: runtime.database.connection,
    log: runtime.log,
    work: async (tx, events) => {
      // Only the process that reads needs wake-ups.
      endListening ??= (await tailOf(runtime)).listen(() => consumer.wake())
      await notificationsHold.count(tx)
      // The world may have been replaced since the events were read.
      if (!(await eventKept.first(tx, events.at(-1)!.sequence))!.is_kept) return undefined
      const concerned = await writeNotices(tx, events)
      if (concerned.size === 0) return undefined
      return { committed: () => invalidateEverywhere(runtime, [[NOTIFICATION, [...concerned]]]) }
    },
  })
  return {
    stop: async () => {
      endListening?.()
      await consumer.stop()
    },
  }
}

/** Writes and removes notices. Returns the users whose notices may have changed. */
async function writeNotices(tx: Tx, events: readonly LoggedEvent[]): Promise<Set<string>> {
  // Who mutes or blocks somebody sees other notices.
  const concerned = new Set(
    events.flatMap((event) =>
      isEventOf(event, 'mute.mute', 'mute.unmute', 'block.block', 'block.unblock') ? (event.actor_id ?? []) : [],
    ),
  )
  const undone = events.flatMap(undoneBy)
  if (undone.length > 0)
    for (const row of await notificationsRemove.all(tx, JSON.stringify(undone))) concerned.add(row.user_id)
  for (const id of await addNotices(tx, noticesOf(events))) concerned.add(id)
  return concerned
}

async function addNotices(db: Db, notices: readonly (NewNotice & { sequence: string })[]): Promise<string[]> {
  if (notices.length === 0) return []
  const receivers = await notificationsAdd.all(db, JSON.stringify(notices))
  const full = receivers.filter((row) => row.row_count > MOST_NOTIFICATIONS + NOTIFICATIONS_OVER)
  if (full.length > 0)
    await notificationsPrune.count(
      db,
      full.map((row) => row.user_id),
    )
  return receivers.map((row) => row.user_id)
}

/** Writes the notices of posts that were stored before any reader began. They count as seen. */
export async function addNoticesOfPosts(db: Db, postIds: readonly string[], at: Date): Promise<void> {
  const notices = postIds.map((id, index) => ({
    ...notice('post', null, null, id),
    // Before everything in the log.
    sequence: String(index - postIds.length),
    happened_at: at,
  }))
  await addNotices(db, notices)
}

/** The notices of events. Of a cause that came twice, the last counts. */
function noticesOf(events: readonly LoggedEvent[]): (NewNotice & { sequence: string })[] {
  const found = new Map<string, NewNotice & { sequence: string; happened_at: Date }>()
  for (const { sequence, happened_at, ...event } of events)
    for (const item of noticesOfEvent(event as LoggedEvent))
      found.set([item.kind, item.user_id, item.actor_id, item.object_id].join(' '), { ...item, sequence, happened_at })
  return [...found.values()]
}

const notice = (
  kind: NewNotice['kind'],
  user: string | null,
  actor: string | null,
  object: string,
  post?: string | null,
): NewNotice => ({ kind, user_id: user, actor_id: actor, object_id: object, post_id: post ?? null })

function noticesOfEvent(event: LoggedEvent): NewNotice[] {
  const { actor_id: actor, target_id: target, post_id: post } = event
  if (isEventOf(event, 'post.create')) return [notice('post', null, actor, post!)]
  if (!actor || !target) return []
  if (isEventOf(event, 'like.create')) return [notice('like', target, actor, post!, post)]
  if (isEventOf(event, 'repost.create')) return [notice('repost', target, actor, event.payload.repost_id, post)]
  if (isEventOf(event, 'follow.request')) return [notice('follow_request', target, actor, actor)]
  // Who approved a follow knows of it; who had asked does not.
  if (isEventOf(event, 'follow.follow'))
    return event.payload.approved
      ? [notice('follow_approval', actor, target, target)]
      : [notice('follow', target, actor, actor)]
  if (isEventOf(event, 'message.create')) return [notice('message_request', target, actor, actor)]
  if (isEventOf(event, 'list.add')) return [notice('list_add', target, actor, event.payload.list_id)]
  if (isEventOf(event, 'note.show')) return [notice('note', target, actor, event.payload.note_id, post)]
  if (isEventOf(event, 'community.invite'))
    return [notice('community_invite', target, actor, event.payload.community_id)]
  return []
}

const OF_POSTS: NotificationKind[] = ['like', 'reply', 'quote', 'mention']

function undoneBy(event: LoggedEvent): Undone[] {
  const { actor_id: actor, target_id: target, post_id: post } = event
  if (isEventOf(event, 'like.delete')) return [{ object_id: post!, kinds: ['like'], actor_id: actor }]
  if (isEventOf(event, 'repost.delete')) return [{ object_id: event.payload.repost_id, kinds: ['repost'] }]
  if (isEventOf(event, 'post.delete'))
    return event.payload.version_ids.map((id) => ({ object_id: id, kinds: OF_POSTS }))
  if (isEventOf(event, 'follow.unfollow'))
    return [
      { object_id: actor!, kinds: ['follow'], actor_id: actor, user_id: target },
      { object_id: target!, kinds: ['follow_approval'], actor_id: target, user_id: actor },
    ]
  return []
}
