import { defineObject, expands, staticField } from '../../api-kit/declaring/object.ts'
import { definePart, keyedBy } from '../../api-kit/declaring/part.ts'
import { Count, DateTime, Type, words } from '../../api-kit/declaring/schema.ts'
import { partOf } from '../../api-kit/reading/part-cache.ts'
import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { notAuthorizedForResource } from '../../api-kit/writing/partial-errors.ts'
import { wireTime } from '../../process/clock.ts'
import { UserId } from '../ids.ts'
import { user } from '../users/user.object.ts'
import { withVisiblePosts } from '../visibility.ts'
import { type SpaceRow, spacesById } from './space.statements.ts'
import { SpaceId } from './space-ids.ts'
import { TopicId, topic } from './topic.object.ts'

/** Spaces by id. Every change to a space invalidates kind `space`. */
export const spaceRow = definePart('space', 'row', async (db, ids) =>
  keyedBy((row) => row.id, await spacesById.all(db, ids)),
)

const Int32 = { ...Count, format: 'int32' }
const timeOf = (moment: Date | null) => (moment === null ? undefined : wireTime(moment.getTime()))
const present = <T>(list: readonly T[]) => (list.length === 0 ? undefined : [...list])

/** The spaces among some whose creator the caller may see. */
export async function visibleSpaces(context: ReadContext, rows: readonly SpaceRow[]): Promise<Set<string>> {
  const creators = [...new Set(rows.map((row) => row.creator_id))]
  const visible = new Set(await withVisiblePosts(context, creators))
  return new Set(rows.filter((row) => visible.has(row.creator_id)).map((row) => row.id))
}

/** The object `space` of the interface. */
export const space = defineObject({
  name: 'space',
  resource: 'space',
  plural: 'spaces',
  component: 'Space',
  always: ['id', 'state'],
  existence: spaceRow,
  fields: {
    id: staticField(spaceRow, SpaceId, (row) => row.id),
    state: staticField(spaceRow, words(['live', 'scheduled', 'ended']), (row) => row.state as 'live'),
    title: staticField(spaceRow, Type.String(), (row) => (row.title === '' ? undefined : row.title)),
    lang: staticField(spaceRow, Type.String(), (row) => row.lang),
    creator_id: staticField(spaceRow, UserId, (row) => row.creator_id),
    host_ids: staticField(spaceRow, Type.Array(UserId), (row) => present(row.host_ids)),
    speaker_ids: staticField(spaceRow, Type.Array(UserId), (row) => present(row.speaker_ids)),
    invited_user_ids: staticField(spaceRow, Type.Array(UserId), (row) => present(row.invited_user_ids)),
    topic_ids: staticField(spaceRow, Type.Array(TopicId), (row) => present(row.topic_ids)),
    is_ticketed: staticField(spaceRow, Type.Boolean(), (row) => row.is_ticketed),
    participant_count: staticField(spaceRow, Int32, (row) => row.participant_count),
    subscriber_count: staticField(spaceRow, Int32, (row) => row.subscriber_count),
    scheduled_start: staticField(spaceRow, DateTime, (row) => timeOf(row.scheduled_start)),
    started_at: staticField(spaceRow, DateTime, (row) => timeOf(row.started_at)),
    ended_at: staticField(spaceRow, DateTime, (row) => timeOf(row.ended_at)),
    created_at: staticField(spaceRow, DateTime, (row) => timeOf(row.created_at)),
    updated_at: staticField(spaceRow, DateTime, (row) => timeOf(row.updated_at)),
  },
  expansions: {
    creator_id: expands(
      spaceRow,
      () => user,
      (row) => [row.creator_id],
      'creator_id',
    ),
    host_ids: expands(
      spaceRow,
      () => user,
      (row) => row.host_ids,
      'host_ids',
    ),
    invited_user_ids: expands(
      spaceRow,
      () => user,
      (row) => row.invited_user_ids,
      'invited_user_ids',
    ),
    speaker_ids: expands(
      spaceRow,
      () => user,
      (row) => row.speaker_ids,
      'speaker_ids',
    ),
    topic_ids: expands(
      spaceRow,
      () => topic,
      (row) => row.topic_ids,
      'topic_ids',
    ),
  },
  judge: async (context, entries) => {
    const rows = entries.map((entry) => partOf(entry, spaceRow)!)
    const visible = await visibleSpaces(context, rows)
    return rows.map((row) =>
      visible.has(row.id)
        ? undefined
        : (subject) => notAuthorizedForResource('space', subject.parameter, subject.value, subject.section),
    )
  },
})
