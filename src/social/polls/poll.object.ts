import { defineObject, staticField, viewerField } from '../../api-kit/declaring/object.ts'
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

/** The object `poll` of the interface. */
export const poll = defineObject({
  name: 'poll',
  resource: 'poll',
  plural: 'polls',
  component: 'Poll',
  always: ['id', 'options'],
  existence: pollRow,
  fields: {
    id: staticField(pollRow, PollId, (row) => row.id),
    options: staticField(pollRow, Type.Array(PollOption, { minItems: 2, maxItems: 4 }), (row) =>
      row.labels.map((label, index) => ({ position: index + 1, label, votes: row.votes[index] ?? 0 })),
    ),
    duration_minutes: staticField(
      pollRow,
      Type.Integer({ minimum: 5, maximum: 10_080, format: 'int32' }),
      (row) => row.duration_minutes,
    ),
    end_datetime: staticField(pollRow, DateTime, (row) => wireTime(row.ends_at.getTime())),
    voting_status: viewerField(pollRow, words(['open', 'closed']), (row, { clock }) =>
      row.ends_at.getTime() > clock.now() ? 'open' : 'closed',
    ),
  },
})
