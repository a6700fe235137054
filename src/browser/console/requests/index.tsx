import './requests.css'
import { useEffect, useState } from 'preact/hooks'
import type { RecordedRequest } from '../../../api-kit/serving/request-log.ts'
import { Checkbox, Select, TextField } from '../kit/fields.tsx'
import { msOf, timeOf } from '../kit/format.ts'
import { followRequests, requests } from '../kit/request-store.ts'
import { go, href, path, query, setQuery } from '../kit/router.ts'
import { type Column, Table } from '../kit/table.tsx'
import { RequestDetails } from './detail.tsx'
import { fits, isRefused, readFilter, STATUSES } from './filter.ts'
import { Status } from './status.tsx'

const SHOWN = 200

const COLUMNS: Column<RecordedRequest>[] = [
  { title: 'Time', show: (row) => timeOf(row.time), isMono: true },
  { title: 'Status', show: (row) => <Status status={row.status} /> },
  {
    title: 'Request',
    show: (row) => (
      <>
        <span class="mono address" title={row.path}>
          <strong>{row.method}</strong> {row.path}
        </span>
        {row.reason && <span class="reason">{row.reason}</span>}
      </>
    ),
    isWide: true,
  },
  { title: 'App', show: (row) => row.app && <bdi>{row.app}</bdi>, isExtra: true },
  { title: 'User', show: (row) => row.user && `@${row.user}`, isExtra: true },
  { title: 'Took', show: (row) => msOf(row.latency_ms), isNumber: true, isExtra: true },
]

const namesOf = (rows: readonly RecordedRequest[], read: (row: RecordedRequest) => string | undefined) =>
  [...new Set(rows.map(read))].filter((name): name is string => name !== undefined).sort()

/** The options of a filter: what occurs, and what the address names. */
const optionsOf = (names: string[], chosen: string): [string, string][] =>
  [['', 'any'] as [string, string]].concat(
    [...new Set([...names, ...(chosen === '' ? [] : [chosen])])].map((name) => [name, name]),
  )

/** Every request as it is answered, and why those that were refused were. */
export function RequestsPage() {
  useEffect(() => void followRequests(), [])
  const [held, setHeld] = useState<readonly RecordedRequest[]>()
  const [most, setMost] = useState(SHOWN)
  const filter = readFilter(query.value)
  const all = held ?? requests.value
  const rows = all.filter((row) => fits(row, filter))
  const seq = path.value[1]
  const filters = Object.fromEntries(query.value)
  const newer = held ? requests.value.filter((row) => row.seq > (held[0]?.seq ?? '')).length : 0
  return (
    <>
      <div class="bar">
        <h1>Requests</h1>
        <button
          type="button"
          class="button"
          aria-pressed={held !== undefined}
          onClick={() => setHeld(held ? undefined : requests.value)}
        >
          {held ? `Resume${newer > 0 ? ` (${newer} new)` : ''}` : 'Pause'}
        </button>
      </div>
      <search class="bar">
        <TextField
          label="Search"
          name="search"
          type="search"
          isFilter
          placeholder="path, operation or reason"
          value={filter.search}
          onValue={(value) => setQuery('search', value)}
        />
        <Select
          label="Status"
          name="status"
          options={STATUSES}
          value={filter.status}
          onValue={(value) => setQuery('status', value)}
        />
        {(['app', 'user', 'operation'] as const).map((name) => (
          <Select
            key={name}
            label={name[0]!.toUpperCase() + name.slice(1)}
            name={name}
            options={optionsOf(
              namesOf(all, (row) => row[name]),
              filter[name],
            )}
            value={filter[name]}
            onValue={(value) => setQuery(name, value)}
          />
        ))}
        <Checkbox
          label="Also the console's own"
          name="own"
          isOn={filter.own}
          onValue={(isOn) => setQuery('own', isOn ? 'true' : undefined)}
        />
      </search>
      <div class="split">
        <div>
          <Table
            label="Requests, newest first"
            columns={seq === undefined ? COLUMNS : COLUMNS.slice(0, 3)}
            rows={rows.slice(0, most)}
            keyOf={(row) => row.seq}
            opened={seq}
            open={(row) => go(href('requests', row.seq, filters))}
            toneOf={(row) => (isRefused(row) ? 'bad' : undefined)}
            empty={
              all.length === 0
                ? 'No requests yet. Run your program, and they appear here at once.'
                : 'No request fits these filters.'
            }
          />
          {rows.length > most && (
            <p>
              <button type="button" class="button" onClick={() => setMost(most + SHOWN)}>
                Show older ones
              </button>
            </p>
          )}
        </div>
        {seq !== undefined && <RequestDetails seq={seq} close={() => go(href('requests', filters))} />}
      </div>
    </>
  )
}
