import { timeOfId } from '../../process/ids.ts'
import { DAY_MS } from './facts.ts'

const PRIVATE_METRICS_MS = 30 * DAY_MS

/** Whether the owner of a post or media item sees its private metrics: in the first thirty days. */
export const hasPrivateMetrics = (id: string, now: number): boolean => now - timeOfId(id) <= PRIVATE_METRICS_MS
