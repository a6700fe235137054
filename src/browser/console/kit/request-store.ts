import { signal } from '@preact/signals'
import type { RecordedRequest } from '../../../api-kit/serving/request-log.ts'
import { get } from './client.ts'
import { listen } from './live.ts'

const KEPT = 2_000

/** The last requests of the server, newest first, up to date. */
export const requests = signal<readonly RecordedRequest[]>([])

function add(items: readonly RecordedRequest[]): void {
  const known = new Set(requests.value.slice(0, KEPT).map((item) => item.seq))
  const fresh = items.filter((item) => !known.has(item.seq))
  if (fresh.length === 0) return
  const all = [...fresh, ...requests.value].sort((left, right) => (left.seq < right.seq ? 1 : -1))
  requests.value = all.slice(0, KEPT)
}

let isStarted = false

/** Begins to follow them. The live channel has what comes; the log has what was before. */
export async function followRequests(): Promise<void> {
  if (isStarted) return
  isStarted = true
  listen('requests', add)
  const { requests: before } = await get<{ requests: RecordedRequest[] }>('/_rostra/requests', { limit: '500' })
  add(before)
}
