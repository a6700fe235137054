import './deliveries.css'
import { path } from '../kit/router.ts'
import { Tabs } from '../kit/tabs.tsx'
import { DeliveryList } from './delivery-list.tsx'
import { Trigger } from './trigger.tsx'
import { Webhooks } from './webhooks.tsx'

/** What is sent to webhooks: `deliveries/{id}`, `deliveries/webhooks/{id}` and `deliveries/trigger`. */
export function DeliveriesPage() {
  const [, part = ''] = path.value
  const tab = part === 'webhooks' || part === 'trigger' ? part : ''
  return (
    <>
      <h1>Deliveries</h1>
      <Tabs
        label="Parts of deliveries"
        page="deliveries"
        current={tab}
        tabs={[
          ['', 'Deliveries'],
          ['webhooks', 'Webhooks'],
          ['trigger', 'Trigger an event'],
        ]}
      />
      {tab === 'webhooks' ? <Webhooks /> : tab === 'trigger' ? <Trigger /> : <DeliveryList />}
    </>
  )
}
