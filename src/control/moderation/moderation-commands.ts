import { closed, Type, words } from '../../api-kit/declaring/schema.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { resourceNotFound } from '../../api-kit/writing/partial-errors.ts'
import { invalidParameter, objectNotFound } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { PostId } from '../../social/ids.ts'
import { markSensitive } from '../../social/posts/mark-sensitive.ts'
import { type PostRow, postRow } from '../../social/posts/post.parts.ts'
import { removePost } from '../../social/posts/remove-post.ts'
import {
  type ReportRow,
  reportsAll,
  reportsOfOwner,
  reportsOfReporter,
  reportsOfState,
} from '../../social/reports/report.statements.ts'
import {
  LONGEST_COMMENT,
  REPORT_REASONS,
  REPORTED_KINDS,
  type ReportReason,
  report,
} from '../../social/reports/report.ts'
import { allowedActions, REPORT_ACTIONS, resolveReport } from '../../social/reports/resolve-report.ts'
import { auditOfName, auditPage } from '../audit/audit.statements.ts'
import { type Command, defineCommand, findUser, NameOrId } from '../command.ts'
import { beforeId, DEFAULT_LIMIT, PageArgs, paged } from '../inspect/page.ts'
import { actAs } from '../triggers/trigger-context.ts'

const optional = Type.Optional
const State = words(['open', 'resolved'])
const Kind = words(REPORTED_KINDS)
const ReportId = Type.String({ pattern: '^[0-9]{1,19}$' })
const Comment = Type.String({ maxLength: LONGEST_COMMENT })

const withNext = (next: string | undefined) => (next === undefined ? {} : { next })

/** A report as operators see it. Members without a value are left out. */
const shown = (row: ReportRow) => ({
  id: row.id,
  state: row.state,
  kind: row.kind,
  subject_id: row.subject_id,
  reporter_id: row.reporter_id,
  reporter: row.reporter,
  owner_id: row.owner_id ?? undefined,
  owner: row.owner ?? undefined,
  owner_suspended: row.owner === null ? undefined : row.owner_suspended,
  reason: row.reason,
  comment: row.comment,
  excerpt: row.excerpt,
  created_at: row.created_at,
  open_reports: row.open_reports,
  action: row.action ?? undefined,
  resolution: row.resolution ?? undefined,
  resolved_at: row.resolved_at ?? undefined,
  actions: row.state === 'open' ? [...allowedActions(row)] : undefined,
})

export const reportList = defineCommand(
  'report.list',
  closed({
    state: optional(State),
    kind: optional(Kind),
    user: optional(NameOrId),
    reporter: optional(NameOrId),
    ...PageArgs,
  }),
  async (runtime, { state, kind, user: who, reporter: by, after, limit = DEFAULT_LIMIT }) => {
    if (who !== undefined && by !== undefined)
      throw invalidParameter('reporter', by, 'Only one of user, reporter can be given.')
    const owner = who === undefined ? undefined : await findUser(runtime, who, 'user')
    const reporter = by === undefined ? undefined : await findUser(runtime, by, 'reporter')
    const { database } = runtime
    const common = [beforeId(after), limit + 1, kind ?? null] as const
    const rows = owner
      ? await reportsOfOwner.all(database, ...common, owner.id, state ?? null)
      : reporter
        ? await reportsOfReporter.all(database, ...common, reporter.id, state ?? null)
        : state !== undefined
          ? await reportsOfState.all(database, ...common, state)
          : await reportsAll.all(database, ...common)
    const { page, next } = paged(rows, limit, (row) => row.id)
    return { reports: page.map(shown), ...withNext(next) }
  },
)

/** A user reports something. The interface has no operation for this. */
export const reportCreate = defineCommand(
  'report.create',
  closed({
    user: NameOrId,
    kind: Kind,
    id: Type.String({ minLength: 1, maxLength: 20 }),
    reason: words(Object.keys(REPORT_REASONS) as ReportReason[]),
    comment: optional(Comment),
  }),
  async (runtime, { user: who, ...draft }) => {
    const user = await findUser(runtime, who, 'user')
    const id = await report(runtime, actAs(runtime, user).context, draft)
    return { id, user: user.username, kind: draft.kind, subject_id: draft.id, reason: draft.reason }
  },
)

export const reportResolve = defineCommand(
  'report.resolve',
  closed({ report: ReportId, action: words(REPORT_ACTIONS), comment: optional(Comment) }),
  async (runtime, args) => {
    const { report: row, resolved } = await resolveReport(runtime, args.report, args.action, args.comment)
    return { report: shown(row), resolved }
  },
)

async function findPost(runtime: Runtime, id: string): Promise<PostRow> {
  const row = isStorableId(id) ? await runtime.parts.one(postRow, id) : undefined
  if (!row) throw objectNotFound(resourceNotFound('post', 'post', id))
  return row
}

/** An operator removes the post of any user. What follows is what follows when its author deletes it. */
export const postRemove = defineCommand(
  'post.remove',
  closed({ post: PostId, reason: optional(Comment) }),
  async (runtime, args) => {
    const row = await findPost(runtime, args.post)
    if (!(await removePost(runtime, row))) throw objectNotFound(resourceNotFound('post', 'post', args.post))
    return { post_id: row.id, author_id: row.author_id, removed: true }
  },
)

export const postSensitive = defineCommand(
  'post.sensitive',
  closed({ post: PostId, sensitive: optional(Type.Boolean()), reason: optional(Comment) }),
  async (runtime, { post, sensitive = true }) => {
    const row = await findPost(runtime, post)
    return { post_id: row.id, sensitive, changed: await markSensitive(runtime, row, sensitive) }
  },
)

/** What was done through the control interface and the command line, the newest first. */
export const auditList = defineCommand(
  'audit.list',
  closed({
    name: optional(Type.String({ minLength: 1, maxLength: 60 })),
    outcome: optional(words(['started', 'done', 'refused', 'failed'])),
    actor: optional(words(['admin key', 'console session', 'command line'])),
    ...PageArgs,
  }),
  async (runtime, { name, outcome, actor, after, limit = DEFAULT_LIMIT }) => {
    const common = [beforeId(after), limit + 1, outcome ?? null, actor ?? null] as const
    const rows =
      name === undefined
        ? await auditPage.all(runtime.database, ...common)
        : await auditOfName.all(runtime.database, ...common, name)
    const { page, next } = paged(rows, limit, (row) => row.id)
    return { entries: page, ...withNext(next) }
  },
)

/** The commands about reports, posts of others, and what operators did. */
export const moderationCommands: readonly Command[] = [
  reportCreate,
  reportList,
  reportResolve,
  postRemove,
  postSensitive,
  auditList,
]
