import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { type Change, defineAdsEntity, filter, type Loose, type WriteContext } from '../kit/entity.ts'
import { AdsError, invalidParameter } from '../kit/errors.ts'
import { field, long, oneOf, text, time } from '../kit/field.ts'
import { decimalKind, longKind } from '../kit/values.ts'
import { notAllowed } from './post-authors.ts'
import { dueTimeKind } from './post-kinds.ts'
import { deriveUnsent, unsentErrors, unsentErrorsInWorld, unsentFields } from './unsent-post.rules.ts'

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

/** Posts that are published at their time. */
export const scheduledPosts = defineAdsEntity({
  name: 'scheduled_post',
  plural: 'scheduled_posts',
  tag: 'Scheduled Posts',
  component: 'ScheduledPostRecord',
  table: 'ads_scheduled_post',
  notFound: 'NOT_FOUND',
  idKind: decimalKind,
  fields: {
    ...unsentFields,
    scheduled_at: field(dueTimeKind, { required: true }),
    scheduled_status: oneOf(['SCHEDULED', 'SUCCESS', 'FAILED'], { readOnly: true, initial: 'SCHEDULED' }),
    completed_at: time({ readOnly: true }),
    post_id: long({ readOnly: true }),
    app_id: long({ readOnly: true, hidden: true, initial: (_, { caller }) => caller.app.id }),
    app_name: text({ readOnly: true, hidden: true, initial: (_, { caller }) => caller.app.name }),
  },
  filters: { user_id: filter(longKind, (place) => `r.user_id = ${place}::bigint`) },
  count: { initial: 100, max: 200 },
  plainList: true,
  may: { see: 'see creatives', manage: 'manage creatives' },
  deletion: 'permanent',
  operations: {},
  check: (draft, context) => [...timeErrors(draft, context), ...unsentErrors(draft, context)],
  derive: deriveUnsent,
  checkAll: (tx, changes) =>
    Promise.all(
      changes.map(async (item) => [...(await unsentErrorsInWorld(tx, item)), ...(await windowErrors(tx, item))]),
    ),
  // Line items have nothing to wait for any more.
  after: async (tx, changes) => {
    const gone = changes.filter((item) => item.kind === 'delete')
    const ids = gone.map((item) => item.record.id as string)
    if (ids.length > 0) await linksEnd.count(tx, ids, gone[0]!.context.now)
  },
})

function timeErrors(draft: Loose, { before, given, runtime }: WriteContext): AdsError[] {
  const now = runtime.clock.now()
  if (before && (before.scheduled_status !== 'SCHEDULED' || before.scheduled_at.getTime() <= now))
    return [notAllowed('scheduled_post_id', 'a scheduled post can be changed until its scheduled_at only')]
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

async function windowErrors(tx: Tx, { record, context, kind }: Change): Promise<AdsError[]> {
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
