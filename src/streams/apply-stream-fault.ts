import type { Runtime } from '../api-kit/runtime.ts'
import { hubOf } from './hub.ts'
import { STREAM_FAULT, type StreamFault } from './stream-fault.ts'

/** Does something to the open streams of all processes; returns to how many on this machine. */
export async function applyStreamFault(runtime: Runtime, fault: StreamFault): Promise<number> {
  runtime.passOn([[STREAM_FAULT, [JSON.stringify(fault)]]])
  const others = await runtime.bus.askAll<number | null>(STREAM_FAULT, fault)
  return others.reduce<number>((sum, count) => sum + (count ?? 0), hubOf(runtime).applyFault(fault))
}
