import type { stateShow } from '../../../control/world/state-command.ts'
import type { ResultOf } from '../kit/client.ts'
import { Select } from '../kit/fields.tsx'
import { countOf } from '../kit/format.ts'
import { query, setQuery } from '../kit/router.ts'
import { Table } from '../kit/table.tsx'
import { Bars, type Series } from './bars.tsx'

type UsageState = ResultOf<typeof stateShow>['usage']
const DAY_MS = 86_400_000
const MOST_SERIES = 5

const daysBetween = (from: string, to: string): string[] => {
  const days: string[] = []
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS) days.push(new Date(at).toISOString().slice(0, 10))
  return days
}

/** The sums of each app, project or kind by day: the largest, and the others together. */
function seriesOf(usage: UsageState, days: string[], measure: 'cost' | 'used', by: string): Series[] {
  const found = new Map<string, number[]>()
  for (const row of usage.rows) {
    const name = by === 'kind' ? row.kind : by === 'project' ? row.project : (row.app ?? `app ${row.app_id}`)
    const values = found.get(name) ?? days.map(() => 0)
    values[days.indexOf(row.day)]! += row[measure] ?? 0
    found.set(name, values)
  }
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
  const all = [...found].map(([name, values]) => ({ name, values })).sort((a, b) => sum(b.values) - sum(a.values))
  const rest = all.slice(MOST_SERIES)
  if (rest.length === 0) return all
  const others = days.map((_, at) => sum(rest.map((item) => item.values[at]!)))
  return [...all.slice(0, MOST_SERIES), { name: `${rest.length} others`, values: others }]
}

/** What was used and spent, day by day, as bars and as a table. */
export function Usage(props: { usage: UsageState; days: number }) {
  const { usage } = props
  const measure = query.value.get('measure') === 'used' ? 'used' : 'cost'
  const by = query.value.get('by') ?? 'app'
  const days = daysBetween(usage.from, usage.to)
  const series = seriesOf(usage, days, measure, by)
  const write = (value: number) =>
    measure === 'used' ? countOf(value) : `${value.toFixed(value !== 0 && value < 1 ? 4 : 2)} ${usage.currency}`
  const writeAxis = (value: number) => (measure === 'used' ? countOf(value) : String(Number(value.toPrecision(3))))
  const total = (item: Series) => item.values.reduce((sum, value) => sum + value, 0)
  return (
    <section class="card">
      <div class="bar">
        <h2>Usage and price</h2>
        <Select
          label="Show"
          name="measure"
          value={measure}
          options={[
            ['cost', 'Price'],
            ['used', 'Objects'],
          ]}
          onValue={(value) => setQuery('measure', value)}
        />
        <Select
          label="By"
          name="by"
          value={by}
          options={[
            ['app', 'App'],
            ['project', 'Project'],
            ['kind', 'Kind'],
          ]}
          onValue={(value) => setQuery('by', value)}
        />
        <Select
          label="Days"
          name="days"
          value={String(props.days)}
          options={['7', '14', '30', '90']}
          onValue={(value) => setQuery('days', value)}
        />
      </div>
      {series.length === 0 ? (
        <div class="empty">Nothing was read in these days.</div>
      ) : (
        <>
          <Bars
            label={`${measure === 'cost' ? `Price in ${usage.currency}` : 'Objects'} of each day`}
            days={days}
            series={series}
            write={write}
            writeAxis={writeAxis}
          />
          <Table
            label="Sums"
            rows={series}
            keyOf={(row) => row.name}
            empty=""
            columns={[
              {
                title: by === 'kind' ? 'Kind' : by === 'project' ? 'Project' : 'App',
                show: (row) => (
                  <>
                    <i class={`swatch shade${series.indexOf(row)}`} aria-hidden="true" /> <bdi>{row.name}</bdi>
                  </>
                ),
                isWide: true,
              },
              { title: 'Today', show: (row) => write(row.values.at(-1)!), isNumber: true },
              { title: `${days.length} days`, show: (row) => write(total(row)), isNumber: true },
            ]}
          />
        </>
      )}
    </section>
  )
}
