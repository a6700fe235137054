import { change, type Runtime } from '../../api-kit/runtime.ts'
import { blank, invalidParameter } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { markSensitive } from '../posts/mark-sensitive.ts'
import { postRow } from '../posts/post.parts.ts'
import { removePost } from '../posts/remove-post.ts'
import { updateUser } from '../users/update-user.ts'
import { type ReportRow, reportFind, reportsResolve } from './report.statements.ts'
import type { ReportedKind } from './report.ts'

export const REPORT_ACTIONS = ['none', 'remove_post', 'suspend_user', 'mark_sensitive'] as const
export type ReportAction = (typeof REPORT_ACTIONS)[number]

/** What an operator can do about a report, by what was reported. */
const ALLOWED: Record<ReportedKind, readonly ReportAction[]> = {
  post: REPORT_ACTIONS,
  user: ['none', 'suspend_user'],
  message: ['none', 'suspend_user'],
  space: ['none', 'suspend_user'],
  list: ['none', 'suspend_user'],
  community: ['none'],
}

export const allowedActions = (row: ReportRow): readonly ReportAction[] => ALLOWED[row.kind as ReportedKind]

/** Acts on a report and resolves all open reports about the same thing. Returns how many those were. */
export async function resolveReport(
  runtime: Runtime,
  id: string,
  action: ReportAction,
  resolution: string | undefined,
): Promise<{ report: ReportRow; resolved: number }> {
  const found = isStorableId(id) ? await reportFind.first(runtime.database, id) : undefined
  if (!found) throw blank(404, `There is no report [${id}].`)
  if (found.state === 'resolved') throw blank(409, `The report [${id}] is resolved already.`)
  const allowed = allowedActions(found)
  if (!allowed.includes(action))
    throw invalidParameter(
      'action',
      action,
      `action must be one of [${allowed.join(',')}] for a report about a ${found.kind}`,
    )
  await act(runtime, found, action)
  const now = new Date(runtime.clock.now())
  const resolved = await reportsResolve.all(
    runtime.database,
    found.kind,
    found.subject_id,
    action,
    resolution ?? null,
    now,
  )
  return { report: (await reportFind.first(runtime.database, id))!, resolved: resolved.length }
}

/** What is gone already needs nothing more to be done about it. */
async function act(runtime: Runtime, found: ReportRow, action: ReportAction): Promise<void> {
  if (action === 'suspend_user') {
    if (found.owner !== null && !found.owner_suspended)
      await change(runtime, (tx, invalidate) =>
        updateUser(tx, invalidate, runtime, found.owner_id!, { suspended: true }),
      )
    return
  }
  if (action === 'none') return
  const row = await runtime.parts.one(postRow, found.subject_id)
  if (!row) return
  if (action === 'remove_post') await removePost(runtime, row)
  else await markSensitive(runtime, row, true)
}
