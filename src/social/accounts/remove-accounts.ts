import { change, type Invalidate, type Runtime } from '../../api-kit/runtime.ts'
import { every } from '../../process/every.ts'
import type { Stoppable } from '../../process/keep-trying.ts'
import type { Tx } from '../../storage/database.ts'
import { startLeader, untilEnd } from '../../storage/leader.ts'
import { LOCK } from '../../storage/lock-numbers.ts'
import { roleKey } from '../communities/community.parts.ts'
import { sandboxPostRow } from '../posts/post.parts.ts'
import { removePosts } from '../posts/remove-post.ts'
import {
  accountRemove,
  accountToRemove,
  adminsReplace,
  appsOfAccount,
  bookmarksRemove,
  followsRemove,
  likesRemove,
  listsLeave,
  mediaRemove,
  membershipsRemove,
  postsOfAccount,
  removalEnd,
  spacesLeave,
  unseenEventsRemove,
  viewsRemove,
  votesRemove,
} from './account-removal.statements.ts'

const EVERY_MS = 1_000
const AT_ONCE = 500
// Everything that depends on a post goes with it, so these take longer than other rows.
const POSTS_AT_ONCE = 100
// The bytes of a media item are deleted with it.
const MEDIA_AT_ONCE = 20

/** Removes one batch of something; returns whether there may be more. */
type Batch = (tx: Tx, invalidate: Invalidate, userId: string) => Promise<boolean>

/** What is removed before the account, in batches that each are a transaction. Doing one again is harmless. */
const BATCHES: readonly Batch[] = [
  async (tx, invalidate, userId) => {
    const others = await followsRemove.all(tx, userId, AT_ONCE)
    invalidate('user_metrics', ...others.map((row) => row.other_id))
    invalidate('relation', ...others.flatMap(({ other_id: id }) => [`${id}:${userId}`, `${userId}:${id}`]))
    return others.length > 0
  },
  async (tx, invalidate, userId) => {
    const liked = await likesRemove.all(tx, userId, AT_ONCE)
    invalidate('post_metrics', ...liked.map((row) => row.post_id))
    return liked.length === AT_ONCE
  },
  async (tx, invalidate, userId) => {
    const marked = await bookmarksRemove.all(tx, userId, AT_ONCE)
    invalidate('post_metrics', ...marked.map((row) => row.post_id))
    return marked.length === AT_ONCE
  },
  async (tx, invalidate, userId) => {
    const polls = await votesRemove.all(tx, userId, AT_ONCE)
    invalidate('poll', ...polls.map((row) => row.poll_id))
    return polls.length === AT_ONCE
  },
  async (tx, invalidate, userId) => {
    for (const row of await adminsReplace.all(tx, userId))
      invalidate('community_role', roleKey(row.user_id, row.community_id))
    const communities = (await membershipsRemove.all(tx, userId)).map((row) => row.community_id)
    invalidate('community', ...communities)
    invalidate('community_role', ...communities.map((id) => roleKey(userId, id)))
    return false
  },
  async (tx, invalidate, userId) => {
    invalidate('space', ...(await spacesLeave.all(tx, userId)).map((row) => row.id))
    const lists = (await listsLeave.all(tx, userId)).map((row) => row.list_id)
    invalidate('list', ...lists)
    invalidate('list_metrics', ...lists)
    return false
  },
  async (tx, invalidate, userId) => {
    const events = (await viewsRemove.all(tx, userId, AT_ONCE)).map((row) => row.event_id)
    await unseenEventsRemove.count(tx, events)
    invalidate('dm_event', ...events)
    invalidate('dm_view', ...events.map((id) => `${userId}:${id}`))
    return events.length === AT_ONCE
  },
  async (tx, invalidate, userId) => {
    const media = (await mediaRemove.all(tx, userId, MEDIA_AT_ONCE)).map((row) => row.media_key)
    invalidate('media', ...media)
    return media.length === MEDIA_AT_ONCE
  },
]

/** Removes the posts of an account as their author would, with the events. */
async function removePostsOf(runtime: Runtime, userId: string, stopping: AbortSignal): Promise<void> {
  for (let after = '0'; !stopping.aborted; ) {
    const ids = (await postsOfAccount.all(runtime.database, userId, after, POSTS_AT_ONCE)).map((row) => row.id)
    if (ids.length === 0) return
    const rows = await runtime.parts.many(sandboxPostRow, ids)
    if (rows.size > 0) await removePosts(runtime, [...rows.values()])
    after = ids.at(-1)!
  }
}

async function removeAccount(runtime: Runtime, userId: string, stopping: AbortSignal): Promise<void> {
  await removePostsOf(runtime, userId, stopping)
  for (const batch of BATCHES)
    while (!stopping.aborted && (await change(runtime, (tx, invalidate) => batch(tx, invalidate, userId))));
  if (stopping.aborted) return
  await change(runtime, async (tx, invalidate) => {
    for (const app of await appsOfAccount.all(tx, userId)) {
      invalidate('app', app.id)
      invalidate('api_key', app.api_key)
      invalidate('client_id', app.client_id)
      if (app.bearer !== null) invalidate('bearer', app.bearer)
    }
    const gone = await accountRemove.first(tx, userId)
    await removalEnd.count(tx, userId, new Date(runtime.clock.now()))
    invalidate('user', userId)
    invalidate('user_metrics', userId)
    if (gone) invalidate('username', gone.username.toLowerCase())
  })
}

/** Removes what is left of deleted accounts. */
export async function removeDeletedAccounts(runtime: Runtime, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const next = await accountToRemove.first(runtime.database)
    if (!next) return
    await removeAccount(runtime, next.user_id, stopping)
  }
}

/** Does it in one process of all machines. After a kill, another continues. */
export const startAccountRemoval = (runtime: Runtime): Stoppable =>
  startLeader({
    name: 'deleted accounts',
    lock: [LOCK.deletedAccounts],
    connection: () => runtime.database.connection,
    log: runtime.log,
    lead: async (_own, ending) => {
      const work = every(
        EVERY_MS,
        (stopping) => removeDeletedAccounts(runtime, stopping),
        (error) => runtime.log.error({ err: error }, 'the removal of a deleted account failed and is tried again'),
      )
      await untilEnd(ending)
      await work.stop()
    },
  })
