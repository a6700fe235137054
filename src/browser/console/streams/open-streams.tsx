import type { streamsList } from '../../../control/listeners/stream-commands.ts'
import type { streamFault } from '../../../control/stream-fault-command.ts'
import { command, type ResultOf } from '../kit/client.ts'
import { Select } from '../kit/fields.tsx'
import { bytesOf, countOf, momentOf } from '../kit/format.ts'
import { Show, useLoaded } from '../kit/load.tsx'
import { query, setQuery } from '../kit/router.ts'
import { useNews } from '../kit/soon.ts'
import { Table } from '../kit/table.tsx'
import { attempt, say } from '../kit/toast.tsx'

type List = ResultOf<typeof streamsList>
type Fault = NonNullable<Parameters<typeof command<typeof streamFault>>[1]>
const DONE = { drop: 'Cut', stall: 'Stalled', resume: 'Resumed', disconnect: 'Ended' }

/** The open connections of all processes, and what can be done to them. */
export function OpenStreams(props: { apps: [id: string, name: string][] }) {
  const app = query.value.get('app') ?? ''
  const loaded = useLoaded(() => command<typeof streamsList>('streams.list', app === '' ? {} : { app }), [app])
  // A stream that opens or ends is a request; what is sent is caused by events.
  useNews(['requests', 'events'], loaded.reload)
  return (
    <section class="card">
      <div class="bar">
        <h2>Open streams</h2>
        <Select
          label="App"
          name="app"
          value={app}
          options={[['', 'All apps'], ...props.apps]}
          onValue={(value) => setQuery('app', value)}
        />
        <button type="button" class="button" onClick={loaded.reload}>
          Refresh
        </button>
      </div>
      <Show loaded={loaded}>
        {(list) => (
          <>
            <Streams streams={list.streams} />
            {list.next && <p class="soft small">Only the newest {list.streams.length} are shown.</p>}
            <Actions list={list} app={app} changed={loaded.reload} />
          </>
        )}
      </Show>
    </section>
  )
}

function Streams(props: { streams: List['streams'] }) {
  return (
    <Table
      label="Open streams"
      rows={props.streams}
      keyOf={(row) => row.id}
      empty="No stream is open."
      columns={[
        { title: 'App', show: (row) => <bdi>{row.app}</bdi> },
        { title: 'Stream', show: (row) => row.endpoint_name, isMono: true, isWide: true },
        { title: 'Since', show: (row) => momentOf(row.connected_at), isMono: true, isExtra: true },
        { title: 'From', show: (row) => row.client_ip, isMono: true, isExtra: true },
        { title: 'Lines', show: (row) => (row.sent ? countOf(row.sent.lines) : '?'), isNumber: true },
        {
          title: 'Sent',
          show: (row) => (row.sent ? bytesOf(row.sent.bytes) : 'other machine'),
          isNumber: true,
          isExtra: true,
        },
        {
          title: 'Waiting',
          show: (row) => row.sent && `${countOf(row.sent.waiting_lines)} lines, ${bytesOf(row.sent.waiting_bytes)}`,
          isNumber: true,
          isExtra: true,
        },
        {
          title: 'State',
          show: (row) =>
            row.sent?.stalled ? <span class="badge bad">stalled</span> : <span class="badge good">open</span>,
        },
      ]}
    />
  )
}

function Actions(props: { list: List; app: string; changed: () => Promise<void> }) {
  const { list, app } = props
  const endpoint = query.value.get('stream') ?? ''
  const type = query.value.get('type') ?? list.disconnect_types[0]!
  const act = async (action: Fault['action']) => {
    const fault: Fault = {
      action,
      ...(app === '' ? {} : { app }),
      ...(endpoint === '' ? {} : { endpoint: endpoint as NonNullable<Fault['endpoint']> }),
      ...(action === 'disconnect' ? { disconnect_type: type as NonNullable<Fault['disconnect_type']> } : {}),
    }
    const result = await attempt(undefined, () => command<typeof streamFault>('stream.fault', fault))
    if (!result) return
    say(`${DONE[action]}: ${result.streams} ${result.streams === 1 ? 'stream' : 'streams'}.`)
    await props.changed()
  }
  return (
    <fieldset class="row faults">
      <legend>Do this to {app === '' ? 'the streams of all apps' : 'the streams of this app'}</legend>
      <Select
        label="Streams"
        name="stream"
        value={endpoint}
        options={[['', 'All kinds'], ...list.endpoints]}
        onValue={(value) => setQuery('stream', value)}
      />
      <button type="button" class="button" onClick={() => act('drop')}>
        Drop
      </button>
      <button type="button" class="button" onClick={() => act('stall')}>
        Stall
      </button>
      <button type="button" class="button" onClick={() => act('resume')}>
        Resume
      </button>
      <Select
        label="Type of the disconnect"
        name="type"
        value={type}
        options={list.disconnect_types}
        onValue={(value) => setQuery('type', value)}
      />
      <button type="button" class="button" onClick={() => act('disconnect')}>
        Disconnect
      </button>
    </fieldset>
  )
}
