import { change, type Runtime } from '../../api-kit/runtime.ts'
import type { Tx } from '../../storage/database.ts'
import { type RowOf, statement } from '../../storage/statement.ts'
import type { Objective } from '../campaigns/objectives.data.ts'
import { postsToPromote, promotionError } from '../creatives/promotable-posts.ts'
import { promotedPosts } from '../creatives/promoted-post.entity.ts'
import { AdsProblem, refusal } from '../kit/errors.ts'
import { recordHistory } from '../kit/history.ts'
import type { AdsTask } from '../kit/task.ts'
import { wholeSecond } from '../kit/times.ts'
import { prepareAdsPost } from './prepare-ads-post.ts'

const PAGE = 100

const columns = {
  id: 'int8',
  account_id: 'int8',
  account_deleted: 'bool',
  sandbox: 'bool',
  user_id: 'int8',
  name: 'text?',
  text: 'text?',
  card_uri: 'text?',
  media_keys: 'text[]?',
  nullcast: 'bool',
  scheduled_at: 'timestamptz',
  app_id: 'int8',
  app_name: 'text',
} as const
const select = `select s.id, s.account_id, a.deleted as account_deleted, a.sandbox, s.user_id, s.name, s.text, s.card_uri, s.media_keys, s.nullcast,
    s.scheduled_at, s.app_id, s.app_name from ads_scheduled_post s join ads_account a on a.id = s.account_id`

type DuePost = RowOf<typeof columns>

const duePosts = statement(
  'ads_scheduled_due',
  columns,
  `${select}
    where s.scheduled_status = 'SCHEDULED' and s.scheduled_at <= $1 and (s.scheduled_at, s.id) > ($2::timestamptz, $3::bigint)
    order by s.scheduled_at, s.id limit ${PAGE}`,
)
/** Locks a due post for one transaction; one that another process has locked is left to it. */
const dueTake = statement(
  'ads_scheduled_take',
  columns,
  `${select} where s.id = $1 and s.scheduled_status = 'SCHEDULED' and s.scheduled_at <= $2 for update of s skip locked`,
)
const markPublished = statement(
  'ads_scheduled_published',
  {},
  `update ads_scheduled_post set scheduled_status = 'SUCCESS', post_id = $2, completed_at = $3, updated_at = $3 where id = $1`,
)
const markFailed = statement(
  'ads_scheduled_failed',
  {},
  `update ads_scheduled_post set scheduled_status = 'FAILED', updated_at = $2 where id = $1`,
)
const linksWaiting = statement(
  'ads_scheduled_links_waiting',
  { id: 'int8', line_item_id: 'int8', objective: 'text' },
  `select s.id, s.line_item_id, l.objective from ads_scheduled_promoted_post s
     join ads_line_item l on l.id = s.line_item_id and not l.deleted
    where s.scheduled_post_id = $1 and not s.deleted order by s.id`,
)
const linksFill = statement(
  'ads_scheduled_links_fill',
  {},
  'update ads_scheduled_promoted_post set post_id = $2, updated_at = $3 where id = any($1::bigint[])',
)
const promotedAdd = statement(
  'ads_scheduled_promote',
  {},
  `insert into ads_promoted_post (id, account_id, line_item_id, post_id, entity_status, approval_status, created_at, updated_at)
   select n.id, $3::bigint, n.line_item_id, $4::bigint, 'ACTIVE', 'ACCEPTED', $5::timestamptz, $5::timestamptz
     from unnest($1::bigint[], $2::bigint[]) as n (id, line_item_id)`,
)

/** Publishes scheduled posts at their time. */
export const publishScheduledPosts: AdsTask = {
  name: 'scheduled posts',
  run: async (runtime, stopping) => {
    let published = 0
    let last: Pick<DuePost, 'scheduled_at' | 'id'> = { scheduled_at: new Date(0), id: '0' }
    for (;;) {
      const due = await duePosts.all(runtime.database, new Date(runtime.clock.now()), last.scheduled_at, last.id)
      for (const row of due) {
        if (stopping.aborted) return published
        if (await publish(runtime, row)) published += 1
      }
      if (due.length < PAGE) return published
      last = due.at(-1)!
    }
  },
}

/** Publishes one post. If the rules reject it, it has failed; after any other error it is tried again. */
async function publish(runtime: Runtime, row: DuePost): Promise<boolean> {
  const { id } = row
  const now = wholeSecond(runtime.clock.now())
  try {
    if (row.account_deleted) throw refusal('ACCOUNT_NOT_FOUND', 'The account is deleted')
    const post = await prepareAdsPost(runtime, {
      accountId: row.account_id,
      isSandbox: row.sandbox,
      authorId: row.user_id,
      app: { id: row.app_id, name: row.app_name },
      text: row.text,
      cardUri: row.card_uri,
      mediaKeys: row.media_keys ?? [],
      nullcast: row.nullcast,
      name: row.name,
      scheduledAt: row.scheduled_at,
    })
    // The lock and all that follows are one transaction, so there is never more than one post.
    const isPublished = await change(runtime, async (tx, invalidate) => {
      // First, as in every change of the account's records: line items do not change from here on.
      await promotedPosts.scope.lock(tx, row.account_id)
      if (!(await take(tx, row, now))) return false
      await post.store(tx, invalidate)
      await markPublished.count(tx, id, post.id, now)
      await promote(tx, runtime, row, post.id, now)
      return true
    })
    if (isPublished) runtime.bus.wake('outbox')
    return isPublished
  } catch (error) {
    if (error instanceof AdsProblem && error.status < 500) {
      runtime.log.info({ scheduled_post: id, reason: error.reason }, 'a scheduled post was rejected')
      return change(runtime, async (tx) => {
        const isTaken = await take(tx, row, now)
        if (isTaken) await markFailed.count(tx, id, now)
        return isTaken
      })
    }
    runtime.log.error({ err: error, scheduled_post: id }, 'a scheduled post could not be published yet')
    return false
  }
}

/** Locks a post if it is still as it was read. One that was changed meanwhile is read again in the next round. */
const take = async (tx: Tx, row: DuePost, now: Date): Promise<boolean> =>
  JSON.stringify(await dueTake.first(tx, row.id, now)) === JSON.stringify(row)

/**
 * Makes the line items that waited for the post promote it. The account history names the author of the post as the user.
 * Line items that may not promote it, or are deleted, are left out: their links stay without a post.
 */
async function promote(tx: Tx, runtime: Runtime, row: DuePost, postId: string, now: Date): Promise<void> {
  const waiting = await linksWaiting.all(tx, row.id)
  if (waiting.length === 0) return
  const [post] = await postsToPromote.all(tx, row.account_id, [postId])
  const links = waiting.filter((link) => {
    // The column has no other values.
    const error = promotionError(postId, post, link.objective as Objective)
    // For other users only reposts can be promoted, and a repost cannot be scheduled.
    const isFit = !error && post?.promotable_user_type === 'FULL'
    if (!isFit) runtime.log.info({ scheduled_promoted_post: link.id, error }, 'a published post cannot be promoted')
    return isFit
  })
  if (links.length === 0) return
  await linksFill.count(
    tx,
    links.map((link) => link.id),
    postId,
    now,
  )
  const ids = links.map(() => runtime.ids.next())
  const lineItems = links.map((link) => link.line_item_id)
  await promotedAdd.count(tx, ids, lineItems, row.account_id, postId, now)
  const created = await promotedPosts.records(tx, row.account_id, ids)
  const context = { runtime, account: { id: row.account_id }, user: { id: row.user_id }, now }
  await recordHistory(
    tx,
    promotedPosts,
    [...created.values()].map((record) => ({ kind: 'create', record, before: undefined, context })),
  )
}
