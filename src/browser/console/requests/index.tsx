import { useEffect } from 'preact/hooks'
import { timeOf } from '../kit/format.ts'
import { followRequests, requests } from '../kit/request-store.ts'
import { Table } from '../kit/table.tsx'

export function RequestsPage() {
  useEffect(() => void followRequests(), [])
  return (
    <>
      <h1>Requests</h1>
      <Table
        label="Requests"
        rows={requests.value}
        keyOf={(row) => row.seq}
        empty="No requests yet."
        columns={[
          { title: 'Time', show: (row) => timeOf(row.time), isMono: true },
          { title: 'Status', show: (row) => row.status, isNumber: true },
          { title: 'Request', show: (row) => `${row.method} ${row.path}`, isMono: true, isWide: true },
        ]}
      />
    </>
  )
}
