import { unusedWindow } from '../../api-kit/limits/limit-headers.ts'
import { type LimitState, parseWindows } from '../../api-kit/limits/rate-limiter.ts'
import type { Runtime } from '../../api-kit/runtime.ts'

const ACCOUNT_EVENTS = parseWindows('60000/15m')[0]!

/** Counts events of an account, whether the pixel or a call reports them. */
export const countEvents = async (runtime: Runtime, accountId: string, events: number): Promise<LimitState> =>
  runtime.rateLimits === 'off'
    ? unusedWindow(ACCOUNT_EVENTS)
    : runtime.limiter.take(`ads:conversion events:${accountId}`, ACCOUNT_EVENTS, events)
