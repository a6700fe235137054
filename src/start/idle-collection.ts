import { performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const TICK_MS = 2_000
const QUIET_SHARE = 0.05
const WORTHWHILE_BYTES = 64 * 2 ** 20

/**
 * Collects garbage when this process has nothing to do. V8 looks at what lived for a moment, such as the lines that a burst sent to
 * thousands of streams, only when it needs room again: without this the memory of a burst would be kept until the next one.
 */
export function collectWhenIdle(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  let last = performance.eventLoopUtilization()
  // What the last collection left, or less if V8 collected since.
  let left = 0
  let mayRepeat = false
  setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    if (utilization > QUIET_SHARE) return
    const { used_heap_size: used, total_heap_size: total } = getHeapStatistics()
    left = Math.min(left, used)
    // A collection of 100 MB is a pause of 0.1 to 0.2 s, so there must be much to win.
    const isDue = used > left + Math.max(WORTHWHILE_BYTES, left / 2)
    // The first one leaves pages with few objects; the next one empties and returns them.
    if (!isDue && !(mayRepeat && total - used > WORTHWHILE_BYTES / 2)) return
    collect()
    left = getHeapStatistics().used_heap_size
    mayRepeat = isDue
  }, TICK_MS).unref()
}
