import { closed, Type } from '../api-kit/declaring/schema.ts'
import { writeFact } from '../storage/instance-facts.ts'
import { invalidateAll } from '../world/reset-world.ts'
import { defineCommand } from './command.ts'

const optional = Type.Optional
const TEN_YEARS_MS = 10 * 365 * 24 * 3600_000

export const clockCommand = defineCommand(
  'clock',
  closed({
    advance_ms: optional(Type.Integer({ minimum: 0, maximum: TEN_YEARS_MS })),
    reset: optional(Type.Boolean()),
  }),
  async (runtime, args) => {
    if (args.advance_ms !== undefined || args.reset) {
      const offset = args.reset ? (args.advance_ms ?? 0) : runtime.clock.offsetMs() + (args.advance_ms ?? 0)
      await writeFact(runtime.database, 'clock_offset_ms', String(offset))
      runtime.clock.setOffset(offset)
      await runtime.bus.sendAll('clock', offset)
    }
    return { now: new Date(runtime.clock.now()).toISOString(), offset_ms: runtime.clock.offsetMs() }
  },
)

export const cacheInvalidate = defineCommand('cache.forget', closed({}), async (runtime) => {
  await invalidateAll(runtime)
  return { forgotten: true }
})

export const limitsClear = defineCommand('limits.clear', closed({}), async (runtime) => {
  await runtime.limiter.clear()
  return { cleared: true }
})
