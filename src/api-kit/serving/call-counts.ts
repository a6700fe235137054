/** How the calls of one operation by one app fared in this process. */
export interface CallCount {
  app_id: string | undefined
  app: string | undefined
  operation: string
  method: string
  calls: number
  refused: number
  total_ms: number
  last_status: number
  last_time: string
  last_reason: string | undefined
}

// More than there are operations of several programs.
const MOST_COUNTED = 3_000

interface Counted extends Omit<CallCount, 'last_time'> {
  lastAt: number
}

interface Call {
  app_id: string | undefined
  app: string | undefined
  operation: string | undefined
  method: string
  status: number
  latency_ms: number | undefined
  reason: string | undefined
}

/** Counts calls by app and operation since the start of the process, which the log of the last requests is too short for. */
export class CallCounts {
  readonly #counts = new Map<string, Counted>()

  add(at: number, call: Call): void {
    const operation = call.operation ?? '(no route)'
    const key = `${call.app_id ?? ''} ${operation}`
    let counted = this.#counts.get(key)
    if (!counted) {
      if (this.#counts.size >= MOST_COUNTED) return
      const { app_id, app, method } = call
      counted = {
        app_id,
        app,
        operation,
        method,
        calls: 0,
        refused: 0,
        total_ms: 0,
        last_status: 0,
        lastAt: 0,
        last_reason: undefined,
      }
      this.#counts.set(key, counted)
    }
    counted.calls += 1
    counted.total_ms += call.latency_ms ?? 0
    counted.last_status = call.status
    counted.lastAt = at
    if (call.status < 400) return
    counted.refused += 1
    counted.last_reason = call.reason
  }

  read(): CallCount[] {
    return [...this.#counts.values()].map(({ lastAt, ...count }) => ({
      ...count,
      last_time: new Date(lastAt).toISOString(),
    }))
  }
}

/** The counts of several processes as one. */
export function joinCounts(all: readonly CallCount[]): CallCount[] {
  const joined = new Map<string, CallCount>()
  for (const count of all) {
    const key = `${count.app_id ?? ''} ${count.operation}`
    const known = joined.get(key)
    if (!known) {
      joined.set(key, { ...count })
      continue
    }
    const latest = known.last_time < count.last_time ? count : known
    Object.assign(known, {
      calls: known.calls + count.calls,
      refused: known.refused + count.refused,
      total_ms: known.total_ms + count.total_ms,
      last_status: latest.last_status,
      last_time: latest.last_time,
      last_reason: latest.last_reason ?? known.last_reason ?? count.last_reason,
    })
  }
  return [...joined.values()].sort((left, right) => right.calls - left.calls)
}
