import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ShownDelivery } from '../../../control/shown-delivery.ts'
import { get } from '../kit/client.ts'
import { Select, TextField } from '../kit/fields.tsx'
import { momentOf } from '../kit/format.ts'
import { listen } from '../kit/live.ts'
import { go, href, path, query, setQuery } from '../kit/router.ts'
import { Table } from '../kit/table.tsx'
import { attempt } from '../kit/toast.tsx'
import { DeliveryDetail } from './delivery-detail.tsx'
import { State } from './state.tsx'

const PAGE = 100
const KEPT = 1_000
const STATES: [string, string][] = [
  ['', 'All states'],
  ['pending', 'Pending'],
  ['delivered', 'Delivered'],
  ['given_up', 'Given up'],
  ['withheld', 'Withheld'],
]

/** How the last attempt went. */
function outcome({ record }: ShownDelivery): string {
  const last = record.at(-1)
  return last ? String(last.status ?? last.error ?? '') : 'no attempt yet'
}

const byNewest = (left: ShownDelivery, right: ShownDelivery) =>
  left.id.length === right.id.length ? (left.id < right.id ? 1 : -1) : right.id.length - left.id.length

/** The deliveries, newest first, up to date. */
export function DeliveryList() {
  const rows = useSignal<ShownDelivery[] | undefined>(undefined)
  const hasOlder = useSignal(false)
  const state = query.value.get('state') ?? ''
  const webhook = query.value.get('webhook') ?? ''
  const fits = (item: ShownDelivery) =>
    (state === '' || item.state === state) && (webhook === '' || item.webhook_id === webhook)
  const add = (items: ShownDelivery[]) => {
    const known = new Map((rows.value ?? []).map((item) => [item.id, item]))
    for (const item of items) known.set(item.id, item)
    rows.value = [...known.values()].sort(byNewest).slice(0, KEPT)
  }
  const read = async (before?: string) => {
    const asked = { limit: String(PAGE), state: state || undefined, webhook_id: webhook || undefined, before }
    const answer = await attempt(undefined, () => get<{ deliveries: ShownDelivery[] }>('/_rostra/deliveries', asked))
    add(answer?.deliveries ?? [])
    hasOlder.value = answer?.deliveries.length === PAGE
  }
  useEffect(() => {
    rows.value = undefined
    void read()
    return listen('deliveries', add)
  }, [state, webhook])
  const opened = /^\d+$/.test(path.value[1] ?? '') ? path.value[1] : undefined
  const filters = { state, webhook }
  const shown = (rows.value ?? []).filter(fits)
  return (
    <>
      <div class="row">
        <Select
          label="State"
          name="state"
          value={state}
          options={STATES}
          onValue={(value) => setQuery('state', value)}
        />
        <TextField
          label="Webhook id"
          name="webhook"
          type="search"
          value={webhook}
          isFilter
          onValue={(value) => setQuery('webhook', /^\d*$/.test(value.trim()) ? value.trim() : undefined)}
        />
      </div>
      <div class="split">
        <div>
          {rows.value === undefined ? (
            <p class="soft">Loading …</p>
          ) : (
            <Table
              label="Deliveries"
              rows={shown}
              keyOf={(row) => row.id}
              opened={opened}
              open={(row) => go(href('deliveries', row.id, filters))}
              toneOf={(row) => (row.state === 'given_up' ? 'bad' : undefined)}
              empty={
                <>
                  Nothing was sent to a webhook in the last day.{' '}
                  <a href={href('deliveries', 'trigger')}>Trigger an event</a> to see one.
                </>
              }
              columns={[
                { title: 'Id', show: (row) => row.id, isMono: true },
                { title: 'Time', show: (row) => momentOf(row.created_at), isMono: true, isExtra: true },
                { title: 'State', show: (row) => <State state={row.state} /> },
                { title: 'Event', show: (row) => row.event_type ?? row.kind, isMono: true },
                { title: 'Attempts', show: (row) => row.attempts, isNumber: true, isExtra: true },
                { title: 'Result', show: outcome },
                { title: 'Address', show: (row) => row.url ?? 'deleted webhook', isExtra: true, isWide: true },
              ]}
            />
          )}
          {hasOlder.value && shown.length > 0 && (
            <div class="actions">
              <button type="button" class="button" onClick={() => read(shown.at(-1)!.id)}>
                Older deliveries
              </button>
            </div>
          )}
        </div>
        {opened && (
          <DeliveryDetail
            key={opened}
            id={opened}
            version={rows.value?.find((item) => item.id === opened)?.attempts ?? 0}
            close={() => go(href('deliveries', filters))}
          />
        )}
      </div>
    </>
  )
}
