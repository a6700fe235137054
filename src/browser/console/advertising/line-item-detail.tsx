import { command } from '../kit/client.ts'
import { Detail, Facts } from '../kit/detail.tsx'
import { Show, useLoaded } from '../kit/load.tsx'
import { href } from '../kit/router.ts'
import { Table } from '../kit/table.tsx'
import { type Criterion, type LineItem, moneyOf } from './shapes.ts'

type Shown = LineItem & { targeting: Criterion[] }

/** A line item with its targeting. */
export function LineItemDetail(props: { account: string; id: string; close: () => void }) {
  const { account, id } = props
  const loaded = useLoaded(
    () => command('ads.line_item.show', { account, line_item: id }) as Promise<Shown>,
    [account, id],
  )
  return (
    <Detail title="Line item" close={props.close}>
      <Show loaded={loaded}>
        {(item) => (
          <>
            <Facts
              facts={[
                ['Name', <bdi>{item.name}</bdi>],
                ['Id', <code>{item.id}</code>],
                ['Objective', item.objective],
                ['Product', item.product_type],
                ['Placements', item.placements.join(', ')],
                ['Goal', item.goal],
                ['Bid', `${item.bid_strategy} ${moneyOf(item.bid_amount_local_micro, item.currency)}`],
                ['From', item.start_time],
                ['Until', item.end_time],
              ]}
            />
            <p>
              <a href={href('advertising', 'statistics', { account, item: id })}>Statistics</a>
            </p>
            <h3>Targeting</h3>
            <Table
              label="Targeting"
              rows={item.targeting}
              keyOf={(row) => row.id}
              empty="It targets everybody."
              columns={[
                { title: 'Type', show: (row) => row.targeting_type, isMono: true },
                { title: 'Operator', show: (row) => row.operator_type, isMono: true, isExtra: true },
                { title: 'Value', show: (row) => <bdi>{row.name || String(row.targeting_value)}</bdi>, isWide: true },
              ]}
            />
          </>
        )}
      </Show>
    </Detail>
  )
}
