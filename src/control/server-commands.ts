import { closed } from '../api-kit/declaring/schema.ts'
import { invalidateAll } from '../world/invalidate-all.ts'
import { defineCommand } from './command.ts'

export const cacheInvalidate = defineCommand('cache.forget', closed({}), async (runtime) => {
  await invalidateAll(runtime)
  return { forgotten: true }
})

export const limitsClear = defineCommand('limits.clear', closed({}), async (runtime) => {
  await runtime.limiter.clear()
  return { cleared: true }
})
