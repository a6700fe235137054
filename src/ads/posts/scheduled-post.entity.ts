import { component, nullable, Type, words } from '../../api-kit/declaring/schema.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import type { DraftChange, DraftOf, WriteContext } from '../kit/entity.ts'
import { AdsError, invalidParameter } from '../kit/errors.ts'
import { field, filter, long, oneOf, text, time } from '../kit/field.ts'
import { decimalKind, longKind, timeKind } from '../kit/values.ts'
import { notAllowed } from './post-authors.ts'
import { dueTimeKind } from './post-kinds.ts'
import { deriveUnsent, unsentErrors, unsentErrorsInDatabase, unsentFields } from './unsent-post.rules.ts'
import { unsentMembers, unsentPostOperations } from './unsent-post-operations.ts'

const DAY_MS = 24 * 3600_000
const FURTHEST_DAYS = 365
const MOST_IN_WINDOW = 30
// Due times are whole minutes: seven before and seven after make a window of fifteen.
const WINDOW_SIDE_MS = 7 * 60_000

const scheduledAround = statement(
  'ads_scheduled_around',
  { total: 'int8' },
  `select count(*) as total from ads_scheduled_post
    where account_id = $1 and scheduled_status = 'SCHEDULED' and scheduled_at between $2 and $3 and id <> $4`,
)

const linksEnd = statement(
  'ads_scheduled_links_end',
  {},
  `update ads_scheduled_promoted_post set deleted = true, updated_at = $2
    where scheduled_post_id = any($1::bigint[]) and post_id is null and not deleted`,
)

const fields = {
  ...unsentFields,
  scheduled_at: field(dueTimeKind, { required: true }),
  scheduled_status: oneOf(['SCHEDULED', 'SUCCESS', 'FAILED'], { readOnly: true, initial: 'SCHEDULED' }),
  completed_at: time({ readOnly: true }),
  post_id: long({ readOnly: true }),
  app_id: long({ readOnly: true, hidden: true, initial: ({ caller }) => caller.app.id }),
  app_name: text({ readOnly: true, hidden: true, initial: ({ caller }) => caller.app.name }),
}

/** Posts that are published at their time. */
export const scheduledPosts = defineAdsEntity({
  name: 'scheduled_post',
  plural: 'scheduled_posts',
  tag: 'Scheduled Posts',
  component: 'ScheduledPostRecord',
  table: 'ads_scheduled_post',
  notFound: 'NOT_FOUND',
  idKind: decimalKind,
  fields,
  filters: { user_id: filter(longKind, (placeholder) => `r.user_id = ${placeholder}::bigint`) },
  count: { initial: 100, max: 200 },
  plainList: true,
  may: { see: 'see creatives', manage: 'manage creatives' },
  deletion: 'permanent',
  operations: unsentPostOperations(
    {
      list: 'listScheduledPosts',
      get: 'getScheduledPost',
      create: 'createScheduledPost',
      update: 'updateScheduledPost',
      delete: 'deleteScheduledPost',
    },
    {
      data: component(
        'ScheduledPost',
        Type.Object({
          ...unsentMembers,
          scheduled_at: timeKind.schema,
          scheduled_status: words(['SCHEDULED', 'SUCCESS', 'FAILED', 'DELETED']),
          completed_at: nullable(timeKind.schema),
          post_id: nullable(longKind.schema),
        }),
      ),
      userKind: longKind,
      whenDeleted: { scheduled_status: 'DELETED' },
    },
  ),
  check: (draft, context) => [...timeErrors(draft, context), ...unsentErrors(draft, context)],
  derive: deriveUnsent,
  checkAll: (tx, changes) =>
    Promise.all(
      changes.map(async (item) => [...(await unsentErrorsInDatabase(tx, item)), ...(await windowErrors(tx, item))]),
    ),
  // Line items that wait for a deleted post stop waiting.
  after: async (tx, changes) => {
    const deleted = changes.filter((item) => item.kind === 'delete')
    const ids = deleted.map((item) => item.record.id)
    if (ids.length > 0) await linksEnd.count(tx, ids, deleted[0]!.context.now)
  },
})

function timeErrors(
  draft: DraftOf<typeof fields>,
  { before, given, runtime }: WriteContext<typeof fields>,
): AdsError[] {
  const now = runtime.clock.now()
  if (before && (before.scheduled_status !== 'SCHEDULED' || before.scheduled_at.getTime() <= now))
    return [notAllowed('scheduled_post_id', 'a scheduled post can be changed only before its scheduled_at')]
  if (!given.has('scheduled_at')) return []
  const due = draft.scheduled_at.getTime()
  if (due > now && due <= now + FURTHEST_DAYS * DAY_MS) return []
  return [
    invalidParameter(
      'scheduled_at',
      `must be in the future, at most ${FURTHEST_DAYS} days ahead, seconds dropped`,
      draft.scheduled_at.toISOString(),
    ),
  ]
}

/** The error of a post when too many others are due at about the same time. */
async function windowErrors(tx: Tx, { record, context, kind }: DraftChange<typeof fields>): Promise<AdsError[]> {
  if (kind === 'delete' || !context.given.has('scheduled_at')) return []
  const due = record.scheduled_at.getTime()
  const [from, to] = [new Date(due - WINDOW_SIDE_MS), new Date(due + WINDOW_SIDE_MS)]
  const around = await scheduledAround.first(tx, context.account.id, from, to, record.id)
  if (Number(around!.total) < MOST_IN_WINDOW) return []
  return [
    new AdsError('SCHEDULED_POST_LIMIT_EXCEEDED', 'Too many posts are scheduled around this time', {
      parameter: 'scheduled_at',
      details: `at most ${MOST_IN_WINDOW} posts can be scheduled in a window of 15 minutes`,
    }),
  ]
}
