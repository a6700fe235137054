import type { FaultRow } from '../api-kit/faults/fault.statements.ts'
import { faultList } from '../api-kit/faults/fault-list.ts'
import type { Runtime } from '../api-kit/runtime.ts'

/** The outcome of an attempt that fails on purpose, in the words of real failures; undefined when the attempt is made. */
export async function faultOutcome(
  runtime: Runtime,
  webhookId: string,
  timeoutMs: number,
): Promise<Record<string, unknown> | undefined> {
  const faults = runtime.singleton(faultList)
  if (!faults.hasDeliveryFaults) return undefined
  for (const fault of await faults.deliveries()) {
    if (fault.webhook_id !== null && fault.webhook_id !== webhookId) continue
    if (await faults.take(fault)) return { ...outcomeOf(fault, timeoutMs), fault: fault.id }
  }
  return undefined
}

function outcomeOf({ effect, value }: FaultRow, timeoutMs: number): Record<string, unknown> {
  if (effect === 'timeout') return { error: `no answer within ${timeoutMs} ms` }
  if (effect === 'connection') return { error: 'the connection failed (ECONNRESET)' }
  return { status: Number(value), answer: '' }
}
