import { closed, Type } from '../../api-kit/declaring/schema.ts'
import { FAILURE_NAMES } from '../../api-kit/faults/failure.ts'
import { dayOf, storeUsage } from '../../identity/usage/usage-meter.ts'
import { lastLife, shownLife } from '../../population/manage-life.ts'
import { statement } from '../../storage/statement.ts'
import { listSnapshots } from '../../world/snapshots/use-snapshots.ts'
import { shownClock } from '../clock/clock-command.ts'
import { defineCommand } from '../command.ts'
import { listFaults } from '../fault-commands.ts'
import { DAY_MS, money } from '../usage-commands.ts'

const MOST_ROWS = 10_000

/** What all projects used and spent on each day from one day to another, by app and kind. */
const usageOfAll = statement(
  'control_usage_of_all',
  {
    project_id: 'int8',
    project: 'text',
    day: 'text',
    app_id: 'int8',
    app: 'text?',
    kind: 'text',
    used: 'float8',
    cost_micros: 'float8',
  },
  `select d.project_id, p.name as project, d.day::text as day, d.app_id, a.name as app, d.kind, d.used::float8 as used,
          d.cost_micros::float8 as cost_micros
     from usage_day d join project p on p.id = d.project_id left join client_app a on a.id = d.app_id
    where d.day between $1::date and $2::date order by d.day desc, d.project_id, d.app_id, d.kind limit $3`,
)

/** The clock, the snapshots, the faults, the last life of a population, and what was used and spent day by day. */
export const stateShow = defineCommand(
  'state.show',
  closed({ days: Type.Optional(Type.Integer({ minimum: 1, maximum: 90 })) }),
  async (runtime, { days = 14 }) => {
    await storeUsage(runtime)
    const now = runtime.clock.now()
    const [from, to] = [dayOf(now - (days - 1) * DAY_MS), dayOf(now)]
    const [snapshots, faults, life, rows] = await Promise.all([
      listSnapshots(runtime),
      listFaults(runtime),
      lastLife(runtime),
      usageOfAll.all(runtime.database, from, to, MOST_ROWS + 1),
    ])
    return {
      clock: { ...shownClock(runtime), deterministic: runtime.isDeterministic },
      snapshots,
      faults,
      life: life ? shownLife(life) : null,
      failures: FAILURE_NAMES,
      usage: {
        currency: runtime.prices.currency,
        from,
        to,
        rows: rows.slice(0, MOST_ROWS).map(({ cost_micros: micros, ...row }) => ({ ...row, cost: money(micros) })),
        // More than is shown: the oldest days are missing.
        ...(rows.length > MOST_ROWS ? { cut: true } : {}),
      },
    }
  },
)
