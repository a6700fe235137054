import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { CallCount } from '../../../api-kit/serving/call-counts.ts'
import { get } from '../kit/client.ts'
import { countOf, msOf } from '../kit/format.ts'
import { listen } from '../kit/live.ts'
import { Show, useLoaded } from '../kit/load.tsx'
import { go, href } from '../kit/router.ts'
import { type Column, Table } from '../kit/table.tsx'
import { Status } from '../requests/status.tsx'

const SETTLE_MS = 500

const APP: Column<CallCount> = { title: 'App', show: (row) => row.app && <bdi>{row.app}</bdi>, isExtra: true }

const ofPrograms = (calls: readonly CallCount[]): CallCount[] =>
  calls.filter((call) => call.app !== undefined || call.operation === '(no route)').slice(0, 50)

/** A name that is broken between its words. */
const breakable = (name: string): ComponentChildren =>
  name.split(/(?=[A-Z])/).map((word, at) => (at === 0 ? word : [<wbr key={at} />, word]))

/** Which operations programs called since the start, and how they fared. */
export function Calls() {
  const loaded = useLoaded(() => get<{ calls: CallCount[] }>('/_rostra/calls'))
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    // Counted by the server; read again when something new was answered.
    const end = listen('requests', () => {
      timer ??= setTimeout(() => {
        timer = undefined
        void loaded.reload()
      }, SETTLE_MS)
    })
    return () => {
      clearTimeout(timer)
      end()
    }
  }, [])
  return (
    <section class="card">
      <h2>What your program called</h2>
      <Show loaded={loaded}>
        {({ calls }) => (
          <Table
            label="Calls of each operation since the start"
            rows={ofPrograms(calls)}
            keyOf={(row) => `${row.app_id} ${row.operation}`}
            open={(row) => go(href('requests', { operation: row.operation, app: row.app }))}
            empty="Nothing yet. Each operation that a program calls appears here, with how it fared."
            columns={[
              { title: 'Operation', show: (row) => breakable(row.operation), isMono: true, isWide: true },
              ...(new Set(ofPrograms(calls).map((call) => call.app_id)).size > 1 ? [APP] : []),
              { title: 'Calls', show: (row) => countOf(row.calls), isNumber: true },
              {
                title: 'Refused',
                show: (row) => (row.refused > 0 ? <span class="badge bad">{countOf(row.refused)}</span> : '0'),
                isNumber: true,
              },
              { title: 'Mean', show: (row) => msOf(row.total_ms / row.calls), isNumber: true, isExtra: true },
              { title: 'Last', show: (row) => <Status status={row.last_status} /> },
            ]}
          />
        )}
      </Show>
    </section>
  )
}
