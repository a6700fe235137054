import { showDelivery } from '../../control/deliveries.ts'
import { writeDelivery } from '../../control/shown-delivery.ts'
import { LARGEST_ID } from '../../process/ids.ts'
import { deliveriesByIds, deliveriesNewest } from '../../webhooks/delivery.statements.ts'
import { deliveryChanges } from '../../webhooks/delivery-changes.ts'
import type { OpenTopic } from '../live-topic.ts'

const MOST_MISSED = 200
const OVERLAP_MS = 2_000
const AT_ONCE = 100

/**
 * Deliveries as they are planned and attempted, each as it is now: one that comes again replaces the one before. The cursor is a
 * moment of product time; a reader that comes back gets what changed since.
 */
export const openDeliveries: OpenTopic = async (runtime, stream, given, writer) => {
  const { database, clock } = runtime
  const cursor = () => String(clock.now())
  writer.at(cursor())
  let waiting = new Set<string>()
  let isReading = false
  const send = (rows: Awaited<ReturnType<typeof deliveriesByIds.all>>) => {
    if (rows.length === 0) return
    writer.send(`[${rows.map((row) => writeDelivery(showDelivery(row))).join()}]`, cursor())
  }
  const read = async () => {
    if (isReading) return
    isReading = true
    try {
      while (waiting.size > 0 && !stream.isClosed) {
        const ids = [...waiting].slice(0, AT_ONCE)
        for (const id of ids) waiting.delete(id)
        send(await deliveriesByIds.all(database, ids))
        await stream.drained()
      }
    } finally {
      isReading = false
    }
  }
  const end = await runtime.singleton(deliveryChanges).listen((ids) => {
    for (const id of ids) waiting.add(id)
    read().catch(() => stream.close())
  })
  stream.onClose(() => {
    end()
    waiting = new Set()
  })
  const since = given !== undefined && /^\d{1,15}$/.test(given) ? Number(given) - OVERLAP_MS : undefined
  if (since === undefined) return
  const newest = await deliveriesNewest.all(database, LARGEST_ID, null, null, MOST_MISSED)
  const changedAt = (row: (typeof newest)[number]) =>
    Date.parse((row.record as { at?: string }[]).at(-1)?.at ?? row.created_at.toISOString())
  send(newest.filter((row) => row.state === 'pending' || changedAt(row) >= since).reverse())
}
