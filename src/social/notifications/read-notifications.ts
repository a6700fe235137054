import { invalidateEverywhere, type Runtime } from '../../api-kit/runtime.ts'
import {
  NOTIFICATION_KINDS,
  type NotificationKind,
  notificationGroups,
  notificationsSee,
  notificationsUnseen,
} from './notification.statements.ts'
import { NOTIFICATION } from './write-notifications.ts'

// The interface has no notifications; pages show them.

/** Notices that are shown as one. */
export interface NotificationGroup {
  kind: NotificationKind
  /** The sequence of the newest: a page continues before it. */
  sequence: string
  /** Who caused it, the last first; of many only some. */
  actorIds: string[]
  actorCount: number
  /** The repost, list, note or community; otherwise the post or the actor. */
  objectId: string
  postId: string | null
  happenedAt: Date
  isNew: boolean
}

const LARGEST_SEQUENCE = '9223372036854775807'
const MOST_COUNTED = 100

/** The kinds in which somebody speaks to the user. */
export const MENTION_KINDS: readonly NotificationKind[] = ['reply', 'quote', 'mention']

/** A page of the notices of a user, newest first, before the sequence of the page before. */
export async function readNotifications(
  { database }: Pick<Runtime, 'database'>,
  userId: string,
  {
    before,
    limit,
    kinds = NOTIFICATION_KINDS,
  }: { before?: string; limit: number; kinds?: readonly NotificationKind[] },
): Promise<NotificationGroup[]> {
  const rows = await notificationGroups.all(database, userId, before ?? LARGEST_SEQUENCE, limit, kinds)
  return rows.map((row) => ({
    kind: row.kind as NotificationKind,
    sequence: row.sequence,
    actorIds: row.actor_ids,
    actorCount: row.actor_count,
    objectId: row.object_id,
    postId: row.post_id,
    happenedAt: row.happened_at,
    isNew: row.is_new,
  }))
}

/** How many notices a user has not seen, counted up to 100. */
export const countNewNotifications = async ({ database }: Pick<Runtime, 'database'>, userId: string): Promise<number> =>
  (await notificationsUnseen.first(database, userId, MOST_COUNTED))!.count

/** Marks notices as seen, up to a sequence. The other pages of the user learn it. */
export async function seeNotifications(runtime: Runtime, userId: string, sequence: string): Promise<void> {
  if (await notificationsSee.first(runtime.database, userId, sequence))
    await invalidateEverywhere(runtime, [[NOTIFICATION, [userId]]])
}
