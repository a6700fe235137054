import { type RowOf, statement } from '../../storage/statement.ts'

/** Stores a report. Whoever reports the same thing again while it is open changes the report. */
export const reportAdd = statement(
  'report_add',
  { id: 'int8' },
  `insert into report (id, reporter_id, kind, subject_id, owner_id, reason, comment, excerpt, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   on conflict (reporter_id, kind, subject_id) where state = 'open'
     do update set reason = excluded.reason, comment = excluded.comment, excerpt = excluded.excerpt
   returning id`,
)

const columns = {
  id: 'int8',
  kind: 'text',
  subject_id: 'text',
  reporter_id: 'int8',
  reporter: 'text',
  owner_id: 'int8?',
  owner: 'text?',
  owner_suspended: 'bool',
  reason: 'text',
  comment: 'text',
  excerpt: 'text',
  state: 'text',
  action: 'text?',
  resolution: 'text?',
  created_at: 'timestamptz',
  resolved_at: 'timestamptz?',
  open_reports: 'int4',
} as const

/** A report as operators see it. */
export type ReportRow = RowOf<typeof columns>

// How many users reported the same thing is what operators sort by in their heads; the count is bounded.
const SELECTED = `select r.id, r.kind, r.subject_id, r.reporter_id, w.username as reporter, r.owner_id, o.username as owner,
       coalesce(o.suspended, false) as owner_suspended, r.reason, r.comment, r.excerpt, r.state, r.action, r.resolution, r.created_at, r.resolved_at,
       (select count(*)::int from (select from report s where s.kind = r.kind and s.subject_id = r.subject_id and s.state = 'open' limit 1000) s) as open_reports
  from report r join user_account w on w.id = r.reporter_id left join user_account o on o.id = r.owner_id`

export const reportFind = statement('report_find', columns, `${SELECTED} where r.id = $1`)

const page = (where: string) => `${SELECTED} where ${where} and r.id < $1 and ($3::text is null or r.kind = $3)
   order by r.id desc limit $2`

/** Reports before `$1`, the newest first: of a kind `$3`, in a state `$4`. */
export const reportsOfState = statement('reports_of_state', columns, page('r.state = $4'))
export const reportsAll = statement('reports_all', columns, page('true'))
/** The same about what a user `$4` wrote or owns, and by a user; in a state `$5` or any. */
export const reportsOfOwner = statement(
  'reports_of_owner',
  columns,
  page('r.owner_id = $4 and ($5::text is null or r.state = $5)'),
)
export const reportsOfReporter = statement(
  'reports_of_reporter',
  columns,
  page('r.reporter_id = $4 and ($5::text is null or r.state = $5)'),
)

/** Resolves every open report about the same thing. */
export const reportsResolve = statement(
  'reports_resolve',
  { id: 'int8' },
  `update report set state = 'resolved', action = $3, resolution = $4, resolved_at = $5
    where kind = $1 and subject_id = $2 and state = 'open' returning id`,
)
