import { defineObject, expands, staticField, type Verdict } from '../../api-kit/declaring/object.ts'
import { Count, DateTime, Type } from '../../api-kit/declaring/schema.ts'
import { partOf } from '../../api-kit/reading/part-cache.ts'
import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { notAuthorizedForResource, resourceNotFound } from '../../api-kit/writing/partial-errors.ts'
import { wireTime } from '../../process/clock.ts'
import { ListId, UserId } from '../ids.ts'
import { user } from '../users/user.object.ts'
import { hiddenUsers } from '../visibility.ts'
import { type ListRow, listMetrics, listRow } from './list.parts.ts'

/** The object `list` of the interface. */
export const list = defineObject({
  name: 'list',
  resource: 'list',
  plural: 'lists',
  component: 'List',
  always: ['id', 'name'],
  existence: listRow,
  fields: {
    id: staticField(listRow, ListId, (row) => row.id),
    name: staticField(listRow, Type.String(), (row) => row.name),
    created_at: staticField(listRow, DateTime, (row) => wireTime(row.created_at.getTime())),
    // Also sent when it is empty.
    description: staticField(listRow, Type.String(), (row) => row.description),
    owner_id: staticField(listRow, UserId, (row) => row.owner_id),
    private: staticField(listRow, Type.Boolean(), (row) => row.private),
    member_count: staticField(listMetrics, Count, (metrics) => metrics.member_count),
    follower_count: staticField(listMetrics, Count, (metrics) => metrics.follower_count),
  },
  expansions: {
    owner_id: expands(
      listRow,
      () => user,
      (row) => [row.owner_id],
      'owner_id',
    ),
  },
  judge: (context, entries) =>
    judgeLists(
      context,
      entries.map((entry) => partOf(entry, listRow)!),
    ),
})

/**
 * Decides for each list whether the caller may see it. A private list does not exist for others, and users whose posts are hidden
 * from the caller do not show their lists either.
 */
export async function judgeLists(context: ReadContext, rows: readonly ListRow[]): Promise<Verdict[]> {
  const viewer = context.caller?.user?.id
  const hidden = await hiddenUsers(
    context,
    rows.map((row) => row.owner_id),
  )
  return rows.map((row) => {
    if (row.private && row.owner_id !== viewer)
      return ({ parameter, value }) => resourceNotFound('list', parameter, value)
    if (!hidden.has(row.owner_id)) return undefined
    return ({ parameter, value, section }) => notAuthorizedForResource('list', parameter, value, section)
  })
}
