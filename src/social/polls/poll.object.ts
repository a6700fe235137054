import { defineObject, field, liveField } from '../../api-kit/declaring/object.ts'
import { definePart, keyedBy } from '../../api-kit/declaring/part.ts'
import { component, DateTime, Type, words } from '../../api-kit/declaring/schema.ts'
import { wireTime } from '../../process/clock.ts'
import { statement } from '../../storage/statement.ts'
import { PollId } from '../ids.ts'

const pollsById = statement(
  'polls_by_id',
  { id: 'int8', duration_minutes: 'int4', ends_at: 'timestamptz', labels: 'text[]', votes: 'int4[]' },
  `select p.id, p.duration_minutes, p.ends_at, array_agg(o.label order by o.position) as labels, array_agg(o.votes order by o.position) as votes
     from poll p join poll_option o on o.poll_id = p.id
    where p.id = any($1::bigint[]) group by p.id`,
)

/** Polls by id. Votes invalidate kind `poll`. */
export const pollRow = definePart('poll', 'row', async (db, ids) =>
  keyedBy((row) => row.id, await pollsById.all(db, ids)),
)

const PollOption = component(
  'PollOption',
  Type.Object({
    label: component('PollOptionLabel', Type.String({ minLength: 1, maxLength: 25 })),
    position: Type.Integer(),
    votes: Type.Integer(),
  }),
)

/** A poll as the interface shows it. */
export const poll = defineObject({
  name: 'poll',
  resource: 'poll',
  plural: 'polls',
  component: 'Poll',
  always: ['id', 'options'],
  basis: pollRow,
  fields: {
    id: field(pollRow, PollId, (row) => row.id),
    options: field(pollRow, Type.Array(PollOption, { minItems: 2, maxItems: 4 }), (row) =>
      row.labels.map((label, index) => ({ position: index + 1, label, votes: row.votes[index] ?? 0 })),
    ),
    duration_minutes: field(
      pollRow,
      Type.Integer({ minimum: 5, maximum: 10_080, format: 'int32' }),
      (row) => row.duration_minutes,
    ),
    end_datetime: field(pollRow, DateTime, (row) => wireTime(row.ends_at.getTime())),
    voting_status: liveField(pollRow, words(['open', 'closed']), (row, { clock }) =>
      row.ends_at.getTime() > clock.now() ? 'open' : 'closed',
    ),
  },
})
